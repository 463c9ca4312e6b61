"""The records that were checked by hand: the tables still say what was found right."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from porting.mapping import Names

SAMPLE = tomllib.loads((Path(__file__).parent / "golden" / "mapping_sample.toml").read_text())
FACTS = ("library", "kind", "status", "target", "action", "since", "until")


def test_sample_when_read_has_a_hundred_records_of_one_draw() -> None:
    names = [record["name"] for record in SAMPLE["record"]]

    assert SAMPLE["seed"] == 27182
    assert len(names) == 100
    assert names == sorted(set(names))


@pytest.mark.parametrize("record", SAMPLE["record"], ids=lambda record: record["name"])
def test_record_when_looked_up_is_as_checked(record: dict[str, Any]) -> None:
    found = Names.load(SAMPLE["release"]).get(record["name"])

    assert found is not None
    assert record["verdict"] == "right"
    assert {fact: str(getattr(found, fact) or "") for fact in FACTS} == {
        fact: record[fact] for fact in FACTS
    }
