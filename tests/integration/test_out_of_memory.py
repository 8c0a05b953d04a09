"""A command that runs out of memory says so in one line, whichever library notices it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpora import pair_lines
from tests.untrained import make_run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit of the address space is Linux's")

LIMITED = """
import resource, sys
from pathlib import Path

def limit(event, arguments):
    # From when this file is first opened, {megabytes} MB more can be had.
    is_limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    if event == "open" and str(arguments[0]).endswith({file!r}) and not is_limited:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + {megabytes} * 2**20,) * 2)

# Python may import for ever where memory is short: what is imported late is imported before.
import langcodes
langcodes.Language.get("en").display_name()
sys.addaudithook(limit)
sys.argv[0] = "s2s"
from seq2seq_cli.cli.program import main
main()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, exported, and with files of texts and pairs."""
    from seq2seq_cli.decoding.load import load

    folder = tmp_path_factory.mktemp("home")
    load(make_run(folder / "run").path)
    (folder / "texts.txt").write_text("".join(f"{word} the dog .\n" for word in range(20_000)), encoding="utf-8")
    (folder / "pairs.txt").write_text("\n".join(pair_lines(20_000)), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "file", "megabytes"),
    [
        (("translate", "--model", "run", "--threads", "1", "--input", "texts.txt"), "texts.txt", 1),
        (("translate", "--model", "run", "she saw him ."), "tgt.json", 2),
        (("score", "--model", "run", "texts.txt", "texts.txt"), "texts.txt", 1),
        # Without spaCy, whose import ends in errors of Python's own when memory is short.
        (("prepare", "pairs.txt", "--set", "text.unit=character"), "pairs.txt", 2),
        (("export", "run", "out"), "export.json", 30),
    ],
    ids=["translate", "load", "score", "prepare", "export"],
)
def test_a_lack_of_memory_is_one_line(home: Path, arguments: tuple[str, ...], file: str, megabytes: int) -> None:
    command = [sys.executable, "-c", LIMITED.format(file=file, megabytes=megabytes), *arguments]
    done = subprocess.run(command, cwd=home, capture_output=True, encoding="utf-8", check=False)
    (message,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert message.startswith("s2s: error: out of memory: free some")
    assert not list(home.glob("data/prepared/manifest.json"))
