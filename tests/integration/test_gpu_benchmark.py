"""``python -m benchmarks.gpu``, on a pretended GPU."""

import pytest

from benchmarks import gpu
from tests.learning.conftest import DATA
from tests.pretend_device import pretended_gpu


def test_it_compares_the_devices(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "CONFIGS", ["luong_dot"])
    monkeypatch.setattr(gpu, "UPDATES", 2)
    with pretended_gpu():
        assert gpu.main(["--pairs", str(DATA / "sample.txt"), "--seconds", "0.01"]) == 0
    printed = capsys.readouterr().out
    assert "DIFFERENT" not in printed
    assert printed.count("the same") == 2
    assert printed.count("| luong_dot") == 5
