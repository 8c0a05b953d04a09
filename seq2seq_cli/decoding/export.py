"""Exports: a run in the form in which others use it."""

import logging
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from seq2seq_cli.config.catalog import shipped_folder
from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.decoding.load import ensure_exported
from seq2seq_cli.errors import RESTORE, ModelFileError, UsageError
from seq2seq_cli.files.whole_folder import whole_folder
from seq2seq_cli.files.writing import contents, output_file, write_json, write_whole
from seq2seq_cli.runs import layout
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import BEST, CARD, CONFIG, CORPUS, EXPORT_RECORD, EXPORTED, MARK, METRICS, PAIR_FILES
from seq2seq_cli.runs.records import TestRecord, read_history
from seq2seq_cli.runs.weights import read_weights
from seq2seq_cli.text.sides import CODEC_FILES, SIDES, load_codecs

_PROGRAM, _README = "translate_onnx.py", "translate_onnx.md"
"""The files of an exported folder that translate with it, and explain it to programs in other languages."""
_STORED = (BEST, *PAIR_FILES.values())
"""The files that deflate hardly makes smaller."""
_NEEDED = (BEST, *layout.OF_PAIRS.values(), *EXPORTED, Path(CONFIG), *map(Path, CODEC_FILES))
"""The files that translating needs: none that only training reads."""
_SCORED_WITH_PAIRS = """
The scores above are of the translator with its training pairs. They are left out here: it translates less well.
"""

logger = logging.getLogger(__name__)


def export(run: Path | str | None, out: Path | str, *, overwrite: bool = False, with_pairs: bool = False) -> Path:
    """Write a run in the format that the name of `out` asks for, and return that path.

    A folder, without an ending: programs in any language can translate from it, as the README.md in it says. .html: a
    page that translates in a browser; see `write_page`. .zip: the run as one file, without what only training needs, to
    be unpacked and translated with. `run` is a run folder, one of its files of weights, or None for the newest run of
    ``runs/``. The training pairs that translations of the run consult are left out, with a warning, unless `with_pairs`
    is given: whoever gets the export could read them.

    Raises UsageError for another ending or no name, for a file that is there already unless `overwrite` is given, and
    for a folder that is not empty; ModelFileError when a file of the run is missing, damaged, or does not fit the
    others; ExportError when the model cannot be exported.
    """
    out = Path(out)
    if out.suffix.lower() not in ("", ".html", ".zip") or out.name.lower() in ("-", ".html", ".zip"):
        raise UsageError(f"{out}: not the name of an export: give one such as german.zip, german.html or german")
    folder = RunFolder.find_model(None if run is None else Path(run))
    members, ending = folder.members, out.suffix.lower()
    exported = members if ending == ".zip" else [folder]
    for member in exported:
        read_weights(member.weights_path)  # raises what is wrong with them, before anything is made
    consults = folder.config().decoding.similar_pairs > 0
    pair_files = [member.path / file for member in exported for file in PAIR_FILES.values()] if consults else []
    if with_pairs and (missing := next((file for file in pair_files if not file.is_file()), None)):
        raise ModelFileError(f"{missing}: missing: leave out --with-pairs, or {RESTORE}")
    if pair_files and not with_pairs:
        left_out = f"{folder.path}: the training pairs that it consults are left out"
        logger.warning("%s, and it translates as with decoding.similar_pairs=0: --with-pairs includes them", left_out)
    lacks = ["training pairs"] if pair_files and not with_pairs else []
    if len(members) > 1 and ending != ".zip":
        lacks.append("other models")
        logger.warning("%s: of its %d models, the first alone is exported: a .zip has all", folder.path, len(members))
    if ending == ".html":
        from seq2seq_cli.decoding.page.export_page import write_page

        write_page(folder, out, overwrite=overwrite, with_pairs=with_pairs, lacks=lacks)
    elif ending == ".zip":
        with output_file(out, overwrite=overwrite) as file:
            for member in members:
                load_codecs(member.path)
                ensure_exported(member)
            _pack(folder, file, with_pairs=with_pairs)
    else:
        _write_folder(folder, out, with_pairs=with_pairs)
    return out


def _write_folder(folder: RunFolder, out: Path, *, with_pairs: bool) -> None:
    """Write a new run folder, without what only training needs, from which programs in any language can translate."""
    if out.exists() and not (out.is_dir() and not contents(out)):
        raise UsageError(f"{out}: is there already, and no folder is replaced: remove it, or choose another name")
    codecs = load_codecs(folder.path)
    with whole_folder(out) as made:
        for part, content in _parts(folder, with_pairs=with_pairs):
            (made / part).parent.mkdir(exist_ok=True)
            (made / part).write_bytes(content)
        for side, codec in zip(SIDES, codecs, strict=True):
            units = [codec.vocabulary.unit(id_) for id_ in range(len(codec.vocabulary))]
            write_json(made / f"{side}_units.json", units)
        ensure_exported(RunFolder(made))
        examples = shipped_folder().with_name("examples")
        shutil.copyfile(examples / _PROGRAM, made / _PROGRAM)
        src, tgt = (codec.config.language for codec in codecs)
        template = (examples / _README).read_text(encoding="utf-8")
        readme = template.format(src=src, tgt=tgt, unit=codecs[0].unit, program=_PROGRAM)
        write_whole(made / CARD, readme.encode("utf-8"))


def _pack(run: RunFolder, file: BinaryIO, *, with_pairs: bool) -> None:
    """Write a run as a zip archive of one folder; its weights are the best or the chosen ones."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

    folder = Path(re.sub(r'[<>:"\\|?*]', "_", run.path.resolve().name))  # Windows unpacks no other names
    has_scores = (run.path / METRICS).exists() and not run.chosen  # the README.md of an exported folder is no card
    others = [MARK, *([CARD, METRICS] if has_scores else []), *([] if run.chosen else [layout.MEMBERS_RECORD])]
    with ZipFile(file, "w") as archive:
        for member in run.members:
            place = folder / member.path.relative_to(run.path)
            for part, content in _parts(member, *map(Path, others), with_pairs=with_pairs):
                entry = ZipInfo((place / part).as_posix())  # of 1980: the same run has the same archive
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, content, ZIP_STORED if part in _STORED else ZIP_DEFLATED)


def _parts(run: RunFolder, *others: Path, with_pairs: bool) -> Iterator[tuple[Path, bytes]]:
    """The files that translating needs, and some others that are there; the best weights are the chosen ones."""
    changed = {} if with_pairs else _without_pairs(run)
    for part in (*_NEEDED, *others):
        path = run.chosen if run.chosen and part == BEST else run.path / part
        is_unfit = run.chosen and part in layout.FEATURE_FILES.values()  # they are of the best weights
        if path.exists() and not is_unfit and (with_pairs or part not in layout.OF_PAIRS.values()):
            yield part, changed[part] if part in changed else path.read_bytes()
    if (run.path / CORPUS).exists():
        yield Path(CORPUS), run.provenance().for_others().model_dump_json(exclude_none=True).encode("utf-8")


def _without_pairs(run: RunFolder) -> dict[Path, bytes]:
    """The files of a run that have pairs, or say which training pairs it consults, as they are without these."""
    config, records = run.config(), read_history(run.path).records
    consults = config.decoding.similar_pairs > 0
    kept = (record for record in records if not (consults and isinstance(record, TestRecord)))
    lines = (f"{record.model_dump_json(exclude={'attention'})}\n" for record in kept)
    changed = {Path(METRICS): "".join(lines).encode("utf-8")}
    if not consults:
        return changed
    if (card := run.path / CARD).exists():
        changed[Path(CARD)] = card.read_bytes() + _SCORED_WITH_PAIRS.encode("utf-8")
    decoding = config.decoding.model_copy(update={"similar_pairs": 0})
    changed[Path(CONFIG)] = content = dump_config(config.model_copy(update={"decoding": decoding})).encode("utf-8")
    with suppress(ModelFileError):  # it is exported in the copy
        changed[EXPORT_RECORD] = ExportRecord.read(run.path).of_config(content, decoding.options).content
    return changed
