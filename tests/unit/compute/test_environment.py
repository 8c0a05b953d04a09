"""Environment variables that s2s sets before torch and numpy are imported."""

import os

import pytest

from seq2seq_cli.compute.process import prepare_environment

VARIABLES = ("GOMP_SPINCOUNT", "LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "OPENBLAS_NUM_THREADS")


@pytest.fixture(autouse=True)
def unset_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """An x86 machine on which none of the variables is set."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    for variable in (*VARIABLES, "OMP_WAIT_POLICY"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)


def test_variables_that_are_not_set_are_set_and_the_users_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLES[1], "7")
    prepare_environment()
    assert all(int(os.environ[variable]) > 0 for variable in VARIABLES)
    assert os.environ[VARIABLES[1]] == "7"


def test_the_wait_policy_of_the_user_is_not_overridden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    prepare_environment()
    assert "GOMP_SPINCOUNT" not in os.environ


def test_on_other_machines_cache_and_numpys_threads_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    prepare_environment()
    assert not {"LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "OPENBLAS_NUM_THREADS"} & os.environ.keys()
