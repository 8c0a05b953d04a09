"""JoeyNMT, a small readable toolkit, set up to train a model of the same size on the same pairs.

It needs a folder whose virtual environment ``venv`` has JoeyNMT; benchmarks/README.md says how to make one.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.models import measured_config
from benchmarks.processes import output_of
from seq2seq_cli.config.schema.model import DecoderConfig, EncoderConfig
from seq2seq_cli.corpus.prepared import PreparedCorpus

BATCHES_PER_LINE = 5
_SPECIAL = {"unk": "<unk>", "pad": "<pad>", "bos": "<s>", "eos": "</s>"}
# One piece per line, special ones first, in the order of the ids.
_LEARN_PIECES = """
import sys, sentencepiece
folder, size = sys.argv[1:]
sentencepiece.SentencePieceTrainer.train(
    input=f"{folder}/train.src,{folder}/train.tgt", model_prefix=f"{folder}/pieces", vocab_size=int(size),
    hard_vocab_limit=False, character_coverage=1.0, unk_id=0, pad_id=1, bos_id=2, eos_id=3, minloglevel=2)
pieces = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/pieces.model")
with open(f"{folder}/vocabulary.txt", "w", encoding="utf-8") as file:
    file.writelines(pieces.id_to_piece(i) + "\\n" for i in range(pieces.get_piece_size()))
"""


@dataclass(frozen=True, kw_only=True)
class JoeyNMT:
    """The Python of JoeyNMT's environment, and the folder with its data and config."""

    python: Path
    folder: Path

    @classmethod
    def set_up(cls, home: Path, corpus: PreparedCorpus, folder: Path) -> "JoeyNMT":
        """Write the training pairs, a vocabulary learned from them and the config into `folder`, which is made anew.

        `home` holds ``venv``. Raises RuntimeError when JoeyNMT is missing or cannot learn a vocabulary.
        """
        # The link is not resolved: its target is the python without the environment.
        python = home.absolute() / "venv" / "bin" / "python"
        if not python.exists():
            raise RuntimeError(f"{python}: no such file; benchmarks/README.md says how to set up JoeyNMT")
        if folder.exists():  # of a run that was interrupted or failed
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        for side, name in enumerate(("src", "tgt")):
            lines = [pair[side] + "\n" for pair in corpus.sentences("train")]
            (folder / f"train.{name}").write_text("".join(lines), encoding="utf-8")
            # JoeyNMT requires a validation file, and never reaches a validation.
            (folder / f"valid.{name}").write_text("".join(lines[:10]), encoding="utf-8")
        size = str(len(corpus.codec("tgt").vocabulary))
        output_of([python, "-c", _LEARN_PIECES, folder, size], "JoeyNMT's vocabulary")
        (folder / "config.yaml").write_text(yaml.safe_dump(joeynmt_config(folder)), encoding="utf-8")
        return cls(python=python, folder=folder)

    def command(self, verb: str, *options: str) -> list[str]:
        """The command line of a verb of JoeyNMT, such as ``train``, with the config."""
        return [str(self.python), "-m", "joeynmt", verb, str(self.folder / "config.yaml"), *options]


def joeynmt_config(folder: Path) -> dict[str, object]:
    """The config of JoeyNMT for our model with input feeding, its only decoder, and its files in `folder`."""
    config = measured_config("Luong, input feeding")
    encoder, decoder, training = config.model.encoder, config.model.decoder, config.training
    # The plateau schedule of the release fails with today's torch.
    schedule = {"scheduling": "exponential", "decrease_factor": 0.97, "learning_rate_min": 1e-5}
    return {
        "name": "measured",
        "joeynmt_version": "2.3.0",
        "model_dir": str(folder / "run"),
        "use_cuda": training.device == "cuda",
        "fp16": False,
        "random_seed": training.seed,
        "data": {
            "train": str(folder / "train"),
            "dev": str(folder / "valid"),
            "dataset_type": "plain",
            "src": _side("src", config.data.max_tokens, folder),
            "trg": _side("tgt", config.data.max_tokens, folder),
            "special_symbols": _SPECIAL | {f"{name}_id": number for number, name in enumerate(_SPECIAL)},
        },
        "testing": {"beam_size": 1, "batch_size": 64, "batch_type": "sentence", "eval_metrics": ["bleu"]},
        "training": schedule
        | {
            "optimizer": training.optimiser,
            "learning_rate": training.lr,
            "clip_grad_norm": training.clip_norm,
            "weight_decay": training.weight_decay,
            "loss": "crossentropy",
            "label_smoothing": training.label_smoothing,
            "batch_size": training.batch_size,
            "batch_type": "sentence",
            "normalization": "tokens",
            "epochs": 1000,
            "validation_freq": 10**9,
            "logging_freq": BATCHES_PER_LINE,
            "early_stopping_metric": "bleu",
            "overwrite": True,
            "shuffle": True,
        },
        "model": {
            "initializer": "xavier_uniform",
            "bias_initializer": "zeros",
            "embed_initializer": "normal",
            "embed_init_weight": 0.06,
            "tied_embeddings": True,
            "tied_softmax": True,
            "encoder": _rnn(encoder) | {"bidirectional": encoder.directions == "joined"},
            "decoder": _rnn(decoder)
            | {"hidden_dropout": decoder.dropout, "input_feeding": True, "init_hidden": "bridge", "attention": "luong"},
        },
    }


def _side(name: str, longest: int, folder: Path) -> dict[str, object]:
    return {
        "lang": name,
        "max_length": longest,
        "lowercase": False,
        "normalize": False,
        "level": "bpe",
        "voc_file": str(folder / "vocabulary.txt"),
        "tokenizer_type": "sentencepiece",
        "tokenizer_cfg": {"model_file": str(folder / "pieces.model"), "pretokenizer": "none"},
    }


def _rnn(section: EncoderConfig | DecoderConfig) -> dict[str, object]:
    return {
        "type": "recurrent",
        "rnn_type": section.cell,
        "embeddings": {"embedding_dim": section.embedding_size, "scale": False},
        "hidden_size": section.hidden_size,
        "num_layers": section.layers,
        "dropout": section.dropout,
    }
