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

from tests.fuzz import mutations
from tests.fuzz.mutations import Chance, Mutation
from tests.pair_formats import files, some_pairs

WITHOUT_TORCH = "without-torch "
"""Before a command: it runs as where torch is not installed."""

PREPARED, RUN, EXPORT, ARCHIVE = "prepared", "runs", "export", "run.zip"
_RUN = "runs/first"

# The commands that read a run in several ways.
TRANSLATE = "translate --model runs/first 'Tom sees 3 cats.' 'Anna!' --score --align"
WITH_TORCH = "translate --model runs/first --set decoding.engine=torch 'Tom sees 3 cats.'"
WITH_INT8 = "translate --model runs/first --set decoding.precision=int8 --format json 'Tom sees 3 cats.'"
_AS_WELL = [WITHOUT_TORCH + command for command in 7 * (TRANSLATE, WITH_INT8, "export runs/first new")]
"""For the files of an exported model: where torch is installed a damaged one is made anew, which takes long."""
LIST = "runs"
COMPARE, PLOT = "runs compare first second", "runs plot first --out curves.svg --metric bleu"
_BRIEFER = "--set decoding.max_length_extra=1 --set decoding.beam_size=1"
RESUME = f"train --resume --out runs/first --set training.epochs=2 {_BRIEFER}"
INSPECT = "inspect prepared"
_FEW = "--set data.valid_sources=2 --set data.test_sources=4"
_SMALL = " ".join(
    f"--set model.{side}.{size}=8" for side in ("encoder", "decoder") for size in ("embedding_size", "hidden_size")
)
_SHORT = "--set training.device=cpu --set training.epochs=1 --set training.precision=fp32 --set training.batch_size=64"
# What a model without knowledge writes never ends by itself.
_BRIEF = "--set decoding.max_length_factor=0 --set decoding.max_length_extra=6 --set decoding.beam_size=2"
TRAIN = f"train --data prepared --out new {_SMALL} {_SHORT} --set training.batch_unit=sentence {_BRIEF}"
FURTHER = f"train --data prepared --init-from runs/first --out new {_SHORT}"


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
    seal: Callable[[Path], None] | None = None
    """Writes the hashes of the folder anew, so that what is behind them is reached."""
    flows_in: bool = False
    """Whether the commands read the file from their standard input."""


def _seal_prepared(folder: Path) -> None:
    """Write the sizes and hashes of a prepared folder's files into its manifest."""
    manifest = json.loads((folder / PREPARED / "manifest.json").read_text(encoding="utf-8"))
    for name in manifest["files"]:
        path = folder / PREPARED / name
        if path.is_file():
            content = path.read_bytes()
            manifest["files"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / PREPARED / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _zip(chance: Chance, content: bytes) -> bytes:
    """An archive of spoilt pairs, or a spoilt archive."""
    if chance.random() < 0.5:
        return mutations.of_bytes(chance, content)
    return mutations.zipped(chance, [content, PAIRS, mutations.of_lines(chance, PAIRS), b"", _zeros(chance)])


def _run_archive(chance: Chance, content: bytes) -> bytes:
    """An archive of a run or of a spreadsheet with a spoilt file, or without one."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(files))
    files[name] = chance.choice((b"", _zeros(chance), mutations.of_bytes(chance, files[name])))
    if chance.random() < 0.2:
        del files[name]
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, spoilt in files.items():
            archive.writestr(each if chance.random() < 0.98 else f"../{each}", spoilt)
    return written.getvalue()


def _gzip(chance: Chance, content: bytes) -> bytes:
    if chance.random() < 0.5:
        return mutations.of_bytes(chance, content)
    return mutations.gzipped(chance, chance.choice([mutations.of_lines(chance, PAIRS), content, _zeros(chance)]))


def _zeros(chance: Chance) -> bytes:
    """A text that is small when it is packed; seldom a large one, as packing it takes a second."""
    return bytes(10**7 if chance.random() < 0.03 else 10**5)


def _utf16(chance: Chance, content: bytes) -> bytes:
    """Pairs in another encoding."""
    spoilt = mutations.of_lines(chance, content).decode("utf-8", "replace")
    return mutations.of_bytes(chance, spoilt.encode(chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig"))))


def _weights(chance: Chance, content: bytes) -> bytes:
    """Other weights, with the hash that belongs to them."""
    from safetensors.numpy import load

    from seq2seq_cli.runs.weights import save_weights

    with TemporaryDirectory() as folder:
        path = Path(folder, "weights")
        save_weights(path, mutations.of_arrays(chance, load(content)))
        return path.read_bytes()


def _onnx(chance: Chance, content: bytes) -> bytes:
    """A graph with one or more other fields."""
    import onnx

    graph = onnx.load_model_from_string(content)
    for _ in range(chance.choice((1, 1, 2, 4))):
        mutations.of_message(chance, graph)
    return bytes(graph.SerializeToString())


def _checkpoint_archive(chance: Chance, content: bytes) -> bytes:
    """A checkpoint with the right hash of a spoilt archive."""
    return _with_archive(content, lambda archive: mutations.of_pt(chance, archive))


def _checkpoint_values(chance: Chance, content: bytes) -> bytes:
    """A whole checkpoint with some other values."""

    def other(archive: bytes) -> bytes:
        import torch

        values = torch.load(io.BytesIO(archive), weights_only=True)
        for _ in range(chance.choice((1, 1, 1, 2))):
            values = mutations.altered(chance, values)
        saved = io.BytesIO()
        torch.save(values, saved)
        return saved.getvalue()

    return _with_archive(content, other)


def _with_archive(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A checkpoint with another archive of torch, and the hash that belongs to it."""
    end = content.rindex(b'\n{"format"')
    archive, seal = content[:end], content[end:]
    changed = change(archive)
    old, new = (hashlib.sha256(each).hexdigest().encode("ascii") for each in (archive, changed))
    return changed + seal.replace(old, new)


def pairs() -> bytes:
    """The pairs that all valid files are made from."""
    from tests.corpora import pair_lines

    return ("\n".join(pair_lines(80)) + "\n").encode("utf-8")


PAIRS = pairs()
_TEXT = (mutations.of_bytes, mutations.of_lines)
_JSON = (mutations.of_json, mutations.of_json, mutations.of_json, mutations.of_bytes)


TABLES: Mapping[str, Sequence[Mutation]] = {
    "pairs.csv": _TEXT,
    "quoted.tsv": _TEXT,
    "pairs.jsonl": (mutations.of_json_lines, mutations.of_json_lines, *_TEXT),
    "list.json": (mutations.of_json, *_TEXT),
    "memory.tmx": _TEXT,
    "dataset.parquet": (mutations.of_bytes,),
    "sheet.xlsx": (mutations.of_bytes, _run_archive),
}


def _prepare(name: str) -> Sequence[str]:
    return [f"prepare {name} --out new --set text.unit={unit}" for unit in ("word", "character", "bpe")]


FORMATS = [
    Format("pairs.txt", "pairs.txt", _prepare("pairs.txt"), (*_TEXT, _utf16)),
    Format("pairs.zip", "pairs.zip", _prepare("pairs.zip"), (_zip,)),
    Format("pairs.gz", "pairs.txt.gz", _prepare("pairs.txt.gz"), (_gzip,)),
    *(
        Format(name, name, [f"prepare {name} --out new --set text.unit=character"], mutations_)
        for name, mutations_ in TABLES.items()
    ),
    Format("pairs on stdin", "pairs.txt", _prepare("-"), _TEXT, flows_in=True),
    Format(
        "aligned files",
        "src.txt",
        (
            "prepare --src src.txt --tgt tgt.txt --out new",
            "prepare --src tgt.txt --tgt src.txt --out new",
            "prepare pairs.txt --test src.txt --out new",
        ),
        (*_TEXT, _utf16),
        ("tgt.txt", "pairs.txt"),
    ),
    Format(
        "config",
        "config.yaml",
        (
            "configs show config.yaml",
            "configs show config.yaml --short",
            "prepare pairs.txt --config config.yaml --out new",
        ),
        (mutations.of_yaml, mutations.of_yaml, *_TEXT),
        (PREPARED, "pairs.txt"),
    ),
    Format(
        "manifest.json",
        "prepared/manifest.json",
        (INSPECT, INSPECT, TRAIN, "prepare pairs.txt --out prepared --overwrite"),
        _JSON,
        (PREPARED, "pairs.txt"),
    ),
    Format(
        "codec of a corpus",
        "prepared/codec/*.json",
        (INSPECT, INSPECT, INSPECT, TRAIN),
        _JSON,
        (PREPARED,),
        seal=_seal_prepared,
    ),
    Format(
        "ids",
        "prepared/*.???.npy",
        (INSPECT, INSPECT, INSPECT, TRAIN),
        (mutations.of_npy, mutations.of_npy, mutations.of_bytes),
        (PREPARED,),
        seal=_seal_prepared,
    ),
    Format(
        "offsets",
        "prepared/*.offsets.npy",
        (INSPECT, INSPECT, INSPECT, TRAIN),
        (mutations.of_npy, mutations.of_npy, mutations.of_bytes),
        (PREPARED,),
        seal=_seal_prepared,
    ),
    Format(
        "split texts",
        "prepared/*.txt",
        (INSPECT, INSPECT, INSPECT, TRAIN, "evaluate runs/first --data prepared --json"),
        _TEXT,
        (PREPARED, RUN),
        seal=_seal_prepared,
    ),
    Format(
        "config.yaml",
        "runs/second/config.yaml",
        (
            *(
                command.replace(_RUN, "runs/second")
                for command in (TRANSLATE, TRANSLATE, WITH_TORCH, WITH_TORCH, FURTHER, FURTHER, RESUME)
            ),
            *(LIST, COMPARE),
        ),
        (mutations.of_yaml, mutations.of_yaml, *_TEXT),
        (RUN, PREPARED, "pairs.txt"),
    ),
    Format(
        "codec of a run",
        f"{_RUN}/codec/*.json",
        (
            TRANSLATE,
            TRANSLATE,
            "score --model runs/first 'Tom sees 3 cats.' 'Tom sieht 3 Katzen.' --format json",
            "prepare pairs.txt --codec-from runs/first --out new",
        ),
        _JSON,
        (RUN, "pairs.txt"),
    ),
    Format(
        "similar pairs",
        f"{_RUN}/pairs/*.npy",
        (TRANSLATE, TRANSLATE, WITH_TORCH, "export runs/first new.zip"),
        (mutations.of_npy, mutations.of_npy, mutations.of_bytes),
        (RUN,),
    ),
    Format(
        "best weights",
        f"{_RUN}/best/model.safetensors",
        (TRANSLATE, WITH_TORCH, WITH_INT8, LIST, COMPARE, "export runs/first new", FURTHER),
        (_weights, _weights, mutations.of_safetensors, mutations.of_bytes),
        (RUN, PREPARED),
    ),
    Format(
        "weights of an epoch",
        f"{_RUN}/epochs/0001.safetensors",
        (
            "translate --model runs/first/epochs/0001.safetensors 'Tom sees 3 cats.'",
            "translate --model runs/first/epochs/0001.safetensors --set decoding.engine=torch 'Tom sees 3 cats.'",
            *3 * [f"{WITHOUT_TORCH}translate --model runs/first/epochs/0001.safetensors 'Tom sees 3 cats.'"],
            f"{WITHOUT_TORCH}translate --ensemble --model runs/first --model runs/first/epochs/0001.safetensors Anna",
        ),
        (_weights, _weights, mutations.of_safetensors, mutations.of_bytes),
        (RUN,),
    ),
    Format(
        "ONNX graphs",
        f"{_RUN}/best/*.onnx",
        (TRANSLATE, WITH_INT8, "export runs/first new", *_AS_WELL),
        (_onnx, _onnx, _onnx, mutations.of_bytes),
        (RUN,),
    ),
    Format(
        "export.json",
        f"{_RUN}/best/export.json",
        (TRANSLATE, WITH_INT8, "export runs/first new", *_AS_WELL),
        _JSON,
        (RUN,),
    ),
    Format(
        "checkpoint",
        f"{_RUN}/last/training.pt",
        (RESUME,),
        (_checkpoint_values, _checkpoint_values, _checkpoint_archive, mutations.of_bytes),
        (RUN, PREPARED),
    ),
    Format(
        "metrics.jsonl",
        f"{_RUN}/metrics.jsonl",
        (*4 * (LIST,), COMPARE, COMPARE, PLOT, RESUME),
        (mutations.of_json_lines, mutations.of_json_lines, *_TEXT),
        (RUN, PREPARED),
    ),
    Format(
        "corpus.json", f"{_RUN}/corpus.json", (*4 * (LIST,), COMPARE, COMPARE, PLOT, RESUME), _JSON, (RUN, PREPARED)
    ),
    Format(
        "trained.json",
        f"{_RUN}/trained.json",
        (FURTHER, "evaluate runs/first --file pairs.txt --json"),
        _JSON,
        (RUN, PREPARED, "pairs.txt"),
    ),
    Format("runs/latest", "runs/latest", ("translate 'Tom sees 3 cats.'", LIST, "score Tom Otto"), _TEXT, (RUN,)),
    Format(
        "exported folder",
        "export/*/*",
        (
            *("translate --model export 'Tom sees 3 cats.'", "export export new"),
            *7 * (f"{WITHOUT_TORCH}translate --model export 'Tom sees 3 cats.'", f"{WITHOUT_TORCH}export export new"),
        ),
        _TEXT,
        (EXPORT,),
    ),
    Format(
        "glossary",
        "glossary.tsv",
        ("translate --model runs/first --glossary glossary.tsv 'Tom sees 3 cats.'",),
        _TEXT,
        (RUN,),
    ),
    Format(
        "standard input",
        "src.txt",
        (
            "translate --model runs/first",
            "translate --model runs/first --format json --nbest 2",
            "translate --model runs/first --score --align",
            "translate --model runs/first --attention",
        ),
        _TEXT,
        (RUN,),
        flows_in=True,
    ),
    Format(
        "input file",
        "src.txt",
        (
            "translate --model runs/first --input src.txt --output new",
            "translate --model runs/first --input src.txt --attention new.json",
        ),
        _TEXT,
        (RUN,),
    ),
    Format(
        "evaluated files",
        "[fh]*s.txt",
        (
            *3 * ("evaluate --hypotheses hypotheses.txt --file few_pairs.txt",),
            "evaluate --hypotheses hypotheses.txt --hypotheses hypotheses.txt --data prepared --json",
            *2 * ("evaluate runs/first --file few_pairs.txt --json",),
        ),
        (*_TEXT, _utf16),
        (RUN, PREPARED),
    ),
    Format(
        "archive of a run",
        ARCHIVE,
        [WITHOUT_TORCH + f"translate --model {ARCHIVE} 'Tom sees 3 cats.'"],
        (mutations.of_bytes, _run_archive),
    ),
    Format(
        "gold alignment",
        "few_pairs.align",
        (
            "evaluate runs/first --file few_pairs.txt --alignment few_pairs.align",
            "evaluate runs/first --file few_pairs.txt --alignment few_pairs.align --json",
        ),
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
    with zipfile.ZipFile(folder / "pairs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deu.txt", PAIRS)
    (folder / "pairs.txt.gz").write_bytes(gzip.compress(PAIRS))
    for name, content in files(some_pairs(12), *TABLES).items():
        (folder / name).write_bytes(content)
    for column, name in enumerate(("src.txt", "tgt.txt")):
        text = "".join(line.split("\t")[column] + "\n" for line in lines[:3])
        (folder / name).write_text(text, encoding="utf-8")
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
    run(["export", _RUN, ARCHIVE])  # which exports the model of the run anew
    run(shlex.split(WITH_INT8))


def _shorten(path: Path) -> None:
    """Leave the defaults out of a config: reading YAML takes a third of the time of many commands."""
    import yaml

    from seq2seq_cli.config.schema.config import Config

    stated = _changed(yaml.safe_load(path.read_text(encoding="utf-8")), Config().model_dump())
    path.write_text(yaml.safe_dump(stated), encoding="utf-8")


def _changed(values: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The values that are not the defaults."""
    changed = {
        key: _changed(value, defaults[key]) if isinstance(value, dict) else value for key, value in values.items()
    }
    return {key: value for key, value in changed.items() if value != defaults[key] and value != {}}
