"""``python -m benchmarks.gpu``, on a pretended GPU."""

from pathlib import Path

import pytest

from benchmarks import gpu
from tests.learning.conftest import DATA
from tests.pretend_device import pretended_gpu


def test_it_compares_the_devices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (DATA / "sample.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "sample.txt").write_text("".join(lines[::12]), encoding="utf-8")
    monkeypatch.setattr(gpu, "CONFIGS", ["luong_dot"])
    monkeypatch.setattr(gpu, "UPDATES", 2)
    monkeypatch.setattr(gpu, "_SENTENCES", 20)
    with pretended_gpu():
        assert gpu.main(["--pairs", str(tmp_path / "sample.txt"), "--seconds", "0.01"]) == 0
    printed = capsys.readouterr().out
    assert "DIFFERENT" not in printed
    assert printed.count("the same") == 2
    assert printed.count("| luong_dot") == 5
