"""The training of a config as by ``s2s train``, and its translations of the test split, as it is and dressed."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.robustness.figures import Figures
from benchmarks.robustness.measure import Translations, dressed_split, measure
from seq2seq_cli.config.loader import load_config, overridden_keys
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet, translate_set
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.training.plan import BASE, Options, Plan
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import run_events
from seq2seq_cli.training.speed import measure_budget


def train(name: str, run: Path, corpus: PreparedCorpus, overrides: Sequence[str]) -> tuple[list[Run], float | None]:
    """Train a config, or ``dial:6`` for six minutes, into the folder `run`, anew; on the CPU, unless overridden.

    Returns the models that translate together, and the speed that the dial has measured, None for a config.
    """
    name, _, minutes = name.partition(":")
    overrides, speed = ["training.device=cpu", *overrides], None
    stated = overridden_keys(overrides)
    if minutes:
        name = BASE
        config = load_config(name, overrides)
        count = config.training.members if "training.members" in stated else None
        budget = measure_budget(resolve_config(config, corpus), corpus, float(minutes), count)
        overrides, speed = [*budget.overrides, *overrides], budget.tokens_per_second
    with ExitStack() as locks:
        config = resolve_config(load_config(name, overrides), corpus)
        plan = Plan(path=run, config=config, overwrite=True, stated=stated)
        for _ in run_events(Options(), (plan, corpus), locks):
            pass
    return [Run.read(member.path) for member in RunFolder(run).members], speed


def translate_test(run: Path, corpus: PreparedCorpus) -> tuple[dict[str, str], float | None]:
    """The translations of the test split by their sources, and the sentences per second."""
    output = translate_set(run.name, load(run).translator, EvaluationSet.of_split(corpus, "test"))
    return output.texts, output.sentences_per_second


def measure_robustness(run: Path, corpus: PreparedCorpus) -> dict[str, Figures]:
    """The figures of the test split in other dresses, by the name of the dress."""
    dresses = dressed_split(corpus, "test")
    return measure(dresses, Translations(load(run).translate), corpus.manifest.text.tgt.language)
