"""Runs side by side, as lines and for programs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seq2seq_cli.cli.runs.named import titles
from seq2seq_cli.cli.runs.table import shown_value, to_json
from seq2seq_cli.cli.terminal.tables import table_lines
from seq2seq_cli.errors import ModelFileError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.evaluation.run_difference import RunDifference
    from seq2seq_cli.runs.listing import Run


def comparison_lines(found: "Sequence[Run]") -> Iterator[str]:
    """The tables of the config keys that differ, of the results, and of the differences to the first run."""
    from seq2seq_cli.cli.evaluating.report import difference_table
    from seq2seq_cli.config.yaml12 import shown
    from seq2seq_cli.runs.listing import config_differences, results

    names = titles(found)
    settings = [(key, *map(shown, values)) for key, values in config_differences(found)]
    yield from table_lines(["config", *names], settings) if settings else ["config: nothing differs"]
    yield ""
    rows = [(key, *(shown_value(key, value) for value in values)) for key, values in results(found)]
    yield from table_lines(["result", *names], rows)
    for name, compared in zip(names[1:], _differences(found), strict=True):
        yield ""
        title = f"{name} less {names[0]}"
        if isinstance(compared, str):
            yield one_line(f"{title}: significance not tested: {compared}")
        else:
            table = difference_table(f"{title}, {compared.split}", compared.by_metric)
            yield from table_lines(table.titles, table.rows)


def comparison_json(found: "Sequence[Run]") -> dict[str, object]:
    """The same for programs; docs/runs.md describes it."""
    from seq2seq_cli.runs.listing import config_differences, results

    return {
        "runs": [to_json(run) for run in found],
        "config": {key: [_plain(value) for value in values] for key, values in config_differences(found)},
        "results": dict(results(found)),
        "differences": [_difference_json(compared) for compared in _differences(found)],
    }


def _differences(found: "Sequence[Run]") -> "Iterator[RunDifference | str]":
    """The difference of each other run from the first, or the reason why it is not known."""
    from seq2seq_cli.evaluation.run_difference import IncomparableError, run_difference

    for run in found[1:]:
        try:
            yield run_difference(run, found[0])
        except (IncomparableError, ModelFileError) as error:
            yield str(error)


def _difference_json(compared: "RunDifference | str") -> dict[str, Any]:
    if isinstance(compared, str):
        return {"problem": compared}
    metrics = {metric: found.to_json() for metric, found in compared.by_metric.items()}
    return {"split": compared.split, "sentences": compared.sentences, **metrics}


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float) else str(value)
