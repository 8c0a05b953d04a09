"""Train every shipped model on one task and put what came out into docs/mechanisms.md: ``make gallery``.

Each model is trained as ``s2s train`` does it, scored on the test split, and asked for one sentence, whose attention is
drawn. At the end, all of them train for some seconds in turn, for their speeds. What is done is kept in --work, so that
a gallery can be stopped and gone on with; only --again trains anew.
"""

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import torch

from benchmarks.pages import fill, fill_lines
from seq2seq_cli.config.catalog import GROUPS, list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepare import prepare
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.sources import Source
from seq2seq_cli.decoding.translator import Translation, Translator
from seq2seq_cli.errors import S2SError
from seq2seq_cli.evaluation.metrics import corpus_bleu
from seq2seq_cli.evaluation.pictures import save_pictures
from seq2seq_cli.model.build import build_model
from seq2seq_cli.training.device import choose_device
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.loop import train
from seq2seq_cli.training.precision import choose_precision
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.session import Session
from seq2seq_cli.training.state import fresh_state

PAGE = Path("docs/mechanisms.md")
SENTENCE = "She says that he has seen the old man."
LENGTHS = {"up to 4": range(5), "5 to 8": range(5, 9), "9 and more": range(9, 10**6)}
"""Source words, as they are split by spaces."""


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """What came of one model."""

    name: str
    parameters: int
    bleu: float
    """Of the test split, greedy."""
    bleu_by_length: dict[str, float | None]
    """The same for the sources of each of `LENGTHS`; None where there are none."""
    signature: str
    picture: str | None
    """The file that shows the attention; None for a model that has none."""


def main() -> None:
    """Parse, train, draw, write the page."""
    options = _parse()
    names = [entry.name for entry in list_configs() if entry.group in GROUPS[1:]]
    names = [name for name in names if not options.only or name in options.only]
    try:
        corpus = _corpus(options)
        exhibits = [_exhibit(name, corpus, options) for name in names]
        speeds = _speeds(names, corpus, options)
    except S2SError as error:
        sys.exit(f"benchmarks.gallery: {error}")
    page = fill_lines(options.page.read_text(encoding="utf-8"))
    page = fill(page, f"gallery of {options.pairs.stem}", _told(exhibits, speeds, corpus, options))
    options.page.write_text(page, encoding="utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description="Fill docs/mechanisms.md.")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), metavar="FILE", help="pair file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all models")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="configs to show; default all")
    parser.add_argument("--sentence", default=SENTENCE, help="whose attention is drawn")
    parser.add_argument("--work", type=Path, metavar="DIR", help="where the runs lie; default runs/gallery/FILE")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="what to write into")
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="to measure a speed three times over")
    parser.add_argument("--no-pictures", action="store_true", help="make only the table")
    parser.add_argument("--again", action="store_true", help="train anew what is there")
    options = parser.parse_args()
    options.work = options.work or Path("runs/gallery") / options.pairs.stem
    return options


def _corpus(options: argparse.Namespace) -> PreparedCorpus:
    """The one task, prepared once."""
    folder = options.work / "prepared"
    if not folder.exists():
        settings = [setting for setting in options.set if setting.startswith(("data.", "text."))]
        prepare([Source.of(options.pairs)], folder, load_config(None, settings))
    return PreparedCorpus.open(folder)


def _config(name: str, corpus: PreparedCorpus, options: argparse.Namespace) -> Config:
    settings = [setting for setting in options.set if not setting.startswith(("data.", "text."))]
    return resolve_config(load_config(name, settings), corpus)


def _exhibit(name: str, corpus: PreparedCorpus, options: argparse.Namespace) -> Exhibit:
    record = options.work / name / "exhibit.json"
    if record.is_file() and not options.again:
        return Exhibit(**json.loads(record.read_text(encoding="utf-8")))
    config = _config(name, corpus, options)
    device = choose_device(config.training.device)
    session = Session.start(options.work / name, config, corpus, device, overwrite=True)
    for _ in session.train():
        pass
    translator = session.run.load_translator(device)
    exhibit = _scored(name, translator, corpus)
    if not options.no_pictures:
        picture = _picture(name, translator.translate([options.sentence])[0], options.page)
        exhibit = dataclasses.replace(exhibit, picture=picture)
    record.write_text(json.dumps(dataclasses.asdict(exhibit)), encoding="utf-8")
    print(f"{name}: BLEU {exhibit.bleu:.1f}", file=sys.stderr)
    return exhibit


def _speeds(names: Sequence[str], corpus: PreparedCorpus, options: argparse.Namespace) -> dict[str, float]:
    """Target tokens that each model is trained on in a second: medians of three rounds, in which they take turns."""
    record = options.work / "speeds.json"
    known: dict[str, float] = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    if set(names) <= set(known) and not options.again:
        return known
    trainings = {name: _endless(_config(name, corpus, options), corpus) for name in names}
    rates: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(3):
        for name, training in trainings.items():
            rates[name].append(_rate(training, options.seconds))
    speeds = known | {name: median(values) for name, values in rates.items()}
    record.write_text(json.dumps(speeds), encoding="utf-8")
    return speeds


def _endless(config: Config, corpus: PreparedCorpus) -> Iterator[int]:
    """A training that does not end; the target tokens of each step."""
    endless = config.training.model_copy(update={"epochs": 10**9, "max_minutes": None, "patience": None})
    config = config.model_copy(update={"training": endless})
    device = choose_device(endless.device)
    sizes = {"src_size": len(corpus.src_codec.vocabulary), "tgt_size": len(corpus.tgt_codec.vocabulary)}
    model = build_model(config.model, **sizes).to(device)
    state = fresh_state(model, endless, choose_precision(endless.precision, device))
    return (event.tokens for event in train(state, corpus, config, device) if isinstance(event, Step))


def _rate(steps: Iterator[int], seconds: float) -> float:
    """Target tokens a second."""
    next(steps)  # the first batch after a pause finds nothing ready
    tokens, started = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        tokens += next(steps)
    return tokens / elapsed


def _scored(name: str, translator: Translator, corpus: PreparedCorpus) -> Exhibit:
    pairs = corpus.sentences("test")
    texts = [translation.text for translation in translator.translate([src for src, _ in pairs])]
    whole = corpus_bleu(texts, [tgt for _, tgt in pairs])
    by_length: dict[str, float | None] = {}
    for label, lengths in LENGTHS.items():
        chosen = [i for i, (src, _) in enumerate(pairs) if len(src.split()) in lengths]
        score = corpus_bleu([texts[i] for i in chosen], [pairs[i][1] for i in chosen]) if chosen else None
        by_length[label] = score.value if score else None
    return Exhibit(
        name=name,
        parameters=sum(parameter.numel() for parameter in translator.model.parameters()),
        bleu=whole.value,
        bleu_by_length=by_length,
        signature=whole.signature,
        picture=None,
    )


def _picture(name: str, translation: Translation, page: Path) -> str | None:
    """The file, named as the page links it; None when the model looks nowhere."""
    if not translation.weights.any():
        return None
    folder = page.with_suffix("")
    folder.mkdir(exist_ok=True)
    save_pictures([translation], folder / f"{name}.png")
    return f"{folder.name}/{name}.png"


def _told(
    exhibits: Sequence[Exhibit], speeds: Mapping[str, float], corpus: PreparedCorpus, options: argparse.Namespace
) -> str:
    """The part of the page that is made here."""
    settings = "".join(f" --set {setting}" for setting in options.set)
    signature = exhibits[0].signature if exhibits else ""
    task = (
        f"{len(corpus.split('train')):,} training pairs of `{options.pairs.name}`, {torch.get_num_threads()} threads:"
        f" `python -m benchmarks.gallery --pairs {options.pairs}{settings}`. BLEU of the"
        f" {len(corpus.split('test')):,} pairs of the test split, greedy, and by the words of the source ({signature})."
    )
    lines = [task, "", *_table(exhibits, speeds)]
    if shown := [exhibit for exhibit in exhibits if exhibit.picture]:
        pictures = [f"| {exhibit.name} |\n|---|\n| ![{exhibit.name}]({exhibit.picture}) |\n" for exhibit in shown]
        lines += ["", f"Where each looks while it translates “{options.sentence}”:", "", *pictures]
    return "\n".join(lines).rstrip()


def _table(exhibits: Iterable[Exhibit], speeds: Mapping[str, float]) -> list[str]:
    head = ["config", "parameters", "tokens/s", "BLEU", *LENGTHS]
    rows = [
        [
            f"`{shown.name}`",
            f"{shown.parameters:,}",
            f"{speeds[shown.name]:,.0f}",
            f"{shown.bleu:.1f}",
            *("" if value is None else f"{value:.1f}" for value in shown.bleu_by_length.values()),
        ]
        for shown in exhibits
    ]
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] + ["--:"] * (len(head) - 1), *rows)]


if __name__ == "__main__":
    main()
