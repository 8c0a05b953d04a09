"""The versions of what a report of a problem should name."""

import platform
from collections.abc import Iterator

from seq2seq_cli.version import __version__

_PACKAGES = ("torch", "onnxruntime", "spacy", "tokenizers", "numpy", "sacrebleu", "pydantic", "typer")
"""The distributions that decide what s2s does; they are not imported."""


def version_lines() -> Iterator[str]:
    """A line each for s2s, Python with the machine, and the packages."""
    from importlib.metadata import PackageNotFoundError, version

    yield f"s2s {__version__}"
    yield f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} {platform.machine()}"
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:  # the distribution that only translates has fewer
            yield f"{name} is not installed"
