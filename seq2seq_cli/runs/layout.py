"""Where runs lie: the names in a run folder, and whether a folder is free for one."""

from pathlib import Path

from seq2seq_cli.errors import RESTORE, ModelFileError, UsageError
from seq2seq_cli.files.reading import read_json
from seq2seq_cli.files.writing import contents

RUNS = Path("runs")
"""The folder of all runs, by default."""

CONFIG = "config.yaml"
METRICS = "metrics.jsonl"
MOST_METRICS_BYTES = 64_000_000
"""Size of the largest metrics.jsonl that is read: the records of twenty million updates."""
CARD = "README.md"
CORPUS = "corpus.json"
TRAINED = "trained.json"
BEST = Path("best", "model.safetensors")
ENCODER = BEST.with_name("encoder.onnx")
DECODER = BEST.with_name("decoder.onnx")
SEARCH = BEST.with_name("search.onnx")
FEATURES = BEST.with_name("features.onnx")
EXPORT_RECORD = BEST.with_name("export.json")
EXPORTED = (ENCODER, DECODER, SEARCH, FEATURES, EXPORT_RECORD)
PAIRS = "pairs"
PAIR_FILES = {
    name: Path(PAIRS, f"{name}.npy")
    for name in ("src", "src.offsets", "tgt", "tgt.offsets", "index", "index.offsets", "norms")
}
"""The files of the training pairs that translations consult, by the names of their arrays."""
FEATURE_FILES = {name: Path(PAIRS, f"{name}.npy") for name in ("components", "projection", "weights")}
"""The files of the features of these pairs; the last one, the digest of the weights, says that all are there."""
OF_PAIRS = PAIR_FILES | FEATURE_FILES
MEMBERS = "members"
"""The folder of the other models of a run, each a run folder; their number is in the file, once all are trained."""
MEMBERS_RECORD = "members.json"
LAST = Path("last", "training.pt")
PREVIOUS = LAST.with_name("previous.pt")
CHECKPOINTS = (LAST, PREVIOUS)
EPOCHS = "epochs"
WEIGHTS = BEST.suffix
"""The ending of a file of weights."""
CORRECTIONS = "corrections.tsv"
GLOSSARY = "glossary.tsv"
SUGGESTIONS = "suggestions.tsv"
LOCK = ".lock"
MARK = ".s2s-run"
"""The file by which ``--overwrite`` recognises a folder that it may replace: a config.yaml may be anybody's."""

READ = (
    *(CONFIG, CARD, METRICS, CORPUS, TRAINED, LOCK, MEMBERS_RECORD, "codec", PAIRS, MEMBERS),
    *(BEST.parts[0], LAST.parts[0], EPOCHS, CORRECTIONS, GLOSSARY, SUGGESTIONS),
)
"""The names at the top of a run folder that s2s reads, or writes into."""


def count_members(run: Path) -> int:
    """The models of a run that translate together; ModelFileError when the record of them is damaged."""
    record = run / MEMBERS_RECORD
    count = read_json(record, error=ModelFileError).get(MEMBERS) if record.is_file() else 1
    if type(count) is not int:
        raise ModelFileError(f"{record}: damaged: {RESTORE}")
    return count


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise UsageError unless `path` is free for a new run, or holds a run that `overwrite` allows to replace."""
    if not path.exists():
        return
    if not path.is_dir():
        raise UsageError(f"{path}: a file is in the way; choose another folder with --out")
    if all(content.name in (LOCK, MARK) for content in contents(path)):
        return
    if not (path / MARK).is_file():
        problem = f"the folder is not empty and not a run (it has no {MARK})"
        raise UsageError(f"{path}: {problem}; choose another one with --out")
    if not overwrite:
        cure = "--resume continues it, --overwrite replaces it, --out names another"
        raise UsageError(f"{path}: a run is there already; {cure}")
