"""The parity table as JSON, as `table.schema.json` describes it; tools may rely on it."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ci.exceptions import Exemption, Judgement
from ci.joining import Column, Entry, Row, Table, Verdict
from ci.junit import Outcome
from ci.verdicts import headline, holds

SCHEMA_VERSION = 1


def render(table: Table, judgement: Judgement) -> str:
    """Return the table as JSON text."""
    return json.dumps(to_json(table, judgement), indent=1) + "\n"


def to_json(table: Table, judgement: Judgement) -> dict[str, Any]:
    """Return the table as plain values."""
    counts = Counter(row.verdict for row in table.rows)
    return {
        "schema_version": SCHEMA_VERSION,
        "holds": holds(table, judgement),
        "summary": {
            "text": headline(table, judgement),
            "tests": len(table.rows),
            "verdicts": {verdict.value: counts[verdict] for verdict in Verdict},
            "excused": len(judgement.excused),
        },
        "cells": [_column(table, column) for column in table.columns],
        "tests": [
            _row(row, table.columns, judgement.excused.get(row.key, ())) for row in table.rows
        ],
        "wrong_exceptions": list(judgement.problems),
    }


def _column(table: Table, column: Column) -> dict[str, Any]:
    counts = table.count(column.cell)
    return asdict(column) | {
        "counts": {outcome.value: counts[outcome] for outcome in Outcome},
        "seconds": round(table.seconds(column.cell), 3),
    }


def _row(row: Row, columns: Sequence[Column], exemptions: Sequence[Exemption]) -> dict[str, Any]:
    return {
        "test": row.test,
        "area": row.area,
        "kind": row.kind.value,
        "verdict": row.verdict.value,
        "platforms": {
            name: {"outcome": outcome.value, "checked": row.checked[name].split("+")}
            for name, outcome in row.platforms.items()
        },
        "cells": {
            column.cell: _entry(row.entries[column.cell], column)
            for column in columns
            if column.cell in row.entries
        },
        "exceptions": [_exemption(exemption) for exemption in exemptions],
    }


def _exemption(exemption: Exemption) -> dict[str, Any]:
    return {
        "platform": exemption.platform,
        "reason": exemption.reason,
        "issue": exemption.issue,
        "expires": exemption.expires.isoformat(),
    }


def _entry(entry: Entry, column: Column) -> dict[str, Any]:
    told = {"message": entry.message} if entry.message else {}
    fields = {"outcome": entry.outcome.value, "checked": column.checked, "seconds": entry.seconds}
    return fields | told
