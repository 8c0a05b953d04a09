"""Exports: a run in the form in which others use it."""

from pathlib import Path

from seq2seq_cli.decoding.engines.open_engine import ensure_exported
from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.output import output_file
from seq2seq_cli.runs.archive import is_archive, opened_run, pack
from seq2seq_cli.runs.weights import read_weights
from seq2seq_cli.text.sides import load_codecs


def export(run: Path | str | None, out: Path | str, *, overwrite: bool = False) -> Path:
    """Write a run in the format that the name of `out` asks for, and return that path.

    A folder, without an ending: programs in any language can translate from it; see `standalone`. .html: a page that
    translates in a browser; see `write_page`. .zip: one file with what translating with s2s needs, which ``--model``
    and `load` take. `run` is a run folder, one of its files of weights, an archive that was written here, or None for
    the newest run of ``runs/``.

    Raises UsageError for another ending, for a file that is there already unless `overwrite` is given, and for a folder
    that is not empty; ModelFileError when a file of the run is missing, damaged, or does not fit the others;
    ExportError when the model cannot be exported.
    """
    path, out = None if run is None else Path(run), Path(out)
    if out.suffix.lower() not in ("", ".html", ".zip"):
        raise UsageError(f"{out}: not the name of an export: let it end in .zip or .html, or have no ending")
    with opened_run(path) as folder:
        read_weights(folder.chosen or folder.best_path)  # raises what is wrong with them, before anything is made
        match out.suffix.lower():
            case ".html":
                from seq2seq_cli.decoding.page.export_page import write_page

                write_page(folder, out, overwrite=overwrite)
            case ".zip":
                with output_file(out, overwrite=overwrite) as file:
                    load_codecs(folder.path)
                    ensure_exported(folder)
                    pack(folder, file, path.stem if path and is_archive(path) else folder.path.resolve().name)
            case _:
                from seq2seq_cli.decoding.engines.standalone import write_folder

                write_folder(folder, out)
    return out
