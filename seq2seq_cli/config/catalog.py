"""Configs by name: in the working directory, in its ``configs`` folder, and shipped with s2s."""

from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from seq2seq_cli.errors import ConfigError, unreadable
from seq2seq_cli.files.reading import read_whole

_PACKAGE = Path(__file__).resolve().parent.parent
_MOST_BYTES = 100_000
"""The size of a config at most. The whole of one has a tenth of that; YAML is read at some 50 kB per second."""

GROUPS = (
    "To begin with",
    "Bahdanau's decoder: attend, then the RNN",
    "Luong's decoder: the RNN, then attend",
    "A part of the source at a time",
    "Without attention",
    "Replications of the tutorials",
    "Replications of the papers, too large for a laptop",
)
"""The headings that the shipped configs are listed under; each file names its own in a comment, ``# Group: ...``."""


class CatalogEntry(NamedTuple):
    """A shipped config."""

    name: str
    """The name to give."""
    description: str
    """The first comment line of the file."""
    group: str


def find_config(name: str) -> Path:
    """The file of a config, given by its path or its name; raises ConfigError, with similar names, where there is none.

    A name, such as ``luong_dot`` or ``papers/luong2015``, is looked up in the working directory, in ``./configs``, then
    among the shipped configs; ``.yaml`` may be left out. An empty file is passed over: it may be the one that ``s2s
    configs show NAME > NAME.yaml`` is about to fill.
    """
    for folder in (Path(), Path("configs"), shipped_folder()):
        for path in (folder / name, folder / f"{name}.yaml"):
            if path.is_file() and path.stat().st_size:
                return path
    if Path(name).name != name or Path(name).is_file():
        raise ConfigError(f"{name}: no such config file, or an empty one")
    known = {Path(entry.name).stem: entry.name for entry in list_configs()}
    near = [known[stem] for stem in get_close_matches(Path(name).stem.lower(), known, n=3)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known.values())}"
    raise ConfigError(f"no config is named '{name}'; {hint}")


def list_configs() -> list[CatalogEntry]:
    """The shipped configs by group."""
    shipped, entries = shipped_folder(), []
    for path in sorted(shipped.rglob("*.yaml")):
        name, text = path.relative_to(shipped).with_suffix("").as_posix(), read_config_text(path)
        group = next((group for group in GROUPS if f"\n# Group: {group}\n" in text), GROUPS[-1])
        entries.append(CatalogEntry(name, describe_config(text), group))
    return sorted(entries, key=lambda entry: GROUPS.index(entry.group))


def read_config_text(path: Path) -> str:
    """The text of a config; raises ConfigError when it cannot be opened, is too large, or is not UTF-8."""
    try:
        return read_whole(path, most=_MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from error
    except UnicodeDecodeError as error:
        *above, before = error.object[: error.start].decode("utf-8").split("\n")
        where = f"{path}:{len(above) + 1}:{len(before) + 1}"
        byte = error.object[error.start]
        raise ConfigError(f"{where}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8") from error


def describe_config(text: str) -> str:
    """The first comment line of a config; empty when it has none."""
    comments = (line for line in text.splitlines() if line.startswith("#"))
    return next(comments, "").lstrip("# ").strip()


def shipped_folder() -> Path:
    """The folder of the shipped configs: inside an installed package, beside it in a source tree."""
    installed = _PACKAGE / "configs"
    return installed if installed.is_dir() else _PACKAGE.parent / "configs"
