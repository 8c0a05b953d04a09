"""``s2s export``, and the program that translates with what it writes."""

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.decoding.page.export_page import graph_data
from seq2seq_cli.errors import ExportError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CONFIG, CORPUS, DECODER, ENCODER, EXPORT_RECORD
from seq2seq_cli.runs.listing import about_run
from seq2seq_cli.runs.records import Provenance
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.text.characters import SPACING
from seq2seq_cli.text.sides import load_codecs
from seq2seq_cli.text.vocabulary import EOS_UNIT
from tests import records
from tests.commands import Done, output_of, refused, s2s_here, succeeded
from tests.folders import contents
from tests.unit.pages.test_page import Parsed
from tests.untrained import make_run

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "translate_onnx.py"
SENTENCES = ["she kissed him .", "he saw the dog ?", "the dog .", "she saw her ?", "", "he kissed ."]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A working directory with a run."""
    make_run(tmp_path / "runs" / "small")
    return tmp_path


def export(home: Path, target: str = "exported", *options: str) -> Done:
    return s2s_here(home, "export", "runs/small", target, *options)


def units_of(folder: Path, text: str) -> str:
    """The text cut into units, with spaces between."""
    codec, _ = load_codecs(folder)
    return " ".join(codec.vocabulary.unit(id_) for id_ in codec.read(text).ids)


def test_the_program_translates_as_s2s_does(home: Path) -> None:
    assert output_of(export(home)) == "exported: exported; exported/README.md says how to run it\n"
    readme = (home / "exported" / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# A translation model: en to de\n")
    units = json.loads((home / "exported" / "tgt_units.json").read_text(encoding="utf-8"))
    assert units == ["<pad>", "<unk>", "<bos>", "<eos>", *load_codecs(home / "exported")[1].vocabulary.words]

    exported = Path(shutil.move(home / "exported", home / "elsewhere"))
    shutil.rmtree(home / "runs")
    lines = "".join(f"{units_of(exported, sentence)}\n" for sentence in SENTENCES)
    program = [sys.executable, str(exported / PROGRAM.name), str(exported)]
    written = subprocess.run(program, input=lines, capture_output=True, encoding="utf-8", check=True).stdout

    settings = ("beam_size=1", "min_length=0", "no_repeat_ngram_size=0", "engine=torch")
    options = ("--format=json", "--attention", *(f"--set=decoding.{setting}" for setting in settings))
    done = s2s_here(home, "translate", "--model", "elsewhere", *options, text="".join(f"{s}\n" for s in SENTENCES))
    ours = succeeded(done).stdout  # an untrained model repeats itself, and there is a warning of that
    of_lines = [json.loads(line)["sentences"] for line in ours.splitlines()]
    tokens = [[token for each in of_line for token in each["tgt_tokens"] if token != EOS_UNIT] for of_line in of_lines]
    assert written.replace(SPACING, "").splitlines() == list(map(" ".join, tokens))
    assert len(set(written.splitlines())) > 1  # else the comparison would prove little


def test_the_program_needs_onnxruntime_and_numpy_alone_and_is_short() -> None:
    program = PROGRAM.read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {alias.name for node in imports for alias in node.names if isinstance(node, ast.Import)}
    assert modules - set(sys.stdlib_module_names) == {"numpy", "onnxruntime"}
    assert {node.module for node in imports if isinstance(node, ast.ImportFrom)} == {"pathlib"}
    lines = [line for line in program.split('"""', 2)[2].splitlines() if line.strip()]
    assert len(lines) <= 40


def test_no_folder_is_overwritten(home: Path) -> None:
    succeeded(export(home))
    for target in ("exported", "runs/small"):
        before = contents(home / target)
        done = export(home, target, "--overwrite")
        refused(done, f"{target}: is there already, and no folder is replaced: remove it, or choose another name")
        assert contents(home / target) == before


def test_the_weights_of_an_epoch_can_be_exported(home: Path) -> None:
    run = RunWriter(home / "runs" / "small")
    run.save_epoch(run.read_best(), 3, keep=1)
    run.best_path.write_bytes(b"not these")
    output_of(s2s_here(home, "export", "runs/small/epochs/0003.safetensors", "exported"))
    assert all((home / "exported" / name).is_file() for name in (ENCODER, DECODER, EXPORT_RECORD))


def test_an_exported_folder_is_listed_as_one_and_names_no_folder_of_this_machine(home: Path) -> None:
    record = Provenance(folder="/home/me/data/prepared", fingerprint="", pairs={"train": 9})
    (home / "runs" / "small" / "corpus.json").write_bytes(record.content)
    succeeded(export(home, "runs/exported"))
    assert "; exported\n" in output_of(s2s_here(home, "runs"))
    assert Provenance.read(home / "runs" / "exported" / "corpus.json").folder == "prepared"


def test_a_run_without_weights_is_named_and_nothing_is_left(home: Path) -> None:
    (home / "runs" / "small" / "best" / "model.safetensors").unlink()
    refused(export(home), "runs/small/best/model.safetensors: no such file: no epoch of this run is finished yet")
    assert not (home / "exported").exists()


def test_a_page_is_one_file_with_all_weights(home: Path) -> None:
    assert output_of(export(home, "page.html")) == "page.html: exported; open it in a browser\n"
    page = (home / "page.html").read_bytes()
    assert not re.search(rb"""(src|href|url)\s*[=(]\s*["']?https?:""", page)
    data = Parsed(page).data
    assert data["languages"] == ["en", "de"]
    weights = RunWriter(home / "runs" / "small").read_best()
    assert data["weights"]["shapes"] == {name: list(weight.shape) for name, weight in weights.items()}


def test_a_page_tells_who_made_it_from_what_how_good_it_is_and_what_to_type(home: Path) -> None:
    run = RunWriter(home / "runs" / "small")
    run.write(CONFIG, dump_config(run.config().with_value("training.author", "Zoë")).encode())
    pairs, files = {"train": 1200, "test": 9}, ["a.tsv", "b.tsv"]
    record = Provenance(folder="p", fingerprint="", pairs=pairs, pair_files=files, date="2026-01-31")
    run.write(CORPUS, record.content)
    test = records.held_out(1, 1, bleu=25).model_copy(update={"verdict": "Usable for the gist.", "example": "He ran."})
    records.write(run.path, [test])
    made = "Made by Zoë from 1,200 sentence pairs (a.tsv, b.tsv) on 2026-01-31."
    expected = {"lines": [made, "Usable for the gist."], "example": "He ran.", "names": ["English", "German"]}
    succeeded(export(home, "page.html"))
    page = (home / "page.html").read_bytes()
    assert b"<title>English - German</title>" in page
    assert Parsed(page).data["about"] == expected
    # Chosen weights have no scores, and a damaged record tells nothing.
    weights = run.path / "epochs" / "0001.safetensors"
    weights.parent.mkdir()
    weights.write_bytes(run.best_path.read_bytes())
    assert about_run(RunFolder(run.path, chosen=weights)) == {"lines": [made], "example": ""}
    (run.path / "corpus.json").write_text("{", encoding="utf-8")
    assert about_run(RunFolder(run.path, chosen=weights)) == {"lines": ["Made by Zoë."], "example": ""}


def test_a_page_replaces_a_file_only_when_that_is_asked_for(home: Path) -> None:
    for name in ("page.pdf", "model.onnx", "luong.v2"):
        refused(export(home, name), f"{name}: not the name of an export: ")
        assert not (home / name).exists()
    (home / "page.html").write_text("mine", encoding="utf-8")
    refused(export(home, "page.html"), "page.html: exists already: --overwrite replaces it")
    assert (home / "page.html").read_text(encoding="utf-8") == "mine"
    succeeded(export(home, "page.html", "--overwrite"))
    assert 'id="data"' in (home / "page.html").read_text(encoding="utf-8")


def test_what_a_page_cannot_do_is_refused_by_name(home: Path) -> None:
    run = RunWriter(home / "runs" / "small")
    config = run.path / "config.yaml"
    searching = config.read_text(encoding="utf-8")
    config.write_text(searching.replace("sampling: false", "sampling: true"), encoding="utf-8")
    done = export(home, "page.html")
    assert (done.returncode, "decoding.sampling is true" in done.stderr) == (1, True)

    codec = run.path / "codec" / "tgt.json"
    content = json.loads(codec.read_text(encoding="utf-8"))
    codec.write_text(json.dumps({**content, "tokenizer": None}), encoding="utf-8")
    config.write_text(searching, encoding="utf-8")
    done = export(home, "page.html")
    assert (done.returncode, "a program cuts de into words, which no page can run" in done.stderr) == (1, True)
    assert not (home / "page.html").exists()


def test_an_operation_that_a_page_cannot_compute_is_named(tmp_path: Path) -> None:
    node = onnx.helper.make_node("Einsum", ["a", "b"], ["c"], equation="i,j->ij")
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([node], "graph", [], [])), tmp_path / "graph.onnx")
    with pytest.raises(ExportError, match="the operation Einsum"):
        graph_data(tmp_path / "graph.onnx")
