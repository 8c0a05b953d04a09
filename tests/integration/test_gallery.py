"""``make gallery`` with tiny settings: models are trained, scored and drawn, none of them twice."""

import re
from pathlib import Path

import pytest

from tests.commands import SMALL, settings
from tests.forks import Forked

ROOT = Path(__file__).resolve().parents[2]


def gallery(folder: Path, *arguments: str, returncode: int = 0) -> str:
    command = ["--work", str(folder / "work"), "--page", str(folder / "page.md")]
    command += ["--pairs", str(folder / "pairs.txt"), *arguments]
    command += settings(*SMALL, "training.epochs=1", "training.device=cpu")
    done = Forked(ROOT, *command, module="benchmarks.gallery.__main__").done()
    assert done.returncode == returncode, done.stderr
    return done.stderr


@pytest.mark.slow
def test_it_fills_the_page_and_continues_where_it_stopped(tmp_path: Path) -> None:
    pairs = "".join(f"Tom saw {n} cats.\tTom sah {n} Katzen.\n" for n in range(100))
    (tmp_path / "pairs.txt").write_text(pairs, encoding="utf-8")
    (tmp_path / "links.txt").write_text("0-0 1-1 2-2 3-3 4-4\n" * 100, encoding="utf-8")
    links = ("--alignment", str(tmp_path / "links.txt"))
    page = tmp_path / "page.md"
    page.write_text(
        "Before.\n\n<!-- gallery of pairs -->\n<!-- end of gallery of pairs -->\n\nAfter.\n", encoding="utf-8"
    )

    gallery(tmp_path, *links, "--only", "luong_location", "--no-page")
    assert "| `" not in page.read_text(encoding="utf-8")
    gallery(tmp_path, *links, "--only", "luong_location", "no_attention", "--no-training")
    assert re.findall(r"^\| `(\w+)`", page.read_text(encoding="utf-8"), flags=re.MULTILINE) == ["luong_location"]
    printed = gallery(tmp_path, *links, "--only", "luong_location", "no_attention", "--seeds", "2")

    assert [line.split(":")[0] for line in printed.splitlines()] == [
        "luong_location, seed 2",
        "no_attention, seed 1",
        "no_attention, seed 2",
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
    assert "another folder with --work" in gallery(tmp_path, *links, "--set", "training.lr=1e-2", returncode=1)
    (tmp_path / "pairs.txt").write_text(pairs + "Go.\tGeh.\n", encoding="utf-8")
    assert "another folder with --work" in gallery(tmp_path, *links, returncode=1)
    (tmp_path / "pairs.txt").unlink()
    assert re.fullmatch(r"benchmarks\.gallery: .*pairs\.txt: no such file.*\n", gallery(tmp_path, returncode=1))
    assert page.read_text(encoding="utf-8") == text
