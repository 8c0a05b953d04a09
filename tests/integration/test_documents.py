"""Documents on the command line."""

import shutil
import subprocess
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load
from tests.commands import Done, refused, s2s_here, succeeded
from tests.documents import DOCUMENTS, members
from tests.untrained import make_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a run and the documents."""
    folder = tmp_path_factory.mktemp("documents")
    make_run(folder / "runs" / "newest")
    for name, content in DOCUMENTS.items():
        (folder / name).write_bytes(content)
    (folder / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    (folder / "wrong.docx").write_bytes(DOCUMENTS["letter.odt"])
    (folder / "text.srt").write_text("Hello", encoding="utf-8")
    (folder / "blank.html").write_text("<p>1 + 2</p>", encoding="utf-8")
    return folder


def s2s(folder: Path, *arguments: str) -> Done:
    return s2s_here(folder, "translate", "--device", "cpu", *arguments)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_translated(folder: Path, tmp_path: Path, name: str) -> None:
    output = tmp_path / name
    done = s2s(folder, name, "--output", str(output))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(f"s2s: {name} is a")
    before, after = members(name, DOCUMENTS[name]), members(name, output.read_bytes())
    assert list(before) == list(after)
    assert before != after


def test_its_texts_are_translated_as_everywhere(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<meta charset="utf-8"><p>she kissed him</p><p>the {dog}</p>', encoding="utf-8")
    succeeded(s2s(folder, str(tmp_path / "a.html"), "--output", str(tmp_path / "b.html")))
    translator = load(folder / "runs" / "newest", device="cpu").translator
    first, second = (translation.text for translation in translator.translate(["she kissed him", "the {dog}"]))
    assert f"<p>{first}</p><p>{second}</p>" in (tmp_path / "b.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["letter.docx"], ["letter.docx", "--output FILE.docx"]),
        (["letter.docx", "--output", "a.odt"], ["a.odt", ".docx"]),
        (["nothere.docx", "--output", "a.docx"], ["nothere.docx", "no such file"]),
        (["letter.docx", "letter.odt", "--output", "a.docx"], ["one document"]),
        (["--input", "letter.docx", "--output", "a.docx"], ["letter.docx is a document"]),
        (["old.doc", "--output", "a.doc"], ["old.doc: is a file, but not a document", "--input old.doc"]),
        (["letter.docx", "--output", "letter.docx"], ["letter.docx", "exists already", "--overwrite"]),
        (["blank.html", "--output", "a.html"], ["blank.html", "no text to translate"]),
        (["wrong.docx", "--output", "a.docx"], ["wrong.docx", "no text to translate"]),
        (["text.srt", "--output", "a.srt"], ["text.srt", "no text to translate"]),
    ],
)
def test_what_cannot_be_done_is_refused(folder: Path, arguments: list[str], words: list[str]) -> None:
    refused(s2s(folder, *arguments), *words)
    assert not list(folder.glob("a.*"))


@pytest.mark.parametrize("texts", [["other.docx"], ["letter.docx", "she"], ["old.doc"]])
def test_what_is_no_document_is_a_text(folder: Path, texts: list[str]) -> None:
    assert s2s(folder, *texts).stdout.count("\n") == len(texts)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("name", ["letter.docx", "letter.odt"])
def test_libreoffice_opens_a_translated_document(folder: Path, tmp_path: Path, name: str) -> None:
    """Its text has as many lines as before, and other words."""
    shutil.copy(folder / name, tmp_path / name)
    succeeded(s2s(folder, name, "--output", str(tmp_path / f"translated_{name}")))
    found = []
    for each in (name, f"translated_{name}"):
        profile = f"-env:UserInstallation=file://{tmp_path}/profile"
        command = ["soffice", profile, "--headless", "--convert-to", "txt:Text", "--outdir", str(tmp_path), each]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
        text = (tmp_path / each).with_suffix(".txt").read_text(encoding="utf-8-sig")
        found.append(text.splitlines())
    assert len(found[0]) == len(found[1]) > 3
    assert found[0] != found[1]
