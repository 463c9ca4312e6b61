"""Stages with their counts."""

from porting.verify.summary import release_note, stages


def test_patch_release_is_compiled_against_its_minor_release_and_says_so() -> None:
    assert release_note("7.1.1") == "headers of ROCm 7.1 stand for 7.1.1: same minor release"
    assert not release_note("7.1")


def test_stages_carry_the_note() -> None:
    assert [stage.note for stage in stages([], {}, "told")] == ["told", "told"]
