"""Files of the user's, and commands side by side: each command keeps to its own files."""

import errno
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.commands import S2S, SMALL, Done, refused, s2s_here, settings, succeeded
from tests.corpora import write_reversals
from tests.folders import contents
from tests.forks import Forked
from tests.waiting import wait_until

TINY = settings(*SMALL, "training.epochs=1", "training.precision=fp32", "training.device=cpu")
IN_NAMESPACE = ("unshare", "--map-root-user", "--mount")


def train(home: Path, out: str, *options: str) -> Done:
    return s2s_here(home, "train", "--data", "prepared", "--out", out, *TINY, *options)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pairs, a prepared corpus and a run."""
    home = tmp_path_factory.mktemp("home")
    write_reversals(home / "pairs.txt")
    succeeded(s2s_here(home, "prepare", "pairs.txt", "--out", "prepared"))
    succeeded(train(home, "runs/first"))
    return home


def test_overwrite_takes_no_folder_that_only_looks_like_a_run(home: Path) -> None:
    mine = home / "mine"
    for name in ("config.yaml", "README.md", "best/photo.jpg", "last/notes.txt"):
        (mine / name).parent.mkdir(parents=True, exist_ok=True)
        (mine / name).write_text("mine", encoding="utf-8")
    before = contents(mine)
    refused(train(home, "mine", "--overwrite"), "mine: ")
    assert contents(mine) == before


def test_files_beside_those_of_a_run_stay_when_it_is_replaced(home: Path) -> None:
    shutil.copytree(home / "runs" / "first", home / "runs" / "second")
    photo = home / "runs" / "second" / "best" / "photo.jpg"
    photo.write_bytes(b"mine")
    succeeded(train(home, "runs/second", "--overwrite", "--set", "training.seed=77"))
    assert photo.read_bytes() == b"mine"
    assert "  seed: 77\n" in (home / "runs" / "second" / "config.yaml").read_text(encoding="utf-8")


def test_a_corpus_is_prepared_into_the_current_folder_which_stays_the_same_one(home: Path) -> None:
    here = home / "here"
    here.mkdir()
    number = here.stat().st_ino
    succeeded(s2s_here(here, "prepare", "../pairs.txt", "--out", "."))
    assert here.stat().st_ino == number
    assert (here / "manifest.json").is_file()


def test_a_second_prepare_is_refused_at_once_and_what_is_saved_meanwhile_stays(home: Path) -> None:
    pairs = (home / "pairs.txt").read_bytes()
    with subprocess.Popen(
        [*S2S, "prepare", "-", "--out", "shared"], cwd=home, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as first:
        assert first.stdin is not None
        try:
            wait_until(lambda: [*home.glob("shared/.*/new")], of=first)  # locked by then
            second = s2s_here(home, "prepare", "pairs.txt", "--out", "shared")
            refused(second, "another s2s is writing it")
            (home / "shared").mkdir(exist_ok=True)
            (home / "shared" / "note.txt").write_text("mine", encoding="utf-8")
            first.communicate(pairs)
        finally:
            first.kill()
    assert first.returncode == 0
    assert (home / "shared" / "note.txt").read_text(encoding="utf-8") == "mine"
    assert (home / "shared" / "manifest.json").is_file()


def test_what_a_killed_preparation_has_left_is_cleared_though_the_folder_is_up_to_date(home: Path) -> None:
    succeeded(s2s_here(home, "prepare", "pairs.txt", "--out", "again"))
    left = home / "again" / ".unfinished"
    (left / "new").mkdir(parents=True)
    (left / "new" / "train.src.txt").touch()
    (left / ".lock").touch()
    done = s2s_here(home, "prepare", "pairs.txt", "--out", "again")
    assert "up to date" in done.stdout
    assert not left.exists()


def test_a_run_is_resumed_though_its_making_was_killed_while_it_moved_files(home: Path) -> None:
    new = home / "runs" / "first" / ".unfinished" / "new"
    new.mkdir(parents=True)
    for name in (".lock", "ready"):
        (new.parent / name).touch()
    (home / "runs" / "first" / "config.yaml").rename(new / "config.yaml")
    succeeded(s2s_here(home, "train", "--resume", "--out", "runs/first", "--set", "training.epochs=2"))
    assert not new.parent.exists()


def test_attention_files_replace_nothing_unasked_side_by_side_either(home: Path) -> None:
    command = ("translate", "--model", "runs/first", "a b c", "--draw", "same.html")
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda _: Forked(home, *command).done(), range(6)))
    assert sorted(each.returncode for each in done) == [0, 2, 2, 2, 2, 2]
    written = (home / "same.html").read_bytes()
    assert all("--overwrite replaces it" in each.stderr for each in done if each.returncode)
    assert s2s_here(home, *command).returncode == 2
    assert (home / "same.html").read_bytes() == written
    (home / "same.html").chmod(0o600)
    (home / "link.html").symlink_to("same.html")
    succeeded(s2s_here(home, *command[:-1], "link.html", "--overwrite"))
    assert (home / "link.html").is_symlink()
    assert (home / "same.html").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no full device")
def test_a_full_disk_is_named(home: Path) -> None:
    done = s2s_here(home, "translate", "--model", "runs/first", "a b c", "--output", "/dev/full")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"s2s: error: /dev/full: {os.strerror(errno.ENOSPC)}\n"


@pytest.mark.parametrize("command", [["prepare", "pairs.txt", "--out"], ["train", "--data", "prepared", "--out"]])
def test_a_file_in_the_place_of_a_folder_is_named(home: Path, command: list[str]) -> None:
    for out in ("pairs.txt/x", "pairs.txt/x/y"):
        refused(s2s_here(home, *command, out), f"{out}: cannot be ", "pairs.txt is not a folder")


def can_mount() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        return subprocess.run([*IN_NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not can_mount(), reason="needs a mount namespace of its own")
def test_a_mount_point_is_an_output_as_any_other(home: Path) -> None:
    command = " ".join(S2S)
    script = f"""
        mkdir corpus-volume run-volume && mount -t tmpfs none corpus-volume && mount -t tmpfs none run-volume &&
        {command} prepare pairs.txt --out corpus-volume &&
        {command} prepare pairs.txt --out corpus-volume --overwrite &&
        {command} train --data corpus-volume --out run-volume {" ".join(TINY)} &&
        {command} train --data corpus-volume --out run-volume --overwrite {" ".join(TINY)} &&
        test -f run-volume/best/model.safetensors && test -f corpus-volume/manifest.json
    """
    done = subprocess.run([*IN_NAMESPACE, "sh", "-c", script], cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
