"""Folders: all files new or all as before, and nobody else's file is touched."""

import contextlib
import itertools
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.whole_folder import clear_leftovers, whole_folder
from tests.folders import contents
from tests.unit.files.test_writing import writer

OLD, NEW = ("a", "deep/b", "kept"), ("a", "deep/c", "d")
CALLS = ("rename", "replace", "hardlink_to", "unlink")
"""The methods of Path that move and remove files."""


def fill(path: Path, *names: str, replaced: tuple[str, ...] = ()) -> None:
    with whole_folder(path, replaced=replaced) as folder:
        for name in names:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(f"of {names}", encoding="utf-8")


def test_files_appear_when_all_are_finished(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder"
    with whole_folder(path) as folder:
        (folder / "one").touch()
        assert not (path / "one").exists()
    assert list(path.iterdir()) == [path / "one"]


def test_a_folder_that_is_there_stays_the_same_and_only_what_is_named_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    fill(path, "mark", "a", "deep/b")
    number = path.stat().st_ino
    (path / "mine").touch()
    fill(path, "mark", "a", "c", replaced=("mark", "a", "deep/b", "never/there"))
    assert path.stat().st_ino == number
    assert sorted(contents(path)) == ["a", "c", "mark", "mine"]
    assert not (path / "deep").exists()
    assert "c" in (path / "a").read_text(encoding="utf-8")


@pytest.mark.parametrize("saved", ["a", "deep"])
def test_a_file_saved_meanwhile_is_not_replaced(tmp_path: Path, saved: str) -> None:
    path = tmp_path / "folder"
    with ExitStack() as written:
        folder = written.enter_context(whole_folder(path))
        (folder / "deep").mkdir()
        for name in ("a", "deep/b"):
            (folder / name).touch()
        (path / saved).write_text("mine", encoding="utf-8")
        with pytest.raises(UsageError, match=rf"folder.{saved}.*: is in the way"):
            written.close()
    assert list(path.iterdir()) == [path / saved]
    assert (path / saved).read_text(encoding="utf-8") == "mine"
    fill(path, "other")
    assert sorted(contents(path)) == sorted(["other", saved])


def test_a_file_saved_as_the_files_are_moved_stays_until_it_is_moved_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder"
    fill(path, "a")

    def save(file: Path, **_: bool) -> None:
        if file == path / "a":
            (path / "d").write_text("mine", encoding="utf-8")
        os.unlink(file)  # noqa: PTH108  # what is in its place

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", save)
        with pytest.raises(UsageError, match=r"folder.d: is in the way"):
            fill(path, "a", "d", replaced=("a",))
    assert (path / "d").read_text(encoding="utf-8") == "mine"
    with pytest.raises(UsageError, match=r"folder.d: is in the way"):  # and not what the missing files would say
        clear_leftovers(path)
    (path / "d").rename(tmp_path / "d")
    clear_leftovers(path)
    assert sorted(contents(path)) == ["a", "d"]
    assert "of" in (path / "d").read_text(encoding="utf-8")


def check_at_every_call(folder: Path, replace: Callable[[Path, int], bool]) -> None:
    """Whichever call that moves a file is the last, the folder has all of its old files, or all of the new ones.

    `replace` replaces the files up to that call, puts the folder in order, and returns whether the call was made.
    """
    after = sorted([*NEW, "kept", "mine"])
    outcomes = []
    for number in range(1, 30):
        path = folder / str(number)
        fill(path, *OLD)
        (path / "mine").write_text("mine", encoding="utf-8")
        before = contents(path)
        was_ended = replace(path, number)
        found = contents(path)
        assert found == before or sorted(found) == after
        assert all(any(folder.iterdir()) for folder in path.rglob("*") if folder.is_dir())
        outcomes.append(found == before)
        if not was_ended:
            break
    assert outcomes[0]
    assert not outcomes[-1]
    assert len(outcomes) > 6


def replace_files(path: Path) -> None:
    fill(path, *NEW, replaced=("a", "deep/b"))


def fail_to_replace(path: Path) -> None:
    with pytest.raises(KeyError), whole_folder(path, replaced=("a", "deep/b")):
        raise KeyError


def before_each_call(patch: pytest.MonkeyPatch, act: Callable[[int], None]) -> None:
    """Have each call that moves or removes a file do something first with its number, from 1 on."""
    numbers = itertools.count(1)

    def acting(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            act(next(numbers))
            return real(*arguments, **options)

        return call

    for name in CALLS:
        patch.setattr(Path, name, acting(getattr(Path, name)))


@pytest.mark.skipif(os.name == "nt", reason="forks")
@pytest.mark.parametrize("follow", [fail_to_replace, clear_leftovers])
def test_the_next_process_completes_what_a_killed_one_has_begun(tmp_path: Path, follow: Callable[[Path], None]) -> None:
    def replace(path: Path, number: int) -> bool:
        def be_killed(call: int) -> None:
            if call == number:
                os._exit(9)

        if not (child := os.fork()):
            try:
                before_each_call(pytest.MonkeyPatch(), be_killed)
                replace_files(path)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        follow(path)
        return bool(status)

    check_at_every_call(tmp_path, replace)


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("again", [0, 1, 2, 5])
def test_a_failure_at_any_moment_leaves_all_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, again: int
) -> None:
    """One call fails, or with `again` also the call so many calls after it; then the next process completes it."""

    def replace(path: Path, number: int) -> bool:
        last = 0

        def fail(call: int) -> None:
            nonlocal last
            last = call
            if call in (number, number + (again or call)):
                raise error

        with monkeypatch.context() as patch:
            before_each_call(patch, fail)
            with contextlib.suppress(OSError, KeyboardInterrupt):
                replace_files(path)
        if again:
            clear_leftovers(path)
        return last >= number

    check_at_every_call(tmp_path, replace)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_link_leads_to_the_folder_whether_that_is_there_or_not(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "disk" / "folder")
    fill(link, "one")
    fill(link, "two", replaced=("one",))

    assert link.is_symlink()
    assert sorted(contents(tmp_path / "disk")) == ["folder/two"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "link"]


def test_what_a_failed_writer_has_made_is_removed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"), whole_folder(tmp_path / "a" / "b" / "folder"):
        raise ValueError("no")
    assert list(tmp_path.iterdir()) == []


FILL_FOLDER = """
import sys
from pathlib import Path
from seq2seq_cli.files.whole_folder import whole_folder
with whole_folder(Path(sys.argv[1])) as folder:
    (folder / "half").touch()
    print("begun", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("there", [False, True])
def test_one_process_fills_a_folder_and_a_killed_one_is_no_obstacle(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "folder"
    if there:
        path.mkdir()
    with writer(path, FILL_FOLDER) as process:
        with pytest.raises(UsageError, match="another s2s is writing it"), whole_folder(path):
            pass
        clear_leftovers(path)
        assert (path / ".unfinished" / "new" / "half").exists()
        process.kill()
    fill(path, "whole")
    assert sorted(contents(tmp_path)) == ["folder/whole"]


@pytest.mark.parametrize("link", [".unfinished", "deep", "gone"])
def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, link: str) -> None:
    path, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    fill(path, "a")
    fill(elsewhere, "b", "mine")
    (path / link).symlink_to(elsewhere)
    with pytest.raises(UsageError, match=rf"folder.{link}: a link"):
        fill(path, "deep/b", "gone/b", replaced=("a", "deep/b"))
    assert sorted(contents(elsewhere)) == ["b", "mine"]
    assert sorted(contents(path)) == ["a"]


@pytest.mark.parametrize("name", ["../mine", "{folder}/mine", "a\0b"])
def test_the_names_in_a_strangers_unfinished_folder_lead_nowhere(tmp_path: Path, name: str) -> None:
    path = tmp_path / "folder"
    (path / ".unfinished" / "new").mkdir(parents=True)
    (path / ".unfinished" / ".lock").touch()
    (path / ".unfinished" / "replaced").write_text(name.format(folder=tmp_path), encoding="utf-8")
    (tmp_path / "mine").touch()
    fill(path, "a")
    assert sorted(contents(tmp_path)) == ["folder/a", "mine"]
