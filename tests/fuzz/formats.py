"""The file formats that s2s reads: where a valid file lies, how it is spoilt, and the commands that read it."""

import gzip
import hashlib
import io
import json
import shlex
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.commands import SMALL, settings
from tests.corpora import pair_lines
from tests.documents import DOCUMENTS
from tests.fuzz import mutations
from tests.fuzz.mutations import Chance, Mutation
from tests.pair_formats import files, some_pairs
from tests.site import archive_of

WITHOUT_TORCH = "without-torch "
"""Before a command: it runs as where torch is not installed."""

PREPARED, RUN, EXPORT = "prepared", "runs", "export"
_RUN = "runs/first"

TRANSLATE = "translate --model runs/first 'Tom sees 3 cats.' 'Anna!' --score --align"
WITH_TORCH = "translate --model runs/first --set decoding.engine=torch 'Tom sees 3 cats.'"
AS_JSON = "translate --model runs/first --format json 'Tom sees 3 cats.'"
EXPORT_RUN = "export runs/first new"
LIST = "runs"
INSPECT = "inspect prepared"
_FEW = "--set data.valid_sources=2 --set data.test_sources=4"
_SMALL = " ".join(settings(*SMALL))
_SHORT = "--set training.device=cpu --set training.epochs=1 --set training.precision=fp32 --set training.batch_size=64"
# What a model without knowledge writes never ends by itself.
_BRIEF = "--set decoding.max_length_factor=0 --set decoding.max_length_extra=6 --set decoding.beam_size=2"
_BRIEFER = "--set decoding.max_length_extra=1 --set decoding.beam_size=1"
TRAIN = f"train --data prepared --out new {_SMALL} {_SHORT} --set training.batch_unit=sentence {_BRIEF}"
FURTHER = f"train --data prepared --init-from runs/first --out new {_SHORT}"
RESUME = f"train --resume --out runs/first --set training.epochs=2 {_BRIEFER}"

_READ_CORPUS = (INSPECT, INSPECT, INSPECT, TRAIN)
_READ_RECORDS = (
    *4 * [LIST],
    *2 * ["runs compare first second"],
    "runs plot first --out curves.svg --metric bleu",
    RESUME,
)
_READ_EXPORTED = (TRANSLATE, AS_JSON, EXPORT_RUN)
_READ_GRAPHS = (*_READ_EXPORTED, *(WITHOUT_TORCH + command for command in 7 * _READ_EXPORTED))
"""Where torch is installed a damaged graph is made anew, which takes long."""
_OF_EPOCH = "translate --model runs/first/epochs/0001.safetensors"
_ENSEMBLE = "translate --model runs/first --model runs/first/epochs/0001.safetensors Anna"


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    name: str
    path: str
    """The file to spoil, in a folder with the valid files; ``*`` in it stands for any name."""
    commands: Sequence[str]
    """Each reads the file; without an input, the file itself is what flows in."""
    mutations: Sequence[Mutation]
    needs: Sequence[str] = ()
    """The other files and folders that the commands read."""
    is_sealed: bool = False
    """Whether the manifest of the prepared folder has its hash, which is mostly made to fit."""
    flows_in: bool = False
    """Whether the commands read the file from their standard input."""


def seal(folder: Path) -> None:
    """Write the sizes and hashes of a prepared folder's files into its manifest."""
    manifest = json.loads((folder / PREPARED / "manifest.json").read_text(encoding="utf-8"))
    for name in manifest["files"]:
        path = folder / PREPARED / name
        if path.is_file():
            content = path.read_bytes()
            manifest["files"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / PREPARED / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


PAIRS = ("\n".join(pair_lines(80)) + "\n").encode("utf-8")
"""The pairs that all valid files are made from."""


def _zip(chance: Chance, content: bytes) -> bytes:
    """An archive of spoilt pairs, or a spoilt archive."""
    if chance.random() < 0.5:
        return mutations.of_bytes(chance, content)
    return mutations.zipped(chance, [content, PAIRS, mutations.of_lines(chance, PAIRS), b"", mutations.zeros(chance)])


def _gzip(chance: Chance, content: bytes) -> bytes:
    if chance.random() < 0.5:
        return mutations.of_bytes(chance, content)
    texts = mutations.of_lines(chance, PAIRS), content, mutations.zeros(chance)
    return mutations.gzipped(chance, chance.choice(texts))


def _utf16(chance: Chance, content: bytes) -> bytes:
    """Pairs in another encoding."""
    spoilt = mutations.of_lines(chance, content).decode("utf-8", "replace")
    return mutations.of_bytes(chance, spoilt.encode(chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig"))))


def _weights(chance: Chance, content: bytes) -> bytes:
    """Other weights, with the hash that belongs to them."""
    import numpy as np
    from safetensors.numpy import load

    from seq2seq_cli.runs.weights import save_weights

    changed: Any = mutations.altered(chance, load(content))
    named = changed.items() if isinstance(changed, dict) else ()
    arrays = {name: array for name, array in named if isinstance(array, np.ndarray)}
    with TemporaryDirectory() as folder:
        save_weights(Path(folder, "weights"), arrays)
        return Path(folder, "weights").read_bytes()


def _onnx(chance: Chance, content: bytes) -> bytes:
    """A graph with another field."""
    import onnx
    from google.protobuf import json_format

    fields = json_format.MessageToDict(onnx.load_model_from_string(content))
    for _ in range(20):
        try:
            changed = json_format.ParseDict(mutations.altered(chance, fields), onnx.ModelProto())
        except (json_format.ParseError, ArithmeticError, AttributeError, SystemError, TypeError, ValueError):
            continue  # of another type, out of range, or a name that protobuf cannot look up
        return bytes(changed.SerializeToString())
    return mutations.of_bytes(chance, content)


def _checkpoint(chance: Chance, content: bytes) -> bytes:
    """A checkpoint with other values, or with a spoilt archive of torch, and the hash that belongs to it."""
    import torch

    end = content.rindex(b'\n{"format"')
    archive, record = content[:end], content[end:]
    if chance.random() < 0.3:
        changed = mutations.of_archive(chance, archive)
    else:
        saved = io.BytesIO()
        torch.save(mutations.altered(chance, torch.load(io.BytesIO(archive), weights_only=True)), saved)
        changed = saved.getvalue()
    old, new = (hashlib.sha256(each).hexdigest().encode("ascii") for each in (archive, changed))
    return changed + record.replace(old, new)


_BYTES = (mutations.of_bytes,)
_TEXT = (mutations.of_bytes, mutations.of_lines)
_ENCODED = (*_TEXT, _utf16)
_JSON = (*3 * [mutations.of_json], mutations.of_bytes)
_JSON_LINES = (*2 * [mutations.of_json_lines], *_TEXT)
_YAML = (*2 * [mutations.of_yaml], *_TEXT)
_NPY = (*2 * [mutations.of_npy], mutations.of_bytes)
_WEIGHTS = (*2 * [_weights], mutations.of_safetensors, mutations.of_bytes)

TABLES: Mapping[str, Sequence[Mutation]] = {
    "pairs.csv": _TEXT,
    "quoted.tsv": _TEXT,
    "pairs.jsonl": _JSON_LINES,
    "list.json": (mutations.of_json, *_TEXT),
    "memory.tmx": _TEXT,
    "catalogue.po": _TEXT,
    "texts.sfm": _TEXT,
    "memory.xliff": _TEXT,
    "phrases.flextext": _TEXT,
    "tiers.eaf": _TEXT,
    "dataset.parquet": _BYTES,
    "sheet.xlsx": (mutations.of_bytes, mutations.of_archive),
}


_MARKUP = (*2 * [mutations.of_elements], mutations.of_bytes)
_PACKED = (*2 * [mutations.of_archive], mutations.of_bytes)


def _of_document(name: str) -> Sequence[Mutation]:
    return _PACKED if zipfile.is_zipfile(io.BytesIO(DOCUMENTS[name])) else _MARKUP if name.endswith("ml") else _TEXT


def _prepare(name: str, *units: str) -> Sequence[str]:
    return [f"prepare {name} --out new --set text.unit={unit}" for unit in units or ("word", "character", "bpe")]


def _translate(model: str, *texts: str) -> Sequence[str]:
    return [f"translate --model {model} {text}" for text in texts]


FORMATS = [
    Format("pairs.txt", "pairs.txt", _prepare("pairs.txt"), _ENCODED),
    Format("pairs.zip", "pairs.zip", _prepare("pairs.zip"), (_zip,)),
    Format("pairs.gz", "pairs.txt.gz", _prepare("pairs.txt.gz"), (_gzip,)),
    *(Format(name, name, _prepare(name, "character"), mutations_) for name, mutations_ in TABLES.items()),
    Format("pairs on stdin", "pairs.txt", _prepare("-"), _TEXT, flows_in=True),
    Format(
        "aligned files",
        "src.txt",
        (
            *(f"prepare --src {src}.txt --tgt {tgt}.txt --out new" for src, tgt in (("src", "tgt"), ("tgt", "src"))),
            "prepare pairs.txt --test src.txt --out new",
        ),
        _ENCODED,
        ("tgt.txt", "pairs.txt"),
    ),
    *(
        Format(f"pairs of {kind}", f"two.*{end}", _prepare(f"two.en{end} two.de{end}", "character"), _ENCODED)
        for kind, end in (("verses", ".usfm"), ("subtitles", ".srt"))
    ),
    *(
        Format(name, name, _translate(_RUN, f"{name} --output new{Path(name).suffix}"), _of_document(name), (RUN,))
        for name in DOCUMENTS
    ),
    Format(
        "config",
        "config.yaml",
        (
            *("configs show config.yaml", "configs show config.yaml --short"),
            "prepare pairs.txt --config config.yaml --out new",
        ),
        _YAML,
        (PREPARED, "pairs.txt"),
    ),
    Format(
        "manifest.json",
        "prepared/manifest.json",
        (*_READ_CORPUS, "prepare pairs.txt --out prepared --overwrite"),
        _JSON,
        (PREPARED, "pairs.txt"),
    ),
    Format("codec of a corpus", "prepared/codec/*.json", _READ_CORPUS, _JSON, (PREPARED,), is_sealed=True),
    Format("ids", "prepared/*.npy", _READ_CORPUS, _NPY, (PREPARED,), is_sealed=True),
    Format(
        "split texts",
        "prepared/*.txt",
        (*_READ_CORPUS, "evaluate runs/first --data prepared --json"),
        _TEXT,
        (PREPARED, RUN),
        is_sealed=True,
    ),
    Format(
        "config.yaml",
        "runs/second/config.yaml",
        (
            *(each.replace(_RUN, "runs/second") for each in (*2 * [TRANSLATE, WITH_TORCH, FURTHER], RESUME)),
            *(LIST, "runs compare first second"),
        ),
        _YAML,
        (RUN, PREPARED, "pairs.txt"),
    ),
    Format(
        "codec of a run",
        f"{_RUN}/codec/*.json",
        (
            *(TRANSLATE, TRANSLATE, FURTHER),
            "score --model runs/first 'Tom sees 3 cats.' 'Tom sieht 3 Katzen.' --format json",
        ),
        _JSON,
        (RUN, PREPARED),
    ),
    Format(
        "similar pairs", f"{_RUN}/pairs/*.npy", (TRANSLATE, TRANSLATE, WITH_TORCH, f"{EXPORT_RUN}.zip"), _NPY, (RUN,)
    ),
    Format(
        "best weights",
        f"{_RUN}/best/model.safetensors",
        (TRANSLATE, WITH_TORCH, AS_JSON, LIST, "runs compare first second", EXPORT_RUN, FURTHER),
        _WEIGHTS,
        (RUN, PREPARED),
    ),
    Format(
        "weights of an epoch", f"{_RUN}/epochs/0001.safetensors", (f"{_OF_EPOCH} Anna", _ENSEMBLE), _WEIGHTS, (RUN,)
    ),
    Format("ONNX graphs", f"{_RUN}/best/*.onnx", _READ_GRAPHS, (*3 * [_onnx], mutations.of_bytes), (RUN,)),
    Format("export.json", f"{_RUN}/best/export.json", _READ_GRAPHS, _JSON, (RUN,)),
    Format(
        "checkpoint", f"{_RUN}/last/training.pt", (RESUME,), (*3 * [_checkpoint], mutations.of_bytes), (RUN, PREPARED)
    ),
    Format("metrics.jsonl", f"{_RUN}/metrics.jsonl", _READ_RECORDS, _JSON_LINES, (RUN, PREPARED)),
    Format("corpus.json", f"{_RUN}/corpus.json", _READ_RECORDS, _JSON, (RUN, PREPARED)),
    Format(
        "trained.json",
        f"{_RUN}/trained.json",
        (FURTHER, "evaluate runs/first --file pairs.txt --json"),
        _JSON,
        (RUN, PREPARED, "pairs.txt"),
    ),
    Format(
        "exported folder",
        "export/*/*",
        (
            *("translate --model export Anna", "export export new"),
            *7 * [f"{WITHOUT_TORCH}translate --model export Anna", f"{WITHOUT_TORCH}export export new"],
        ),
        _TEXT,
        (EXPORT,),
    ),
    Format("glossary", "glossary.tsv", _translate(_RUN, "--glossary glossary.tsv 'Tom sees 3 cats.'"), _TEXT, (RUN,)),
    Format(
        "standard input",
        "src.txt",
        _translate(_RUN, "", "--format json --nbest 2", "--score --align", "--attention"),
        _TEXT,
        (RUN,),
        flows_in=True,
    ),
    Format(
        "evaluated files",
        "[fh]*s.txt",
        (
            *3 * ["evaluate --hypotheses hypotheses.txt --file few_pairs.txt"],
            "evaluate --hypotheses hypotheses.txt --hypotheses hypotheses.txt --data prepared --json",
            *2 * ["evaluate runs/first --file few_pairs.txt --json"],
        ),
        _ENCODED,
        (RUN, PREPARED),
    ),
    Format(
        "gold alignment",
        "few_pairs.align",
        ["evaluate runs/first --file few_pairs.txt --alignment few_pairs.align" + option for option in ("", " --json")],
        _TEXT,
        ("few_pairs.txt", RUN),
    ),
    Format(
        "scored files",
        "*gt.txt",
        ("score --model runs/first src.txt tgt.txt", "score --model runs/first tgt.txt src.txt --format json"),
        _TEXT,
        ("src.txt", RUN),
    ),
]


def make_valid(folder: Path, run: Callable[[Sequence[str]], Any]) -> None:
    """Fill a folder with a valid file of each format; `run` runs a command of s2s there."""
    lines = PAIRS.decode("utf-8").splitlines()
    (folder / "pairs.txt").write_bytes(PAIRS)
    (folder / "pairs.zip").write_bytes(archive_of({"deu.txt": PAIRS}))
    (folder / "pairs.txt.gz").write_bytes(gzip.compress(PAIRS))
    for name, content in files(some_pairs(12), *TABLES).items():
        (folder / name).write_bytes(content)
    for column, name in enumerate(("src.txt", "tgt.txt")):
        text = "".join(line.split("\t")[column] + "\n" for line in lines[:3])
        (folder / name).write_text(text, encoding="utf-8")
    for column, language in enumerate(("en", "de")):
        numbered = [(n, line.split("\t")[column]) for n, line in enumerate(lines[:12], start=1)]
        verses = "".join(f"\\v {n} {text}\n" for n, text in numbered)
        (folder / f"two.{language}.usfm").write_text(f"\\id GEN\n\\c 1\n{verses}", encoding="utf-8")
        cues = (f"{n}\n00:00:{n:02},100 --> 00:00:{n:02},900\n{text}\n\n" for n, text in numbered)
        (folder / f"two.{language}.srt").write_text("".join(cues), encoding="utf-8")
    for name, content in DOCUMENTS.items():
        (folder / name).write_bytes(content)
    (folder / "few_pairs.txt").write_text("\n".join(lines[:4]) + "\n", encoding="utf-8")
    texts = "".join(line.split("\t")[1] + "\n" for line in lines[:4])
    (folder / "hypotheses.txt").write_text(texts, encoding="utf-8")
    (folder / "few_pairs.align").write_text("0-0 1-1 2?2 3-3\n" * 4, encoding="utf-8")
    (folder / "glossary.tsv").write_text("Tom\tPaul\ncats\tKatzen\ncats\tKater\n", encoding="utf-8")
    config = Path(__file__).parents[2] / "configs" / "luong_general.yaml"
    (folder / "config.yaml").write_bytes(config.read_bytes())
    run(shlex.split(f"prepare pairs.txt --out {PREPARED} --set text.unit=bpe {_FEW}"))
    run([*shlex.split(TRAIN), "--out", _RUN, "--set=training.keep=1", "--set=decoding.similar_pairs=2"])
    shutil.copytree(folder / _RUN, folder / RUN / "second")
    _shorten(folder / _RUN / "config.yaml")
    (folder / _RUN / "best" / "export.json").unlink()  # made for the longer config
    run(["export", _RUN, EXPORT])
    run(["export", _RUN, "run.zip"])  # which exports the model of the run anew
    run(shlex.split(AS_JSON))


def _shorten(path: Path) -> None:
    """Leave the defaults out of a config: reading YAML takes a third of the time of many commands."""
    import yaml

    from seq2seq_cli.config.loader import load_saved_config

    stated = load_saved_config(path).model_dump(exclude_defaults=True)
    path.write_text(yaml.safe_dump(stated), encoding="utf-8")
