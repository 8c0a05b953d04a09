"""The programs of ``benchmarks`` with tiny settings: ``make bench``, ``gallery`` and ``kills``, and that of a GPU."""

import re
import sys
from pathlib import Path

import pytest

from benchmarks import gpu
from benchmarks.models import DECODERS
from benchmarks.speed.training import LOOP
from tests.commands import SMALL, settings
from tests.forks import Done, Forked
from tests.pretend_device import pretended_gpu

ROOT = Path(__file__).resolve().parents[2]
PAIRS = "".join(f"Tom saw {n} cats.\tTom sah {n} Katzen.\n" for n in range(100))
PREPARED = (
    *(
        name + figure
        for name in ("s2s prepare", "s2s prepare, words", "s2s prepare, 10 times the file")
        for figure in ("", ", CPU", ", largest process")
    ),
    "time for 10 times the file",
    "memory for 10 times the file",
)
TRAINED = (
    *(f"training, {name}" for name in (*DECODERS, LOOP)),
    *(f"{name} over {LOOP}" for name in DECODERS),
    *(f"training, {name}, memory" for name in (*DECODERS, LOOP)),
)


def run(module: str, *arguments: str, returncode: int = 0, timeout: float = 200) -> Done:
    done = Forked(ROOT, *arguments, module=f"benchmarks.{module}").done(timeout)
    assert done.returncode == returncode, done.stdout + done.stderr
    return done


def figures(printed: str) -> dict[str, float]:
    """The medians of the table by their names."""
    rows = (re.fullmatch(r" *(.+?)  +([\d.,e+]+)(?: .*)?", line) for line in printed.splitlines()[3:])
    return {row[1]: float(row[2].replace(",", "")) for row in rows if row}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="measures processes by wait4")
def test_all_figures_of_preparing_and_training_are_printed_and_plausible(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text(PAIRS, encoding="utf-8")
    options = ("--rounds", "1", "--seconds", "0.1", "--only", "prepare", "training")
    done = run("speed.__main__", "--pairs", str(pairs), *options, timeout=3600)
    values = figures(done.stdout)
    assert list(values) == [*PREPARED, *TRAINED]
    assert all(value > 0 for value in values.values())
    assert "missed" in done.stdout  # so small a training reaches no goal
    assert list(tmp_path.iterdir()) == [pairs]


@pytest.mark.slow
def test_the_gallery_fills_the_page_and_continues_where_it_stopped(tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text(PAIRS, encoding="utf-8")
    (tmp_path / "links.txt").write_text("0-0 1-1 2-2 3-3 4-4\n" * 100, encoding="utf-8")
    links = ("--alignment", str(tmp_path / "links.txt"))
    page = tmp_path / "page.md"
    empty = "<!-- gallery of pairs -->\n<!-- end of gallery of pairs -->"
    page.write_text(f"Before.\n\n{empty}\n\nAfter.\n", encoding="utf-8")

    def gallery(*options: str, returncode: int = 0) -> str:
        files = {"--work": "work", "--page": "page.md", "--pairs": "pairs.txt"}
        arguments = [f"{option}={tmp_path / name}" for option, name in files.items()]
        arguments += [*options, *settings(*SMALL, "training.epochs=1", "training.device=cpu")]
        return run("gallery.__main__", *arguments, returncode=returncode).stderr

    gallery(*links, "--only", "luong_location", "--no-page")
    assert "| `" not in page.read_text(encoding="utf-8")
    gallery(*links, "--only", "luong_location", "no_attention", "--no-training")
    assert re.findall(r"^\| `(\w+)`", page.read_text(encoding="utf-8"), flags=re.MULTILINE) == ["luong_location"]
    told = gallery(*links, "--only", "luong_location", "no_attention", "--seeds", "2")

    assert [line.split(":")[0] for line in told.splitlines()] == [
        *("luong_location, seed 2", "no_attention, seed 1", "no_attention, seed 2")
    ]
    text = page.read_text(encoding="utf-8")
    models = [row.split("|")[1:-1] for row in re.findall(r"^\| `.*$", text, flags=re.MULTILINE)]
    assert [row[0].strip() for row in models] == ["`luong_location`", "`no_attention`"]
    assert all(int(row[1].replace(",", "")) > 0 for row in models)
    # Without attention there are no figures of it; the rest has its mean and spread over the seeds.
    assert [bool(cell.strip()) for cell in models[1][-3:]] == [False, False, False]
    assert re.fullmatch(r" \d\.\d{3} ± \d\.\d{3} ", models[0][-3])
    [claim] = re.findall(r"^\| attention by place.*$", text, flags=re.MULTILINE)
    assert re.search(r"\| [+-]\d+\.\d ± \d+\.\d \|$", claim)
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    # A model without attention has nothing to draw.
    assert sorted(file.name for file in (tmp_path / "page").iterdir()) == ["entropy.png", "luong_location.png"]

    # The folder does not hold the results of other settings or other pairs.
    assert "another folder with --work" in gallery(*links, "--set", "training.lr=1e-2", returncode=1)
    (tmp_path / "pairs.txt").write_text(f"{PAIRS}Go.\tGeh.\n", encoding="utf-8")
    assert "another folder with --work" in gallery(*links, returncode=1)
    (tmp_path / "pairs.txt").unlink()
    assert re.fullmatch(r"benchmarks\.gallery: .*pairs\.txt: no such file.*\n", gallery(returncode=1))
    assert page.read_text(encoding="utf-8") == text


def write_sample(folder: Path, lines: slice) -> str:
    """Lines of the sample as a file of pairs."""
    sample = (ROOT / "data" / "sample.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "sample.txt").write_text("".join(sample[lines]), encoding="utf-8")
    return str(folder / "sample.txt")


@pytest.mark.skipif(sys.platform == "win32", reason="forks processes")
def test_killed_and_resumed_equals_never_killed(tmp_path: Path) -> None:
    done = run("reliability.kills", "--kills", "3", "--pairs", write_sample(tmp_path, slice(150)))
    assert done.stdout.splitlines()[-1].startswith("3 kills, ")
    assert done.stderr == ""


def test_a_gpu_is_compared_with_the_cpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "CONFIGS", ["luong_dot"])
    monkeypatch.setattr(gpu, "UPDATES", 2)
    monkeypatch.setattr(gpu, "_SENTENCES", 20)
    with pretended_gpu():
        assert gpu.main(["--pairs", write_sample(tmp_path, slice(None, None, 12)), "--seconds", "0.01"]) == 0
    printed = capsys.readouterr().out
    assert "DIFFERENT" not in printed
    assert printed.count("the same") == 2
    assert printed.count("| luong_dot") == 5
