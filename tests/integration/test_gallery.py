"""``make gallery`` with tiny settings: models are trained, scored and drawn, none of them twice."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMALL = [
    *(f"model.{side}.{size}=8" for side in ("encoder", "decoder") for size in ("hidden_size", "embedding_size")),
    "training.epochs=1",
    "training.device=cpu",
]


def gallery(folder: Path, *arguments: str, returncode: int = 0) -> str:
    command = [sys.executable, "-m", "benchmarks.gallery", "--work", str(folder / "work"), *arguments]
    command += ["--page", str(folder / "page.md"), "--pairs", str(folder / "pairs.txt"), "--seconds", "0.1"]
    for setting in SMALL:
        command += ["--set", setting]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == returncode, done.stderr
    return done.stderr


def test_it_fills_the_page_and_continues_where_it_stopped(tmp_path: Path) -> None:
    pairs = "".join(f"Tom saw {n} cats.\tTom sah {n} Katzen.\n" for n in range(100))
    (tmp_path / "pairs.txt").write_text(pairs, encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "Before.\n\n<!-- gallery of pairs -->\n<!-- end of gallery of pairs -->\n\nAfter.\n", encoding="utf-8"
    )

    gallery(tmp_path, "--only", "luong_dot")
    printed = gallery(tmp_path, "--only", "luong_dot", "no_attention")

    assert "no_attention: " in printed
    assert "luong_dot: " not in printed
    text = page.read_text(encoding="utf-8")
    rows = [row.split("|")[1:-1] for row in re.findall(r"^\| `.*$", text, flags=re.MULTILINE)]
    assert [row[0].strip() for row in rows] == ["`luong_dot`", "`no_attention`"]
    assert all(int(row[1].replace(",", "")) > 0 and int(row[2].replace(",", "")) > 0 for row in rows)
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    # A model without attention has nothing to draw.
    assert re.findall(r"\]\((page/\w+\.png)\)", text) == ["page/luong_dot.png"]
    assert (tmp_path / "page" / "luong_dot.png").stat().st_size > 1000

    # The folder does not hold the results of other settings or other pairs.
    assert "another folder with --work" in gallery(tmp_path, "--set", "training.lr=1e-2", returncode=1)
    (tmp_path / "pairs.txt").write_text(pairs + "Go.\tGeh.\n", encoding="utf-8")
    assert "another folder with --work" in gallery(tmp_path, returncode=1)
    (tmp_path / "pairs.txt").unlink()
    assert re.fullmatch(r"benchmarks\.gallery: .*pairs\.txt: no such file.*\n", gallery(tmp_path, returncode=1))
    assert page.read_text(encoding="utf-8") == text
