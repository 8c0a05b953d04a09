"""``s2s prepare`` as a user types it."""

import os
import signal
import subprocess
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

from seq2seq_cli.corpus.manifest import MANIFEST
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from tests.commands import S2S, Done, refused, s2s_here, succeeded
from tests.folders import contents
from tests.waiting import wait_until

NAMES = ("Tom", "Marie", "Zoë", "André")
LINES = [f"{NAMES[n % 4]} didn't see {n} cats.\t{NAMES[n % 4]} hörte {n} Kätzchen." for n in range(200)]


def s2s_prepare(folder: Path, *arguments: str) -> Done:
    return s2s_here(folder, "prepare", *arguments)


def write(path: Path, lines: Sequence[str]) -> None:
    path.write_bytes("".join(line + "\n" for line in lines).encode("utf-8"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with deu.txt, prepared once without any flag."""
    folder = tmp_path_factory.mktemp("home")
    write(folder / "deu.txt", LINES)
    done = s2s_prepare(folder, "deu.txt")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "stdout.txt").write_text(done.stdout, encoding="utf-8")
    return folder


def test_without_flags_it_writes_the_default_folder_and_reports_it(home: Path) -> None:
    told = (home / "stdout.txt").read_text(encoding="utf-8")
    words = told.split()
    assert words[words.index("read") + 1] == "200"
    assert sum(int(words[words.index(split) + 1]) for split in ("train", "valid", "test")) == 200
    assert "unknown" in words
    assert told.splitlines()[-1].startswith("next: s2s train --minutes ")
    assert (home / "data" / "prepared" / "manifest.json").is_file()
    refused(s2s_prepare(home, "deu.txt", "--limit", "150"), "data.limit: null -> 150", "--overwrite", "--out")


@pytest.mark.skipif(os.name == "nt", reason="no such names")
def test_a_name_with_line_ends_tabs_and_odd_bytes_is_escaped(tmp_path: Path) -> None:
    odd = "a\nb\t\udcff.txt"  # how Python writes the byte FF of a name
    write(tmp_path / odd, LINES)
    write(tmp_path / "deu.txt", LINES)

    done = s2s_prepare(tmp_path, "deu.txt", odd, "--out", "c\nd")

    assert (done.returncode, done.stderr) == (0, "")
    assert r"duplicate (a\nb\t\udcff.txt:1, " in done.stdout
    assert r"c\nd written in" in done.stdout
    rows = (tmp_path / "c\nd" / "dropped.tsv").read_text(encoding="utf-8").splitlines()
    assert {row.count("\t") for row in rows} == {3}
    looked = s2s_here(tmp_path, "inspect", "c\nd").stdout.splitlines()
    assert looked[0].startswith(r"c\nd: en to de")
    assert looked[1].endswith(r"from deu.txt, a\nb\t\udcff.txt")


TEXT = "".join(line + "\n" for line in LINES)
FORMS = {
    "nfd": unicodedata.normalize("NFD", TEXT).encode("utf-8"),
    "columns": TEXT.replace("\n", "\tCC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)\n").encode("utf-8"),
    "latin_1": TEXT.encode("latin-1"),
}
OPTIONS = {"latin_1": ["--encoding", "latin-1"]}


def check_same(done: Done, out: Path, home: Path) -> None:
    assert "languages   en to de" in succeeded(done).stdout
    ours, theirs = (contents(folder) | {MANIFEST: b""} for folder in (out, home / "data" / "prepared"))
    assert ours == theirs


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_of_a_file_prepare_to_the_same_bytes(home: Path, tmp_path: Path, form: str) -> None:
    (tmp_path / "deu.txt").write_bytes(FORMS[form])
    done = s2s_prepare(tmp_path, "deu.txt", *OPTIONS.get(form, []), "--out", "out")

    check_same(done, tmp_path / "out", home)
    assert ("more than two columns in 200 lines" in done.stdout) == (form == "columns")
    assert "--data out" in done.stdout


def test_swapped_columns_have_the_same_pairs(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "deu.txt", ["\t".join(reversed(line.split("\t"))) for line in LINES])
    done = s2s_prepare(tmp_path, "deu.txt", "--swap", "--languages", "de-en", "--out", "out")

    assert "languages   en to de" in done.stdout
    ours, theirs = (
        sorted(pair for split in SPLITS for pair in PreparedCorpus.open(folder).sentences(split))
        for folder in (tmp_path / "out", home / "data" / "prepared")
    )
    assert ours == theirs != []


def test_standard_input_and_aligned_files_prepare_to_the_same_bytes(home: Path, tmp_path: Path) -> None:
    flowing = s2s_here(tmp_path, "prepare", "-", "--languages", "en-de", "--out", "flow", text=TEXT)
    check_same(flowing, tmp_path / "flow", home)
    for side, name in enumerate(("a.en", "a.de")):
        (tmp_path / name).write_text("\n".join(line.split("\t")[side] for line in LINES), encoding="utf-8")
    check_same(s2s_prepare(tmp_path, "--src", "a.en", "--tgt", "a.de", "--out", "two"), tmp_path / "two", home)


def test_given_splits(tmp_path: Path) -> None:
    write(tmp_path / "new.txt", LINES[:60])
    write(tmp_path / "valid.txt", LINES[50:55])
    write(tmp_path / "test.txt", ["Tom swam.\tTom schwamm."])
    done = succeeded(s2s_prepare(tmp_path, "new.txt", "--valid", "valid.txt", "--test", "test.txt"))

    said = [line.split() for line in done.stdout.splitlines()]
    assert all(line in said for line in (["train", "55", "55"], ["valid", "5", "5"], ["test", "1", "1"]))
    assert "5  in valid (new.txt:51, new.txt:52, new.txt:53, ...)" in done.stdout


def test_what_helps_is_in_parts_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "deu.txt", LINES)
    write(tmp_path / "fra.txt", ["Maria sang a song.\tMarie a chanté.", "She slept well.\tElle a bien dormi."])
    write(tmp_path / "words.tsv", ["cat\tKatze", "dog\tHund"])
    write(tmp_path / "german.txt", ["Die Sonne scheint heute.", "Wir gehen nach Hause."])
    options = ("--related", "fra.txt:en-fr", "--dictionary", "words.tsv", "--tgt-only", "german.txt")
    done = succeeded(s2s_prepare(tmp_path, "deu.txt", *options))

    assert "fra.txt: read as English to French (en-fr)" in done.stderr
    said = [" ".join(line.split()) for line in done.stdout.splitlines()]
    of_valid = "% of the neighbouring units in valid that train lacks"
    assert "dictionary 2 2" in said
    [related, text] = [line for line in said if line.endswith(of_valid)]
    assert related.startswith("related 2 2 ")
    assert text.startswith("tgt_only 2 2 ")
    [used] = [line for line in said if line.startswith("to train on: ")]
    assert "with the help of 2 dictionary (2 related and 2 tgt_only for the vocabulary alone)" in used
    assert s2s_prepare(tmp_path, "deu.txt", *options).stdout.startswith("data/prepared is up to date")
    refused(s2s_prepare(tmp_path, "deu.txt", *options[2:]), "from other files or other content", "--overwrite", "--out")


def test_dropped_lines_are_reported(home: Path) -> None:
    write(home / "dropped.txt", [*LINES, "no tab", "", LINES[0]])
    done = succeeded(s2s_prepare(home, "dropped.txt", "--out", "dropped", "--set", "text.src.lowercase=false"))

    said = [line.split()[1:] for line in done.stdout.splitlines()]
    for told in ("1 no tab (dropped.txt:201)", "1 blank line (dropped.txt:202)", "1 duplicate (dropped.txt:203)"):
        assert told.split() in said


@pytest.mark.parametrize(
    ("content_", "arguments", "message"),
    [
        (None, [], "bad.txt: no such file"),
        (b"", [], "bad.txt: the file is empty"),
        (b"Hi.\tHallo.\nRun!\tGr\xfc\xdf\n", [], "bad.txt:2: byte 0xfc is not utf-8"),
        (b"Hi.\tHallo.\nRun!\n", [], "bad.txt:2: the line has no tab"),
        (b"Hi.\tHallo.\n", ["--encoding", "utf-88"], "encoding: unknown encoding 'utf-88'"),
        (b"Hi.\tHallo.\n", ["--src", "a.en"], "1 times --src and 0 times --tgt"),
        (b"Hi.\tHallo.\n", ["--valid", "-", "--test", "-"], "'-' (standard input) is given more than once"),
        (b"Hi.\tHallo.\n", ["--related", "pairs.txt:xxxx-de"], "pairs.txt:xxxx-de: no such file"),
        (b"Hi.\tHallo.\n", ["--limit", "0"], "'--limit'"),
        (b"Hi.\tHallo.\n", ["--out", "x" * 300], "File name too long: choose another folder with --out"),
        (b"Hi you.\tHo.\n", ["--set", "data.max_tokens=1"], "training (1 too long): give more pairs or raise data"),
        (b"Hi.\tHallo.\n", ["--config", "no_such_config"], "no_such_config"),
    ],
)
def test_bad_input_is_one_line_exit_code_2_and_nothing_written(
    tmp_path: Path, content_: bytes | None, arguments: list[str], message: str
) -> None:
    if content_ is not None:
        (tmp_path / "bad.txt").write_bytes(content_)
    before = set(tmp_path.iterdir())
    refused(s2s_prepare(tmp_path, "bad.txt", *arguments), message)
    assert set(tmp_path.iterdir()) == before


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(
    ("number", "code", "leftovers"), [(signal.SIGINT, 130, 0), (signal.SIGKILL, -9, 1)], ids=["SIGINT", "SIGKILL"]
)
def test_stopped_in_the_middle_it_leaves_nothing_that_looks_finished(
    tmp_path: Path, number: signal.Signals, code: int, leftovers: int
) -> None:
    # Enough for worker processes, and for more than one look at the folder.
    write(tmp_path / "deu.txt", [f"{line}{n}" for n in range(240) for line in LINES])
    arguments = ("deu.txt", "--out", "out", "--set", "text.unit=character")
    process = subprocess.Popen([*S2S, "prepare", *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    scratch = tmp_path / "out/.unfinished/new/scratch"
    wait_until(lambda: any(path.stat().st_size for path in scratch.glob("*.numbers")), of=process)
    process.send_signal(number)
    _, said = process.communicate()

    assert process.returncode == code
    assert ("nothing was written to out" in said) == (number != signal.SIGKILL)
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.glob("out/*")] == [".unfinished"] * leftovers
    succeeded(s2s_prepare(tmp_path, *arguments, "--limit", "50"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deu.txt", "out"]
