"""Folders: whole or not at all, and nobody else's file is touched."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.whole_folder import clear_leftovers, whole_folder

MARK = "mark"


def fill(path: Path, *names: str, replaced: tuple[str, ...] = ()) -> None:
    with whole_folder(path, mark=MARK, replaced=replaced) as folder:
        for name in names:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(f"of {names}", encoding="utf-8")


def names(path: Path) -> list[str]:
    return sorted(file.relative_to(path).as_posix() for file in path.rglob("*") if not file.is_dir())


def test_a_folder_appears_when_it_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder"
    with whole_folder(path, mark=MARK) as folder:
        (folder / "one").touch()
        assert not path.exists()
    assert names(path) == ["one"]
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_is_there_stays_the_same_and_only_what_is_named_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    fill(path, MARK, "a", "deep/b")
    number = path.stat().st_ino
    (path / "mine").touch()
    fill(path, MARK, "a", "c", replaced=(MARK, "a", "deep/b", "never/there"))
    assert path.stat().st_ino == number
    assert names(path) == ["a", "c", MARK, "mine"]
    assert not (path / "deep").exists()
    assert "c" in (path / "a").read_text(encoding="utf-8")


@pytest.mark.parametrize("saved", ["a", "deep"])
def test_a_file_saved_meanwhile_is_not_replaced(tmp_path: Path, saved: str) -> None:
    path = tmp_path / "folder"
    with ExitStack() as written:
        folder = written.enter_context(whole_folder(path, mark=MARK))
        (folder / "deep").mkdir()
        for name in (MARK, "a", "deep/b"):
            (folder / name).touch()
        path.mkdir()
        (path / saved).write_text("mine", encoding="utf-8")
        with pytest.raises(UsageError, match=f"folder/{saved}.*: is in the way"):
            written.close()
    assert names(path) == [saved]
    assert (path / saved).read_text(encoding="utf-8") == "mine"

    fill(path, MARK, "other")
    assert names(path) == sorted([MARK, "other", saved])
    assert list(tmp_path.iterdir()) == [path]


def failing_once(real: Callable[..., object], calls: list[int], number: int) -> Callable[..., object]:
    """A function whose call of that number fails; `calls` has one entry per call."""

    def call(*arguments: object, **options: object) -> object:
        calls.append(len(calls))
        if calls[-1] == number:
            raise OSError(5, "Input/output error")
        return real(*arguments, **options)

    return call


@pytest.mark.parametrize("number", range(7))
def test_when_a_file_cannot_be_moved_none_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    path = tmp_path / "folder"
    fill(path, MARK, "a", "deep/b")
    before = {name: (path / name).read_bytes() for name in names(path)}
    calls: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", failing_once(Path.rename, calls, number))
        patch.setattr(Path, "hardlink_to", failing_once(Path.hardlink_to, calls, number))
        try:
            fill(path, MARK, "a", "deep/c", "d", replaced=(MARK, "a", "deep/b"))
        except OSError:
            assert {name: (path / name).read_bytes() for name in names(path)} == before
        else:  # without links there is another way
            assert names(path) == ["a", "d", "deep/c", MARK]
    assert not [entry for entry in path.iterdir() if entry.name.startswith(".")]


def interrupted_after(real: Callable[..., object], calls: list[None], number: int, again: int) -> Callable[..., object]:
    """A function of Path whose so many-th call is interrupted as it returns, and the one so many calls after it."""

    def call(*arguments: object, **options: object) -> object:
        result = real(*arguments, **options)
        calls.append(None)
        if len(calls) in (number, number + (again or len(calls))):
            raise KeyboardInterrupt
        return result

    return call


def fill_and_be_killed(path: Path, number: int) -> None:
    """Replace the files of a folder in a process that is killed at its so many-th call that moves one."""
    calls: list[str] = []

    def killed(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            calls.append(name)
            if len(calls) == number:
                os._exit(9)
            return real(*arguments, **options)

        return call

    for name in ("rename", "replace", "hardlink_to", "unlink"):
        setattr(Path, name, killed(name, getattr(Path, name)))
    fill(path, MARK, "a", "deep/c", "d", replaced=(MARK, "a", "deep/b"))


def fill_and_fail(path: Path) -> None:
    with pytest.raises(KeyError), whole_folder(path, mark=MARK, replaced=(MARK, "a", "deep/b")):
        raise KeyError


def check_at_every_call(folder: Path, replace: Callable[[Path, int], bool]) -> None:
    """Whichever call that moves a file is the last, the folder has all of its old files, or all of the new ones.

    `replace` replaces the files up to that call, puts the folder in order, and returns whether the call was made.
    """
    after = sorted([MARK, "a", "deep/c", "d", "mine"])
    outcomes = []
    for number in range(1, 30):
        path = folder / str(number)
        fill(path, MARK, "a", "deep/b")
        (path / "mine").write_text("mine", encoding="utf-8")
        before = {name: (path / name).read_bytes() for name in names(path)}
        was_ended = replace(path, number)
        found = {name: (path / name).read_bytes() for name in names(path) if not name.startswith(".")}
        assert found == before or sorted(found) == after
        outcomes.append(found == before)
        if not was_ended:
            break
    assert outcomes[0]
    assert not outcomes[-1]
    assert sum(outcomes) > 6


@pytest.mark.skipif(os.name == "nt", reason="forks")
@pytest.mark.parametrize("follow", [fill_and_fail, clear_leftovers])
def test_the_next_process_moves_the_files_back_that_a_killed_one_has_moved(
    tmp_path: Path, follow: Callable[[Path], None]
) -> None:
    def replace(path: Path, number: int) -> bool:
        if not (child := os.fork()):
            try:
                fill_and_be_killed(path, number)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        follow(path)
        assert not (path / ".unfinished").exists()
        assert all(any(folder.iterdir()) for folder in path.rglob("*") if folder.is_dir())
        return bool(status)

    check_at_every_call(tmp_path, replace)


@pytest.mark.parametrize("again", [0, 1, 2, 5])
def test_an_interrupt_at_any_moment_moves_the_files_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: int
) -> None:
    def replace(path: Path, number: int) -> bool:
        calls: list[None] = []
        with monkeypatch.context() as patch:
            for name in ("rename", "replace", "hardlink_to", "unlink", "write_bytes"):
                patch.setattr(Path, name, interrupted_after(getattr(Path, name), calls, number, again))
            with contextlib.suppress(KeyboardInterrupt):
                fill(path, MARK, "a", "deep/c", "d", replaced=(MARK, "a", "deep/b"))
        if again:
            clear_leftovers(path)
        return len(calls) >= number

    check_at_every_call(tmp_path, replace)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_link_leads_to_the_folder_whether_that_is_there_or_not(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "disk" / "folder")
    fill(link, "one")
    fill(link, "two", replaced=("one",))

    assert link.is_symlink()
    assert names(tmp_path / "disk") == ["folder/two"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "link"]


def test_what_a_failed_writer_has_made_is_removed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"), whole_folder(tmp_path / "a" / "b" / "folder", mark=MARK):
        raise ValueError("no")
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
import sys, time
from pathlib import Path
from seq2seq_cli.files.whole_folder import clear_leftovers, whole_folder
with whole_folder(Path(sys.argv[1]), mark="mark") as folder:
    (folder / "half").touch()
    print("begun", flush=True)
    time.sleep(100)
"""


@pytest.mark.parametrize("there", [False, True])
def test_one_process_fills_a_folder_and_a_killed_one_is_no_obstacle(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "folder"
    if there:
        path.mkdir()
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        for _ in range(2):
            with pytest.raises(UsageError, match="another s2s is writing it"), whole_folder(path, mark=MARK):
                pass
            clear_leftovers(path)
            path.mkdir(exist_ok=True)  # by somebody else
        process.kill()
    fill(path, "whole")
    assert names(tmp_path) == ["folder/whole"]


@pytest.mark.parametrize("there", [False, True])
def test_an_unfinished_folder_that_cannot_be_removed_at_once_is_removed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    path = tmp_path / "folder"
    if there:
        fill(path, MARK)
    calls: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rmdir", failing_once(Path.rmdir, calls, 0))
        fill(path, MARK, replaced=(MARK,))
    assert calls
    assert names(tmp_path) == [f"folder/{MARK}"]
    assert not list(tmp_path.rglob("*unfinished*"))


@pytest.mark.parametrize("link", [".unfinished", "deep", "gone"])
def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, link: str) -> None:
    path, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    fill(path, MARK, "a")
    fill(elsewhere, "b", "mine")
    (path / link).symlink_to(elsewhere)
    with pytest.raises(UsageError, match=f"folder/{link}: a link"):
        fill(path, MARK, "deep/b", "gone/b", replaced=(MARK, "a", "deep/b"))
    assert names(elsewhere) == ["b", "mine"]
    assert names(path) == ["a", MARK]


def test_an_unfinished_folder_beside_it_that_is_a_link_is_not_emptied(tmp_path: Path) -> None:
    fill(tmp_path / "elsewhere", "mine")
    (tmp_path / ".folder.unfinished").symlink_to("elsewhere")
    with pytest.raises(UsageError, match="a link to a folder"):
        fill(tmp_path / "folder", MARK)
    assert names(tmp_path / "elsewhere") == ["mine"]


def test_a_folder_that_is_replaced_has_its_mark_at_every_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder"
    fill(path, MARK, "a")
    has_mark = []

    def watched(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            done = real(*arguments)
            has_mark.append((path / MARK).is_file())
            return done

        return call

    for name in ("rename", "replace", "hardlink_to", "unlink"):
        monkeypatch.setattr(Path, name, watched(getattr(Path, name)))
    fill(path, MARK, "a", "b", replaced=(MARK, "a"))
    assert len(has_mark) > 3
    assert all(has_mark)
    assert "b" in (path / MARK).read_text(encoding="utf-8")
