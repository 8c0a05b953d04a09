"""metrics.jsonl, written and read back: whole, cut short, damaged."""

import json
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.records import History, Record, StepRecord, read_history
from tests.records import end, epoch, held_out, step, write


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    records: list[Record] = [step(100, 1), epoch(150, 1, bleu=None), end(150, 1, "done"), held_out(150, 1, bleu=30.0)]
    write(tmp_path, records)
    assert read_history(tmp_path).records == records


def test_an_ended_run_has_its_scores_and_its_end(tmp_path: Path) -> None:
    write(tmp_path, [step(100, 1), epoch(150, 1, bleu=10.0), epoch(300, 2, bleu=9.0, best=False), end(300, 2, "done")])
    history = read_history(tmp_path)

    assert [record.step for record in history.steps] == [100]
    assert [record.bleu for record in history.validations] == [10.0, 9.0]
    assert (history.reason, history.epochs, history.minutes) == ("done", 2.0, 301 / 60)
    assert history.best is not None
    assert history.best.epoch == 1


def test_a_run_that_went_on_has_not_ended(tmp_path: Path) -> None:
    ended: list[Record] = [epoch(150, 1), end(150, 1, "done"), held_out(150, 1, bleu=30.0)]
    write(tmp_path, ended)
    assert read_history(tmp_path).test is not None
    write(tmp_path, [*ended, step(200, 2)])
    history = read_history(tmp_path)

    assert history.reason is None
    assert history.test is None


def test_a_run_that_is_in_the_middle_of_an_epoch_has_a_fraction_of_it(tmp_path: Path) -> None:
    assert read_history(tmp_path).epochs == 0
    write(tmp_path, [epoch(200, 1), epoch(220, 2, epochs=1.1), epoch(240, 2, epochs=1.2)])
    assert read_history(tmp_path).epochs == 1.2


def test_a_number_that_is_not_finite_is_recorded_as_unknown(tmp_path: Path) -> None:
    write(tmp_path, [step(100, 1, loss=float("nan")), epoch(150, 1, loss=float("inf"))])
    assert "null" in (tmp_path / "metrics.jsonl").read_text(encoding="utf-8")
    history = read_history(tmp_path)

    assert history.steps[0].train_loss is None
    assert history.validations[0].score("loss") is None


def test_a_line_that_a_kill_cut_short_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, [epoch(150, 1)])
    with (tmp_path / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"kind": "epoch", "st')
    with caplog.at_level(logging.WARNING, logger="seq2seq_cli"):
        assert len(read_history(tmp_path).validations) == 1
    assert not caplog.records


@pytest.mark.parametrize("line", ["\x00\x00", "[]", '{"format": 1, "kind": "epoch", "step": 200}'])
def test_a_damaged_line_between_others_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str) -> None:
    lines = [epoch(150, 1).model_dump_json(), line, epoch(300, 2).model_dump_json()]
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with caplog.at_level(logging.WARNING, logger="seq2seq_cli"):
        assert len(read_history(tmp_path).validations) == 2
    assert "metrics.jsonl:2" in caplog.text


def test_nothing_recorded_is_an_empty_history(tmp_path: Path) -> None:
    assert read_history(tmp_path) == History()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"format": 2, "kind": "another"}\n', encoding="utf-8")
    with pytest.raises(ModelFileError, match="newer s2s"):
        read_history(tmp_path)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
records = st.builds(
    lambda record, values: {**json.loads(record.model_dump_json()), **values},
    st.sampled_from([step(1, 1), epoch(1, 1), end(1, 1, "done"), held_out(1, 1, bleu=1.0)]),
    st.dictionaries(st.sampled_from([*StepRecord.model_fields, "bleu", "signatures", "reason"]), json_values),
)


@given(lines=st.lists(records | json_values, max_size=5))
def test_no_value_of_any_kind_breaks_it(tmp_path_factory: pytest.TempPathFactory, lines: list[object]) -> None:
    folder = tmp_path_factory.mktemp("run")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "metrics.jsonl").write_text(text, encoding="utf-8")
    try:
        history = read_history(folder)
    except ModelFileError as error:
        assert "format" in str(error)  # noqa: PT017  # the only field that can refuse a whole file
    else:
        assert history.tokens_per_second is None or isinstance(history.tokens_per_second, float)
        assert history.best is None or history.best.best
