"""Shapes in signatures are checked while the tests run."""

from jaxtyping import install_import_hook

install_import_hook(["seq2seq_cli.model", "seq2seq_cli.training", "seq2seq_cli.decoding"], "beartype.beartype")
