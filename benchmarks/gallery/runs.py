"""The runs of the gallery: each model trained on one task as by ``s2s train``, scored and drawn.

Results are kept in a folder, so that a gallery can be stopped and continued.
"""

import dataclasses
import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.models import is_for_prepare
from benchmarks.work_folder import claim
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load
from seq2seq_cli.evaluation.attention_figures import GoldAlignment, read_gold_alignment
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet, SystemOutput, read_pair_lines, translate_set
from seq2seq_cli.evaluation.scorer import bleu, corpus_score
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.plots.pictures import save_attention
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.runs.curves import plot_runs
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.training.plan import Plan
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.run import train_session
from seq2seq_cli.training.session import open_session

LENGTHS = {"up to 4": range(5), "5 to 8": range(5, 9), "9 and more": range(9, 10**6)}
"""Ranges of the source length, in words split at spaces."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """Size and scores of a model that was trained with one seed."""

    name: str
    seed: int
    threads: int
    """The number that torch computed with."""
    parameters: int
    bleu: float
    """BLEU of the test split, by the search of the config."""
    bleu_by_length: dict[str, float | None]
    """BLEU by source length, as in `LENGTHS`; None where there is no such source."""
    signature: str
    error_rate: float | None
    """Alignment error rate; None without gold links or without attention."""
    entropy: float | None
    """Mean entropy of the attention weights of a target token, in nats; None without attention, as is the next."""
    words_on_marks: float | None
    """Share of the target words whose heaviest source token is a punctuation mark or ``<eos>``."""


@dataclass(frozen=True, kw_only=True)
class GalleryRuns:
    """A folder of runs on one task, with their results."""

    folder: Path
    corpus: PreparedCorpus
    settings: tuple[str, ...]
    """KEY=VALUE, for all models."""
    gold: GoldAlignment | None
    """The gold links of the pairs."""

    @classmethod
    def open(cls, folder: Path, pairs: Path, settings: Sequence[str], *, alignment: Path | None) -> "GalleryRuns":
        """The folder of runs, with the pairs prepared once.

        Raises UsageError when the folder was made of other files or with other settings, PairFileError without pairs or
        gold links, InputError when `alignment`, the file of gold links, does not fit the pairs.
        """
        claim(folder, {"pairs": [pairs], "alignment": [alignment] if alignment else []}, settings)
        prepared = folder / "prepared"
        if not prepared.exists():
            prepare(pairs, out=prepared, overrides=[s for s in settings if is_for_prepare(s)])
        return cls(
            folder=folder,
            corpus=PreparedCorpus.open(prepared),
            settings=tuple(settings),
            gold=read_gold_alignment(alignment, read_pair_lines([pairs])) if alignment else None,
        )

    def known(self, name: str, seed: int) -> Result | None:
        """The result of the config of that name with that seed; None where it was not trained yet."""
        record = self._record(name, seed)
        return Result(**json.loads(record.read_text(encoding="utf-8"))) if record.is_file() else None

    def result(self, name: str, seed: int) -> Result:
        """Train the config of that name with that seed, and score it, unless that is done already."""
        if known := self.known(name, seed):
            return known
        overrides = [*(s for s in self.settings if not is_for_prepare(s)), f"training.seed={seed}"]
        config = resolve_config(load_config(name, overrides), self.corpus)
        with ExitStack() as locks:
            plan = Plan(path=self._run(name, seed), config=config, overwrite=True)
            session = open_session(plan, self.corpus, locks=locks)
            for _ in train_session(session):
                pass
        result = self._scored(name, seed)
        write_json(self._record(name, seed), dataclasses.asdict(result))
        print(f"{name}, seed {seed}: BLEU {result.bleu:.1f}", file=sys.stderr)
        return result

    def draw(self, shown: Iterable[Result], sentence: str, folder: Path) -> None:
        """Draw how each model with attention translates the sentence, and the entropies of all over training."""
        folder.mkdir(exist_ok=True)
        attending = {}
        for result in shown:
            run = self._run(result.name, result.seed)
            translation = load(run).translator.translate([sentence])[0].sentences[0]
            if translation.weights.any():
                attending[result.name] = Run.read(run)
                save_attention([translation], folder / f"{result.name}.png", overwrite=True)
        if attending:
            plot_runs(attending, folder / "entropy.png", axis="epoch", measure="entropy", overwrite=True)

    def _run(self, name: str, seed: int) -> Path:
        return self.folder / name / f"seed{seed}"

    def _record(self, name: str, seed: int) -> Path:
        return self._run(name, seed).with_suffix(".json")

    def _scored(self, name: str, seed: int) -> Result:
        run = self._run(name, seed)
        tests = EvaluationSet.of_split(self.corpus, "test")
        output = translate_set(name, load(run).translator, tests, gold=self.gold)
        language = tests.languages[1]
        bleu, signature = _bleu(output, tests.pairs, language)
        by_length = {
            label: _bleu(output, [pair for pair in tests.pairs if len(pair[0].split()) in lengths], language)[0]
            for label, lengths in LENGTHS.items()
        }
        return Result(
            name=name,
            seed=seed,
            threads=torch.get_num_threads(),
            parameters=Run.read(run).parameters or 0,
            bleu=bleu or 0.0,
            bleu_by_length=by_length,
            signature=signature,
            error_rate=output.alignment.error_rate if output.alignment else None,
            entropy=output.attention.entropy if output.attention else None,
            words_on_marks=output.attention.words_on_marks if output.attention else None,
        )


def _bleu(output: SystemOutput, pairs: Sequence[tuple[str, str]], language: str) -> tuple[float | None, str]:
    """BLEU of the pairs, None where there are none, and its signature."""
    if not pairs:
        return None, ""
    outputs, references = [output.texts[source] for source, _ in pairs], [reference for _, reference in pairs]
    score = corpus_score(bleu(language), outputs, references)
    return score.value, score.signature
