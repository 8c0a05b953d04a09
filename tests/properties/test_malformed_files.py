"""Malformed pair files: ``s2s prepare`` makes a sound corpus from them, or says in one line why it cannot."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.text.characters import normalise
from tests.commands import S2S, s2s_here
from tests.properties.test_pair_files import contents, damaged, packings, plain

MOST_MEMORY = 1_000_000_000
MEGABYTE = 1_000_000

GOOD = "".join(f"Zoë has {number} cats.\tZoë hat {number} Kätzchen.\n" for number in range(60)).encode()
MORE = GOOD.replace(b"cats", b"dogs")


def utf_16(content: bytes) -> bytes:
    return content.decode("utf-8", "replace").encode("utf-16")


@st.composite
def spoilt(draw: st.DrawFn) -> bytes:
    """A good file with bad bytes inserted, perhaps packed, perhaps truncated."""
    content = bytearray(GOOD)
    poison = contents | st.integers(90_000, 120_000).map(lambda size: b"x" * size)
    for place, bad in draw(st.lists(st.tuples(st.integers(0, len(GOOD)), poison), max_size=3)):
        content[place:place] = bad
    packed = draw(packings | st.sampled_from([plain, utf_16]))(bytes(content))
    return packed[: draw(st.none() | st.integers(0, len(packed)))]


def check(folder: Path, code: int, said: str) -> None:
    """Check that there is either a sound corpus, or one line that says why not."""
    lines = said.splitlines()
    prepared = folder / "prepared"
    if code:
        assert code == 2
        assert len(lines) == 1
        assert lines[0].startswith("s2s: error: ")
        assert os.listdir(folder) == ["pairs"]  # noqa: PTH208
        return
    assert all(line.startswith("s2s: ") for line in lines)
    corpus = PreparedCorpus.open(prepared)
    corpus.verify()
    texts = [text for split in ("train", "valid", "test") for pair in corpus.sentences(split) for text in pair]
    assert texts
    assert all(text and normalise(text) == text for text in texts)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])  # make fuzz reads thousands
@given(content=contents | damaged() | spoilt(), unit=st.sampled_from(["word", "character"]))
def test_a_malformed_file_gives_a_sound_corpus_or_one_line(content: bytes, unit: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pairs").write_bytes(content)
        done = s2s_here(folder, "prepare", "pairs", "--out", "prepared", f"--set=text.unit={unit}")
        check(folder, done.returncode, done.stderr)


LARGE: dict[str, tuple[int, Callable[[], bytes]]] = {
    "one line among pairs": (0, lambda: GOOD + b"x y " * (25 * MEGABYTE // 2) + b"\tx\n" + MORE),
    "zeros": (2, lambda: bytes(50 * MEGABYTE)),
    "empty lines among pairs": (0, lambda: GOOD + b"\n" * 300_000 + MORE),
}


# A process inherits the peak memory of the one that starts it, and a test has a high one: start from a small one.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no getrusage")
@pytest.mark.parametrize(
    ("expected", "content"),
    [pytest.param(*case, marks=pytest.mark.slow if name == "zeros" else (), id=name) for name, case in LARGE.items()],
)
def test_a_large_malformed_file_takes_less_than_a_gigabyte(
    tmp_path: Path, expected: int, content: Callable[[], bytes]
) -> None:
    (tmp_path / "pairs").write_bytes(content())
    command = [sys.executable, "-c", MEASURE, *S2S, "prepare", "pairs", "--out", "prepared"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == expected, done.stderr
    check(tmp_path, done.returncode, done.stderr)
    assert int(done.stdout) * (1 if sys.platform == "darwin" else 1024) < MOST_MEMORY
