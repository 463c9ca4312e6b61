"""The revision of a checkout: its commit, and what tracked files differ by."""

import subprocess
from pathlib import Path

import pytest

from ci.revision import revision


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with one commit of one file."""
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "file").write_text("one\n")
    who = ("-c", "user.name=n", "-c", "user.email=n@example.invalid")
    for words in (("init", "-q"), ("add", "file"), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", "-C", str(root), *words], check=True, timeout=30)
    return root


def test_revision_when_nothing_was_changed(checkout: Path) -> None:
    said = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    commit = subprocess.run(said, capture_output=True, text=True, check=True, timeout=30).stdout
    (checkout / "untracked").write_text("any\n")
    assert revision(checkout) == commit.strip()


def test_revision_when_a_file_was_changed_says_how(checkout: Path) -> None:
    clean = revision(checkout)
    found = [clean]
    for text in ("two\n", "three\n"):
        (checkout / "file").write_text(text)
        found.append(revision(checkout))
    assert len(set(found)) == 3
    assert all(each.startswith(clean) for each in found)


def test_revision_when_the_folder_is_none_of_its_own(checkout: Path, tmp_path: Path) -> None:
    (checkout / "below").mkdir()
    assert revision(checkout / "below") == ""
    assert revision(tmp_path) == ""


def test_revision_when_gits_configuration_is_another(checkout: Path) -> None:
    (checkout / "file").write_text("two\n")
    plain = revision(checkout)
    for name, value in (("color.ui", "always"), ("diff.noprefix", "true"), ("diff.external", "no")):
        subprocess.run(["git", "-C", str(checkout), "config", name, value], check=True, timeout=30)
    assert revision(checkout) == plain


def test_revision_when_git_cannot_tell_what_differs(checkout: Path) -> None:
    (checkout / "file").write_text("two\n")
    (checkout / ".git" / "index").write_bytes(b"broken")
    assert revision(checkout) == ""


def test_revision_when_git_is_missing(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert revision(checkout) == ""
