"""metrics.jsonl, read back: whole, cut short, and of an older s2s."""

import json
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.metrics import History, read_history
from tests.records import end, epoch, held_out, step, write


def test_an_ended_run_tells_its_way_and_its_end(tmp_path: Path) -> None:
    write(tmp_path, [step(100, 1), epoch(150, 1, bleu=10.0), epoch(300, 2, bleu=9.0, best=False), end(300, 2, "done")])
    history = read_history(tmp_path)

    assert [line.step for line in history.stretches] == [100]
    assert [v.bleu for v in history.validations] == [10.0, 9.0]
    assert (history.reason, history.epoch, history.seconds) == ("done", 2, 301.0)
    best = history.best("bleu")
    assert best is not None
    assert best.epoch == 1


def test_a_run_that_went_on_has_not_ended(tmp_path: Path) -> None:
    ended = [epoch(150, 1), end(150, 1, "done"), held_out(150, 1, bleu=30.0)]
    write(tmp_path, ended)
    assert read_history(tmp_path).test is not None
    write(tmp_path, [*ended, step(200, 2)])
    history = read_history(tmp_path)

    assert history.reason is None
    assert history.test is None


def test_of_an_older_run_what_it_did_not_record_is_not_known(tmp_path: Path) -> None:
    old_step = {"format": 1, "kind": "step", "step": 100, "epoch": 1, "loss": 4.5, "gradient_norm": 1.0, "tokens": 450}
    old_epoch = {
        "format": 1,
        "kind": "epoch",
        "step": 150,
        "epoch": 1,
        "train_loss": 4.0,
        "valid_loss": 3.0,
        "bleu": 12.0,
        "signature": "nrefs:1",
        "best": True,
        "seconds": 60.0,
    }
    write(tmp_path, [old_step, old_epoch])
    history = read_history(tmp_path)

    assert history.stretches[0].loss == 4.5
    assert history.stretches[0].tokens is None  # of one batch of a hundred
    assert history.tokens_per_second() is None
    assert history.validations[0].chrf is None
    assert history.validations[0].signatures == {"bleu": "nrefs:1"}


def test_a_line_that_a_kill_cut_short_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, [epoch(150, 1)])
    with (tmp_path / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"kind": "epoch", "st')
    with caplog.at_level(logging.WARNING, logger="seq2seq_cli"):
        assert len(read_history(tmp_path).validations) == 1
    assert not caplog.records


def test_a_damaged_line_between_others_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = [json.dumps(epoch(150, 1)), "\x00\x00", json.dumps(epoch(300, 2))]
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with caplog.at_level(logging.WARNING, logger="seq2seq_cli"):
        assert len(read_history(tmp_path).validations) == 2
    assert "metrics.jsonl:2" in caplog.text


def test_nothing_recorded_is_an_empty_history(tmp_path: Path) -> None:
    assert read_history(tmp_path) == History()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [{**epoch(150, 1), "format": 2}])
    with pytest.raises(ModelFileError, match="newer s2s"):
        read_history(tmp_path)


def test_tokens_a_second_are_all_tokens_over_all_their_time(tmp_path: Path) -> None:
    # 600 tokens in 6 s, then 600 in 2 s.
    write(tmp_path, [step(100, 1, tokens=600, rate=100.0), step(200, 1, tokens=600, rate=300.0)])
    assert read_history(tmp_path).tokens_per_second() == pytest.approx(150.0)


@pytest.mark.parametrize(("metric", "best"), [("bleu", 2), ("loss", 1)])
def test_where_no_line_is_marked_the_metric_tells_the_best(tmp_path: Path, metric: str, best: int) -> None:
    lines = [epoch(1, 1, bleu=10.0, loss=2.0, best=False), epoch(2, 2, bleu=11.0, loss=2.5, best=False)]
    write(tmp_path, lines)
    found = read_history(tmp_path).best("loss" if metric == "loss" else "bleu")
    assert found is not None
    assert found.epoch == best


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
keys = st.sampled_from(
    ["step", "epoch", "seconds", "loss", "tokens", "tokens_per_second", "bleu", "signatures", "signature", "reason"]
)
records = st.builds(
    lambda kind, values: {"kind": kind, "step": 1, "epoch": 1, **values},
    st.sampled_from(["step", "epoch", "end", "test", "other"]),
    st.dictionaries(keys, json_values, max_size=5),
)


@given(lines=st.lists(records | json_values, max_size=5))
def test_no_value_of_any_kind_breaks_it(tmp_path_factory: pytest.TempPathFactory, lines: list[object]) -> None:
    folder = tmp_path_factory.mktemp("run")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "metrics.jsonl").write_text(text, encoding="utf-8")
    history = read_history(folder)
    history.best("bleu")
    history.tokens_per_second()
