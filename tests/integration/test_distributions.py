"""The wheel and the source distribution: built, checked, and each used in an environment of its own.

No index is asked: the environments see the packages of this one, but not the package that is checked out.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import SMALL, settings
from tests.corpora import write_reversals

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
NO_INDEX = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet")


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints that must succeed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution of the repository, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    return folder


def test_the_distributions_are_in_order(built: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir(), folder=built)
    run(sys.executable, "-m", "check_wheel_contents", *built.glob("*.whl"), folder=built)


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_an_installed_distribution_prepares_trains_and_translates(built: Path, tmp_path: Path, kind: str) -> None:
    environment, home = tmp_path / "environment", tmp_path / "home"
    run(sys.executable, "-m", "venv", "--without-pip", environment, folder=tmp_path)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(scripts / "python", "-c", find, folder=tmp_path).strip())
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "shared.pth").write_text("\n".join(shared), encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--python", scripts / "python")
    run(*pip, "install", *NO_INDEX, *built.glob(kind), folder=tmp_path)
    home.mkdir()
    write_reversals(home / "pairs.txt")

    run(scripts / "s2s", "prepare", "pairs.txt", folder=home)
    run(scripts / "s2s", "train", "--config=luong_general", *settings(*SMALL, "training.epochs=1"), folder=home)
    assert run(scripts / "s2s", "translate", "one two", folder=home).count("\n") == 1

    where = run(scripts / "python", "-c", "import seq2seq_cli; print(seq2seq_cli.__file__)", folder=home)
    assert Path(where.strip()).is_relative_to(packages)
