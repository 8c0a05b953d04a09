"""The effect of the output layer's first weights on attention.

    python -m benchmarks.quality.first_weights --data FOLDER

Each config trains for 500 updates with each standard deviation of the output layer's weights. The table has, for some
of the updates: the mean cosine of two queries of a batch (1: all point the same way), the entropy of the attention
weights relative to the entropy of even ones, the norm of the gradient that reaches the memory, and the loss.
"""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from benchmarks import parser_of
from benchmarks.figures import markdown_table
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import S2SError
from seq2seq_cli.learning.training_state import fresh_state
from seq2seq_cli.model.attention.attention import Attended
from seq2seq_cli.model.build import build_model
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.loop import TrainingLoop
from seq2seq_cli.training.resolve import resolve_config

if TYPE_CHECKING:
    from seq2seq_cli.model.state import Memory

CONFIGS = ("luong_general", "luong_dot", "luong_concat_paper", "luong_feed", "luong_local_p", "rnnsearch", "bahdanau")
DEVIATIONS = ("null", "0.1", "0.2")
ADAM = (
    *("training.optimiser=adam", "training.lr=4e-3", "training.weight_decay=0", "training.warmup_steps=200"),
    *("training.batch_size=768", "training.sampled_words=null"),
)
"""The training of the figures in docs/mechanisms.md."""
SHOWN = (10, 100, 500)
_NEAR = 10
"""Updates before each shown one that its figures are the means of."""
_QUERIES = 200
"""Queries of a batch whose cosines are computed."""


class Figures(NamedTuple):
    """The figures of an update."""

    cosine: float
    entropy: float
    gradient: float
    """In units of 10^-4 per target token."""
    loss: float


class Watch:
    """What the attention of a model did since the last update."""

    def __init__(self, attention: nn.Module) -> None:
        self._memories: set[int] = set()
        self._queries: list[Tensor] = []
        self._entropies: list[Tensor] = []
        self._squares = 0.0
        attention.register_forward_hook(self._see)

    def take(self, step: Step) -> Figures:
        """The figures of an update, with which the next one begins."""
        queries = nn.functional.normalize(torch.cat(self._queries), dim=1)
        chosen = queries[torch.randperm(len(queries))[:_QUERIES]]
        cosines = chosen @ chosen.T
        figures = Figures(
            cosine=float((cosines.sum() - len(chosen)) / (len(chosen) * (len(chosen) - 1))),
            entropy=float(torch.cat(self._entropies).mean()),
            gradient=1e4 * self._squares**0.5 / step.tokens,
            loss=step.loss,
        )
        self._memories, self._queries, self._entropies, self._squares = set(), [], [], 0.0
        return figures

    def _see(self, _: nn.Module, inputs: tuple[Any, ...], attended: Attended) -> None:
        query: Tensor = inputs[0]
        memory: Memory = inputs[1]
        if not memory.states.requires_grad:  # in a validation
            return
        if id(memory) not in self._memories:
            self._memories.add(id(memory))
            memory.states.register_hook(self._add_gradient)  # type: ignore[no-untyped-call]
        weights, lengths = attended.weights.detach(), memory.mask.sum(1, keepdim=True)
        self._queries.append(query.detach().flatten(0, 1))
        entropy = torch.special.entr(weights).sum(2) / lengths.clamp_min(2).log()
        self._entropies.append(entropy.flatten())

    def _add_gradient(self, gradient: Tensor) -> None:
        self._squares += float(gradient.square().sum())


def main() -> None:
    """Parse, train, print."""
    parser = parser_of("quality.first_weights", __doc__)
    parser.add_argument("--data", type=Path, default=Path("data/prepared"), metavar="FOLDER", help="prepared folder")
    parser.add_argument("--only", nargs="+", default=CONFIGS, metavar="NAME", help="configs; default most")
    options = parser.parse_args()
    try:
        corpus = PreparedCorpus.open(options.data)
        rows = [row(corpus, name, deviation) for name in options.only for deviation in DEVIATIONS]
    except S2SError as error:
        sys.exit(f"benchmarks.quality.first_weights: {error}")
    shown = [f"{kind} {number}" for kind in ("cosine", "entropy", "gradient", "loss") for number in SHOWN]
    print("\n".join(markdown_table(["config", "deviation", *shown], rows)))


def row(corpus: PreparedCorpus, name: str, deviation: str) -> list[str]:
    """The figures of a config with one deviation, as cells."""
    all_figures = list(islice(training(corpus, name, deviation), max(SHOWN)))
    near = [all_figures[number - _NEAR : number] for number in SHOWN]
    means = [[mean(values) for values in zip(*figures, strict=True)] for figures in near]
    return [name, deviation, *(f"{each[kind]:.2f}" for kind in range(len(Figures._fields)) for each in means)]


def training(corpus: PreparedCorpus, name: str, deviation: str) -> Iterator[Figures]:
    """The figures of each update of a run without end."""
    overrides = [*ADAM, "training.epochs=1000000", "training.max_minutes=null"]
    overrides += ["training.precision=fp32", "training.device=cpu"]
    overrides.append(f"model.initialisation.output_std={deviation}")
    config = resolve_config(load_config(name, overrides), corpus)
    torch.manual_seed(config.training.seed)
    sizes = {"src_size": len(corpus.codec("src").vocabulary), "tgt_size": len(corpus.codec("tgt").vocabulary)}
    state = fresh_state(build_model(config.model, **sizes), config.training, "fp32")
    watch = Watch(state.model.decoder.attention)
    for event in TrainingLoop(state, corpus, config):
        if isinstance(event, Step):
            yield watch.take(event)


if __name__ == "__main__":
    main()
