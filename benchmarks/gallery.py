"""Train every shipped model on one task and put what came out into docs/mechanisms.md: ``make gallery``.

Each model is trained as ``s2s train`` does it, scored on the test split, and asked for one sentence, whose attention is
drawn. What is done is kept in --work, so that a gallery can be stopped and gone on with; only --again trains anew.
"""

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.pages import fill, fill_lines
from seq2seq_cli.config.catalog import GROUPS, list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepare import prepare
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.sources import Source
from seq2seq_cli.decoding.translator import Translation, Translator
from seq2seq_cli.errors import S2SError
from seq2seq_cli.evaluation.metrics import corpus_bleu
from seq2seq_cli.evaluation.pictures import save_pictures
from seq2seq_cli.training.device import choose_device
from seq2seq_cli.training.events import Step
from seq2seq_cli.training.resolve import resolve_config
from seq2seq_cli.training.session import Session

PAGE = Path("docs/mechanisms.md")
SENTENCE = "She says that he has seen the old man."
LENGTHS = {"up to 4": range(5), "5 to 8": range(5, 9), "9 and more": range(9, 10**6)}
"""Source words, as they are split by spaces."""


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """What came of one model."""

    name: str
    parameters: int
    tokens_per_second: float
    """Target tokens trained on in a second, validation left out."""
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
    try:
        corpus = _corpus(options)
        exhibits = [_exhibit(name, corpus, options) for name in names if not options.only or name in options.only]
    except S2SError as error:
        sys.exit(f"benchmarks.gallery: {error}")
    page = fill_lines(options.page.read_text(encoding="utf-8"))
    page = fill(page, "gallery", _told(exhibits, corpus, options))
    options.page.write_text(page, encoding="utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description="Fill docs/mechanisms.md.")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), metavar="FILE", help="pair file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all models")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="configs to show; default all")
    parser.add_argument("--sentence", default=SENTENCE, help="whose attention is drawn")
    parser.add_argument("--work", type=Path, default=Path("runs/gallery"), metavar="DIR", help="where the runs lie")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="what to write into")
    parser.add_argument("--again", action="store_true", help="train anew what is there")
    return parser.parse_args()


def _corpus(options: argparse.Namespace) -> PreparedCorpus:
    """The one task, prepared once."""
    folder = options.work / "prepared"
    if not folder.exists():
        settings = [setting for setting in options.set if setting.startswith(("data.", "text."))]
        prepare([Source.of(options.pairs)], folder, load_config(None, settings))
    return PreparedCorpus.open(folder)


def _exhibit(name: str, corpus: PreparedCorpus, options: argparse.Namespace) -> Exhibit:
    record = options.work / name / "exhibit.json"
    if record.is_file() and not options.again:
        return Exhibit(**json.loads(record.read_text(encoding="utf-8")))
    settings = [setting for setting in options.set if not setting.startswith(("data.", "text."))]
    config = resolve_config(load_config(name, settings), corpus)
    device = choose_device(config.training.device)
    session = Session.start(options.work / name, config, corpus, device, overwrite=True)
    speed = _train(session)
    translator = session.run.load_translator(device)
    exhibit = _scored(name, translator, corpus, speed)
    picture = _picture(name, translator.translate([options.sentence])[0], options.page)
    exhibit = dataclasses.replace(exhibit, picture=picture)
    record.write_text(json.dumps(dataclasses.asdict(exhibit)), encoding="utf-8")
    print(f"{name}: {exhibit.tokens_per_second:,.0f} target tokens/s, BLEU {exhibit.bleu:.1f}", file=sys.stderr)
    return exhibit


def _train(session: Session) -> float:
    """Train to the end; target tokens a second."""
    tokens, seconds, before = 0, 0.0, time.perf_counter()
    for event in session.train():
        now = time.perf_counter()
        if isinstance(event, Step):
            tokens += event.tokens
            seconds += now - before
        before = now
    return tokens / seconds


def _scored(name: str, translator: Translator, corpus: PreparedCorpus, speed: float) -> Exhibit:
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
        tokens_per_second=speed,
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


def _told(exhibits: Sequence[Exhibit], corpus: PreparedCorpus, options: argparse.Namespace) -> str:
    """The part of the page that is made here."""
    settings = "".join(f" --set {setting}" for setting in options.set)
    task = (
        f"{len(corpus.split('train')):,} pairs of `{options.pairs.name}`, {torch.get_num_threads()} threads;"
        f" `python -m benchmarks.gallery --pairs {options.pairs.name}{settings}`. BLEU of the"
        f" {len(corpus.split('test')):,} pairs of the test split, greedy, also by the words of the source"
        f" ({exhibits[0].signature if exhibits else ''})."
    )
    shown = [exhibit for exhibit in exhibits if exhibit.picture]
    pictures = [f"| {exhibit.name} |\n|---|\n| ![{exhibit.name}]({exhibit.picture}) |\n" for exhibit in shown]
    lines = [
        task,
        "",
        *_table(exhibits),
        "",
        f"Where each looks while it translates “{options.sentence}”:",
        "",
        *pictures,
    ]
    return "\n".join(lines).rstrip()


def _table(exhibits: Iterable[Exhibit]) -> list[str]:
    head = ["config", "parameters", "tokens/s", "BLEU", *LENGTHS]
    rows = [
        [
            f"`{shown.name}`",
            f"{shown.parameters:,}",
            f"{shown.tokens_per_second:,.0f}",
            f"{shown.bleu:.1f}",
            *("" if value is None else f"{value:.1f}" for value in shown.bleu_by_length.values()),
        ]
        for shown in exhibits
    ]
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] + ["--:"] * (len(head) - 1), *rows)]


if __name__ == "__main__":
    main()
