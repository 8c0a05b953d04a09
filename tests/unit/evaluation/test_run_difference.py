"""Whether two runs differ, by what they keep."""

import json
import random
from pathlib import Path

import pytest

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.evaluation.held_out import HeldOutScores
from seq2seq_cli.evaluation.run_difference import IncomparableError, run_difference
from seq2seq_cli.evaluation.scorer import corpus_bleu, corpus_chrf
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.sentence_statistics import digest
from tests.records import epoch, make_run

WORDS = [f"w{i}" for i in range(50)]
CHANCE = random.Random(1)  # noqa: S311  # not for secrets
REFERENCES = [" ".join(CHANCE.choices(WORDS, k=8)) for _ in range(400)]
WORSE = ["x " + text if number % 4 == 0 else text for number, text in enumerate(REFERENCES)]


def validated(path: Path, hypotheses: list[str], references: list[str] = REFERENCES) -> Path:
    """A run after its first validation."""
    scores = HeldOutScores(
        sentences=digest(("source", text) for text in references),
        loss=2.5,
        bleu=corpus_bleu(hypotheses, references),
        chrf=corpus_chrf(hypotheses, references),
    )
    run = make_run(path, [epoch(100, 1, bleu=scores.bleu.value, chrf=scores.chrf.value)])
    scores.statistics().write(run / "statistics" / "valid.json")
    return run


def test_a_planted_difference_is_found_and_a_run_does_not_differ_from_itself(tmp_path: Path) -> None:
    perfect, worse = (Run.read(validated(tmp_path / name, texts)) for name, texts in (("a", REFERENCES), ("b", WORSE)))
    found = run_difference(worse, perfect)
    assert (found.split, found.sentences) == ("valid", len(REFERENCES))
    for metric, difference in found.by_metric.items():
        assert worse.history.best
        assert difference.value == pytest.approx(getattr(worse.history.best, metric) - 100)
        assert difference.range.high < 0
        assert difference.is_significant
    same = run_difference(perfect, perfect)
    assert not any(difference.is_significant for difference in same.by_metric.values())


def test_runs_of_other_sentences_or_without_statistics_are_not_compared(tmp_path: Path) -> None:
    perfect = Run.read(validated(tmp_path / "a", REFERENCES))
    others = Run.read(validated(tmp_path / "b", REFERENCES[:200], REFERENCES[:200]))
    with pytest.raises(IncomparableError, match="valid splits have other sentences"):
        run_difference(others, perfect)
    without = Run.read(make_run(tmp_path / "c", [epoch(100, 1)]))
    with pytest.raises(IncomparableError, match="c has kept no statistics of its valid scores"):
        run_difference(perfect, without)


def test_statistics_of_other_weights_than_the_best_are_not_taken(tmp_path: Path) -> None:
    perfect = Run.read(validated(tmp_path / "a", REFERENCES))
    older = validated(tmp_path / "b", WORSE)
    (older / "metrics.jsonl").write_bytes((perfect.path / "metrics.jsonl").read_bytes())
    with pytest.raises(IncomparableError, match=r"b/statistics/valid\.json is not of the best weights"):
        run_difference(Run.read(older), perfect)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"bleu"', '"other"'), ('"8 8 8', '"8 8 -8'), ('"8 8 8', '"8 8 8 8'), ('"8 8 8', '"8 8 x'), ('"counts"', '"c"')],
)
def test_damaged_statistics_are_named(tmp_path: Path, old: str, new: str) -> None:
    run = validated(tmp_path / "a", REFERENCES)
    path = run / "statistics" / "valid.json"
    whole = path.read_text(encoding="utf-8")
    assert old in whole
    path.write_text(whole.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"valid\.json: damaged: holds no statistics"):
        run_difference(Run.read(run), Run.read(run))


@pytest.mark.parametrize(
    ("metrics", "error", "said"),
    [
        (["chrf"], ModelFileError, r"valid\.json: damaged: holds no statistics"),
        (["bleu", "chrf"], IncomparableError, "valid splits have other sentences"),
    ],
)
def test_counts_of_more_sentences_than_the_other_run_has_are_not_compared(
    tmp_path: Path, metrics: list[str], error: type[Exception], said: str
) -> None:
    whole, forged = (validated(tmp_path / name, REFERENCES) for name in ("a", "b"))
    path = forged / "statistics" / "valid.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    for metric in metrics:
        values[metric]["counts"].append(values[metric]["counts"][0])
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(error, match=said):
        run_difference(Run.read(whole), Run.read(forged))
