"""The BLEU of a run, for a line that must be there at once: `metrics` checks every record, and takes its time."""

from pathlib import Path

from seq2seq_cli.files.json_files import parse_json
from seq2seq_cli.files.reading import read_whole
from seq2seq_cli.runs.layout import METRICS, MOST_METRICS_BYTES


def recorded_bleu(run: Path) -> float | None:
    """The BLEU of the best weights, from 0 to 100: on the test split or, where that is not scored, on the validation.

    None where none is recorded, and where the records are damaged.
    """
    try:
        lines = read_whole(run / METRICS, most=MOST_METRICS_BYTES).splitlines()
    except OSError:
        return None
    has_gone_on = False  # the training, after the test split was scored
    for line in reversed(lines):
        try:
            record = parse_json(line)
            kind, bleu = record["kind"], record.get("bleu")
        except (ValueError, TypeError, LookupError, AttributeError):
            continue
        if (kind == "test" and not has_gone_on) or (kind == "epoch" and record.get("best") is True):
            return bleu if isinstance(bleu, float) and 0 <= bleu <= 100 else None
        has_gone_on = has_gone_on or kind not in {"test", "end"}
    return None
