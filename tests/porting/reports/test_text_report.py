"""The report for a terminal."""

import json
from dataclasses import replace

from porting.reports import Report, render


def test_text_lists_findings_then_counts(report: Report) -> None:
    assert render(report, "text") == (
        "in/src/a <b>.cu:2:3: ABC001 error: broken: 100%, really\n"
        "    help: mend it\n"
        "in/src/a <b>.cu:2:3: ABC002 warning: look <here>\n"
        "in/src/a <b>.cu:9:3: ABC002 note: told\n"
        "\n"
        "     1  error    ABC001  first-topic\n"
        "     1  warning  ABC002  second-topic\n"
        "     1  note     ABC002  second-topic\n"
        "for ROCm 7.1 on gfx90a, gfx1100\n"
        "output: out\n"
        "3 files: 2 changed, 1 copied\n"
        "rewritten automatically: 5 places; left for a person: 1 line\n"
        "port: 2 ported, 0 not ported, 2 suppressed\n"
        "host syntax: 1 verified, 0 failed, 1 not verified, 0 suppressed\n"
        "device code: 1 verified, 1 failed, 0 not verified, 0 suppressed\n"
        "1 error, 1 warning, 1 note, 2 suppressed\n"
    )


def test_text_says_why_a_stage_did_not_run(unavailable: Report) -> None:
    assert "host syntax: unavailable: no clang\n" in render(unavailable, "text")


def test_text_and_json_say_what_stood_in_for_what(report: Report) -> None:
    stage = replace(report.stages[1], note="headers of X stand for Y")
    noted = replace(report, stages=(report.stages[0], stage))
    assert ", 1 not verified, 0 suppressed; headers of X stand for Y\n" in render(noted, "text")
    stages = json.loads(render(noted, "json"))["summary"]["stages"]
    assert stages["host syntax"]["note"] == "headers of X stand for Y"
    assert "note" not in stages["port"]
    assert "headers of X stand for Y" in render(noted, "html")


def test_text_has_colours_only_when_asked(report: Report) -> None:
    assert "\x1b" not in render(report, "text")
    coloured = render(report, "text", colour=True)
    assert "\x1b[1;31merror\x1b[0m: broken" in coloured
    assert "\x1b[1;33mwarning\x1b[0m: look" in coloured
