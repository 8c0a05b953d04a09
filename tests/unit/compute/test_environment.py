import os

import pytest

from seq2seq_cli.compute.environment import prepare_environment

VARIABLES = ("GOMP_SPINCOUNT", "LRU_CACHE_CAPACITY")


@pytest.fixture(autouse=True)
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is set, what the test sets is taken back, and the machine is an x86."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    for variable in (*VARIABLES, "OMP_WAIT_POLICY"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)


def test_what_nobody_has_told_is_told() -> None:
    prepare_environment()
    assert all(int(os.environ[variable]) > 0 for variable in VARIABLES)


@pytest.mark.parametrize("variable", VARIABLES)
def test_what_the_user_has_told_stays(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "7")
    prepare_environment()
    assert os.environ[variable] == "7"


def test_who_says_how_threads_wait_is_not_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    prepare_environment()
    assert "GOMP_SPINCOUNT" not in os.environ


def test_the_caches_of_other_machines_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    prepare_environment()
    assert "LRU_CACHE_CAPACITY" not in os.environ
