"""Where runs lie: the names in a run folder, how one is found, and whether a folder is free for one."""

from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from seq2seq_cli.errors import RESTORE, ModelFileError, UsageError
from seq2seq_cli.files.reading import check_contents, read_json
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
FEATURES = BEST.with_name("features.onnx")
EXPORT_RECORD = BEST.with_name("export.json")
EXPORTED = (ENCODER, DECODER, FEATURES, EXPORT_RECORD)
"""The files of the exported model."""
PAIRS = "pairs"
PAIR_FILES = {
    name: Path(PAIRS, f"{name}.npy")
    for name in ("src", "src.offsets", "tgt", "tgt.offsets", "index", "index.offsets", "norms")
}
"""The files of the training pairs that translations consult, by the names of their arrays."""
FEATURE_FILES = {name: Path(PAIRS, f"{name}.npy") for name in ("components", "projection", "weights")}
"""The files of the features of these pairs; the last one, the digest of the weights, says that all are there."""
OF_PAIRS = PAIR_FILES | FEATURE_FILES
"""All files of pairs."""
MEMBERS = "members"
"""The folder of the other models of a run, each a run folder; their number is in the file, once all are trained."""
MEMBERS_RECORD = "members.json"
LAST = Path("last", "training.pt")
PREVIOUS = LAST.with_name("previous.pt")
CHECKPOINTS = (LAST, PREVIOUS)
EPOCHS = "epochs"
WEIGHTS = BEST.suffix
"""The ending of a file of weights."""
CODEC = "codec"
CORRECTIONS = "corrections.tsv"
GLOSSARY = "glossary.tsv"
SUGGESTIONS = "suggestions.tsv"
LOCK = ".lock"
MARK = ".s2s-run"
"""The file by which ``--overwrite`` recognises a folder that it may replace: a config.yaml may be anybody's."""

_OF_USERS = (CORRECTIONS, GLOSSARY, SUGGESTIONS)
_FOLDERS = (CODEC, PAIRS, MEMBERS, BEST.parts[0], LAST.parts[0], EPOCHS)
READ = (CONFIG, CARD, METRICS, CORPUS, TRAINED, LOCK, MEMBERS_RECORD, *_FOLDERS, *_OF_USERS)
"""The names at the top of a run folder that s2s reads, or writes into."""


def find_run(path: Path | None, folder: Path = RUNS) -> Path:
    """The run at `path`, see `named_run`; None: the one of `folder` whose best weights were written last.

    Raises ModelFileError, with similar names in `folder`, when there is none, and for a folder in which a FIFO, a
    device or a link that leads out of it stands in the place of a file.
    """
    path = _newest(folder, [f"[!.]*/{BEST}"]) if path is None else named_run(path, folder)
    if path is None:
        named = "name a run folder (to translate, score or serve, with --model)"
        raise ModelFileError(f"no run with weights is in {folder}/: train one (s2s train), or {named}")
    if not path.exists():
        runs = {run.name: run for run in _inside(folder)}
        similar = [runs[name] for name in get_close_matches(path.name, runs)]
        raise ModelFileError(f"{path}: no such run folder{_did_you_mean(similar)}")
    check_contents(path, READ, error=ModelFileError)
    if not (path / CONFIG).is_file():
        made = "; unpack it, and name the folder" if path.suffix == ".zip" else "; s2s train makes one"
        meant = _did_you_mean(_inside(path) or _inside(path / RUNS))  # a comparison has its runs in the latter
        raise ModelFileError(f"{path}: not a run folder: it has no config.yaml{meant or made}")
    return path


def find_saved_last() -> Path:
    """The run of `runs/` with the newest checkpoint; ModelFileError when there is none."""
    run = _newest(RUNS, (f"{model}/{name}" for model in ("[!.]*", f"[!.]*/{MEMBERS}/*") for name in CHECKPOINTS))
    if run is None:
        raise ModelFileError(f"no run to resume is in {RUNS}/ here: name its folder with --out")
    return run


def named_run(path: Path, folder: Path = RUNS) -> Path:
    """The path of a run: a name alone means a run here, or else one in the folder."""
    is_elsewhere = path.name == str(path) and not (path / CONFIG).is_file() and (folder / path).exists()
    return folder / path if is_elsewhere else path


def _newest(folder: Path, patterns: Iterable[str]) -> Path | None:
    """The run in a folder that has the last written one of the files of these patterns; None where none has any."""
    found: list[tuple[int, Path]] = []
    for file in chain.from_iterable(map(folder.glob, patterns)):
        with suppress(OSError):  # gone meanwhile, or no right to look at it
            found.append((file.stat().st_mtime_ns, folder / file.relative_to(folder).parts[0]))
    return max(found)[1] if found else None


def _inside(folder: Path) -> list[Path]:
    """The runs in a folder, in the order of their names."""
    return [path.parent for path in sorted(folder.glob(f"*/{CONFIG}"))]


def _did_you_mean(runs: list[Path]) -> str:
    """The end of a message that names some of these runs; empty for none."""
    return f"; did you mean {' or '.join(map(str, runs[:3]))}?" if runs else ""


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
        raise UsageError(
            f"{path}: the folder is not empty and not a run (it has no {MARK}); choose another one with --out"
        )
    if not overwrite:
        raise UsageError(
            f"{path}: a run is there already; --resume continues it, --overwrite replaces it, --out names another"
        )
