"""s2s: train an attention translator from any file of sentence pairs, and use it.

The functions below are what the commands call; docs/python.md shows them at work. They are loaded when they are
first used: ``import seq2seq_cli`` loads neither torch nor spaCy nor numpy.
"""

from seq2seq_cli.version import __version__

# Nothing else is imported here: the entry point, which answers Ctrl-C, comes after this module. To a type checker this
# is the name in `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from seq2seq_cli.config.catalog import list_configs as configs
    from seq2seq_cli.decoding.export import export
    from seq2seq_cli.decoding.load import load
    from seq2seq_cli.evaluation.command import evaluate
    from seq2seq_cli.pairs.published import download
    from seq2seq_cli.preparation.pipeline import prepare
    from seq2seq_cli.training.start import compare, train

__all__ = ["__version__", "compare", "configs", "download", "evaluate", "export", "load", "prepare", "train"]

_HOMES = {
    "compare": ("seq2seq_cli.training.start", "compare"),
    "configs": ("seq2seq_cli.config.catalog", "list_configs"),
    "download": ("seq2seq_cli.pairs.published", "download"),
    "evaluate": ("seq2seq_cli.evaluation.command", "evaluate"),
    "export": ("seq2seq_cli.decoding.export", "export"),
    "load": ("seq2seq_cli.decoding.load", "load"),
    "prepare": ("seq2seq_cli.preparation.pipeline", "prepare"),
    "train": ("seq2seq_cli.training.start", "train"),
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'seq2seq_cli' has no attribute {name!r}")
    from importlib import import_module

    module, function = _HOMES[name]
    return getattr(import_module(module), function)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
