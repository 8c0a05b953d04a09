"""The runs of the gallery: each model trained on one task as by ``s2s train``, scored, drawn and timed.

Results are kept in a folder, so that a gallery can be stopped and continued.
"""

import dataclasses
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from seq2seq_cli.compute.device import choose_device
from seq2seq_cli.compute.precision import choose_precision
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.decoding.translation import SentenceTranslation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import UsageError
from seq2seq_cli.evaluation.corpus_scores import corpus_bleu
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.learning.state import fresh_state
from seq2seq_cli.model.build import build_model
from seq2seq_cli.pairs.pair_files import local_pair_files
from seq2seq_cli.plots.attention_files import save_attention
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.loop import TrainingLoop
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.session import Session

LENGTHS = {"up to 4": range(5), "5 to 8": range(5, 9), "9 and more": range(9, 10**6)}
"""Ranges of the source length, in words split at spaces."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """Size, scores and picture of one model."""

    name: str
    parameters: int
    bleu: float
    """BLEU of the test split, greedy."""
    bleu_by_length: dict[str, float | None]
    """BLEU by source length, as in `LENGTHS`; None where there is no such source."""
    signature: str
    picture: str | None
    """The picture of the attention; None for a model without attention."""


@dataclass(frozen=True, kw_only=True)
class GalleryRuns:
    """A folder of runs on one task, with their results."""

    folder: Path
    corpus: PreparedCorpus
    settings: tuple[str, ...]
    """KEY=VALUE, for all models."""
    sentence: str
    """The sentence whose attention is drawn."""
    pictures: Path | None
    """Folder of the pictures; with None, none is drawn."""
    again: bool
    """Whether existing results are made again."""

    @classmethod
    def open(
        cls,
        folder: Path,
        pairs: Path,
        settings: Sequence[str],
        *,
        sentence: str,
        pictures: Path | None,
        again: bool,
    ) -> "GalleryRuns":
        """The folder of runs, with the pairs prepared once.

        Raises UsageError when the folder was made of other pairs or with other settings, PairFileError without pairs.
        """
        with local_pair_files({"pairs": [(pairs,)]}) as found:
            hashes = [file.sha256 for pair_file in found["pairs"] for file in pair_file.files]
        made_of = {
            "pairs": hashes,
            "settings": list(settings),
            "sentence": sentence,
            "pictures": pictures is not None,
        }
        record = folder / "made_of.json"
        is_new = not folder.exists() or not any(folder.iterdir())
        if not is_new and not (record.is_file() and json.loads(record.read_text(encoding="utf-8")) == made_of):
            raise UsageError(f"{folder}: made of other pairs or with other settings: name another folder with --work")
        folder.mkdir(parents=True, exist_ok=True)
        write_json(record, made_of)
        prepared = folder / "prepared"
        if not prepared.exists():
            prepare(pairs, out=prepared, overrides=[s for s in settings if _is_for_prepare(s)])
        return cls(
            folder=folder,
            corpus=PreparedCorpus.open(prepared),
            settings=tuple(settings),
            sentence=sentence,
            pictures=pictures,
            again=again,
        )

    def result(self, name: str) -> Result:
        """Train the config of that name, score it and draw its attention, unless that is done already."""
        record = self.folder / name / "result.json"
        if record.is_file() and not self.again:
            return Result(**json.loads(record.read_text(encoding="utf-8")))
        config = self._config(name)
        with ExitStack() as held:
            session = Session.start(self.folder / name, config, self.corpus, held=held, overwrite=True)
            for _ in session.train():
                pass
        translator = load_translator(session.run)
        parameters = sum(parameter.numel() for parameter in session.state.model.parameters())
        result = _scored(name, translator, self.corpus, parameters)
        if self.pictures:
            picture = _picture(name, translator.translate([self.sentence])[0].sentences[0], self.pictures)
            result = dataclasses.replace(result, picture=picture)
        write_json(record, dataclasses.asdict(result))
        print(f"{name}: BLEU {result.bleu:.1f}", file=sys.stderr)
        return result

    def speeds(self, names: Sequence[str], *, seconds: float) -> dict[str, float]:
        """Target tokens per second of training of each model: medians of three rounds, in turn."""
        record = self.folder / "speeds.json"
        known: dict[str, float] = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
        if set(names) <= set(known) and not self.again:
            return known
        trainings = {name: _endless(self._config(name), self.corpus) for name in names}
        rates: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(3):
            for name, training in trainings.items():
                rates[name].append(_rate(training, seconds))
        speeds = known | {name: median(values) for name, values in rates.items()}
        write_json(record, speeds)
        return speeds

    def _config(self, name: str) -> Config:
        return resolve_config(load_config(name, [s for s in self.settings if not _is_for_prepare(s)]), self.corpus)


def _is_for_prepare(setting: str) -> bool:
    """Whether a setting is for preparing the pairs, not for training a model."""
    return setting.startswith(("data.", "text."))


def _endless(config: Config, corpus: PreparedCorpus) -> Iterator[int]:
    """The target tokens of each step of a training without end."""
    endless = config.training.model_copy(update={"epochs": 10**9, "max_minutes": None, "patience": None})
    config = config.model_copy(update={"training": endless})
    device = choose_device(endless.device)
    sizes = {"src_size": len(corpus.src_codec.vocabulary), "tgt_size": len(corpus.tgt_codec.vocabulary)}
    model = build_model(config.model, **sizes).to(device)
    state = fresh_state(model, endless, choose_precision(endless.precision, device))
    return (event.tokens for event in TrainingLoop(state, corpus, config) if isinstance(event, Step))


def _rate(steps: Iterator[int], seconds: float) -> float:
    """Target tokens per second."""
    next(steps)  # after a pause, no batch is ready
    tokens, started = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        tokens += next(steps)
    return tokens / elapsed


def _scored(name: str, translator: Translator, corpus: PreparedCorpus, parameters: int) -> Result:
    pairs = corpus.sentences("test")
    texts = [translation.text for translation in translator.translate([src for src, _ in pairs])]
    whole = corpus_bleu(texts, [tgt for _, tgt in pairs])
    by_length: dict[str, float | None] = {}
    for label, lengths in LENGTHS.items():
        chosen = [i for i, (src, _) in enumerate(pairs) if len(src.split()) in lengths]
        score = corpus_bleu([texts[i] for i in chosen], [pairs[i][1] for i in chosen]) if chosen else None
        by_length[label] = score.value if score else None
    return Result(
        name=name,
        parameters=parameters,
        bleu=whole.value,
        bleu_by_length=by_length,
        signature=whole.signature,
        picture=None,
    )


def _picture(name: str, translation: SentenceTranslation, folder: Path) -> str | None:
    """Draw the attention; returns the file relative to the page, None for a model without attention."""
    if not translation.weights.any():
        return None
    folder.mkdir(exist_ok=True)
    save_attention([[translation]], folder / f"{name}.png", overwrite=True)
    return f"{folder.name}/{name}.png"
