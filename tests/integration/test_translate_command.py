"""``s2s translate`` as a user types it, with runs of small untrained models."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.plots.attention_text import attention_table
from seq2seq_cli.runs.folder import RunFolder
from tests.commands import S2S, Done, refused, s2s_here, succeeded, with_modules
from tests.folders import contents
from tests.untrained import make_run

GREETING = "English -> German, newest; Ctrl-D ends\n"
LINES = ["She kissed him.", "", "He saw the dog.", "   ", "The dog?", "She kissed him."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with some runs, of which the last is the newest."""
    folder = tmp_path_factory.mktemp("translate")
    make_run(folder / "runs" / "copying", copies=True)
    make_run(folder / "runs" / "blind", copies=True, score="none")
    make_run(folder / "runs" / "location", score="location")
    make_run(folder / "runs" / "newest")
    return folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, Translation]:
    """The translations of the lines by the newest run."""
    translator = load_translator(RunFolder(folder / "runs" / "newest"))
    translations = translator.translate(LINES)
    assert len({translation.text for translation in translations}) > 3
    return dict(zip(LINES, translations, strict=True))


def s2s(*arguments: str, folder: Path, text: str = "") -> Done:
    """Translate in the test's process."""
    return s2s_here(folder, "translate", "--device", "cpu", *arguments, text=text)


def in_a_process(folder: Path, *arguments: str, stdin: int | None = None, **environment: str) -> Done:
    """Translate in a process of its own."""
    command, variables = [*S2S, "translate", "--device", "cpu", *arguments], os.environ | environment
    return subprocess.run(
        command, cwd=folder, stdin=stdin, env=variables, capture_output=True, encoding="utf-8", check=False
    )


def test_a_pipe_gets_utf_8_where_the_system_has_another_encoding(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    (folder / "lines.txt").write_text("She saw https://grüße.de.\n", encoding="utf-8")
    said = in_a_process(folder, "--input", "lines.txt", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").stdout
    assert "https://grüße.de" in said


def test_nothing_is_reported_or_left_in_the_temporary_folder(folder: Path, tmp_path: Path) -> None:
    # ONNX Runtime leaves the number of its session there when it reports to its maker.
    succeeded(in_a_process(folder, "She kissed him.", TMPDIR=str(tmp_path)))
    assert not list(tmp_path.iterdir())


def test_arguments_are_sentences(folder: Path, expected: dict[str, Translation]) -> None:
    before = contents(folder / "runs")
    done = succeeded(s2s("She kissed Zoë.", "", LINES[2], "Zoë?", folder=folder))
    assert len(done.stdout.splitlines()) == 4
    assert done.stdout.splitlines()[1:3] == ["", expected[LINES[2]].text]
    assert done.stderr == "s2s: words that the model does not know: Zoë\n"
    assert contents(folder / "runs") == before


def test_a_pipe_has_a_line_for_each_line(folder: Path, expected: dict[str, Translation]) -> None:
    # A file as on another system: with a byte order mark and CRLF, and without an end of the last line.
    done = s2s(folder=folder, text="\ufeff" + "\r\n".join(LINES))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"{expected[line].text}\n" for line in LINES)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["she", "--draw", "map.gif"], ["map.gif", ".png, .svg, .pdf or .html"]),
        (["she", "--draw", "map"], ["map", ".png, .svg, .pdf or .html"]),
        (["she", "--draw", "nowhere/map.png"], ["nowhere", "make it first"]),
        (["she", "--draw", "map.html", "--output", "./map.html"], ["map.html", "give two names"]),
        (["she", "--set", "training.lr=1"], ["training.lr=1", "decoding."]),
        (["she", "--device", "tpu"], ["tpu", "cuda"]),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(folder: Path, arguments: list[str], told: list[str]) -> None:
    refused(s2s(*arguments, folder=folder), *told)


def test_a_model_without_attention_translates_and_has_none_to_show(folder: Path) -> None:
    translated = s2s("--model", "runs/blind", LINES[0], folder=folder)
    assert (translated.returncode, translated.stdout.count("\n")) == (0, 1)
    copied = s2s("--model", "runs/blind", "Zoë saw Ana, the dog.", folder=folder)
    assert copied.stdout.startswith("Zoë Ana")
    assert copied.stderr == "s2s: words that the model does not know: Zoë Ana ,\n"
    refused(s2s("--model", "runs/blind", "--attention", LINES[0], folder=folder), "--attention: this model has no")


def test_a_text_without_letters_has_no_attention_to_draw(folder: Path) -> None:
    done = s2s("--draw=none.png", "5 + 5", folder=folder)
    assert (done.returncode, done.stderr) == (0, "s2s: no attention to draw: none.png is not written\n")
    assert not (folder / "none.png").exists()
    (folder / "kept.html").write_text("a page", encoding="utf-8")
    done = s2s("--draw=kept.html", "--overwrite", "5 + 5", folder=folder)
    assert (done.returncode, done.stderr) == (0, "s2s: no attention to draw: kept.html is not written\n")
    assert (folder / "kept.html").read_text(encoding="utf-8") == "a page"


def test_attention_is_drawn_below_each_translation(folder: Path, expected: dict[str, Translation]) -> None:
    done = s2s("--attention", LINES[0], LINES[2], folder=folder)
    shown = [expected[LINES[0]], expected[LINES[2]]]
    assert done.stdout == "".join(f"{t.text}\n\n{attention_table(t.sentences[0], style='numbers')}\n\n" for t in shown)


def test_all_sentences_of_a_pipe_are_in_one_picture(folder: Path, expected: dict[str, Translation]) -> None:
    done = succeeded(s2s("--draw=map.png", folder=folder, text=f"{LINES[0]}\n\n{LINES[2]}\n"))
    assert done.stdout == f"{expected[LINES[0]].text}\n\n{expected[LINES[2]].text}\n"
    assert done.stderr == "s2s: attention written to map.png\n"
    assert [picture.name for picture in folder.glob("map*.png")] == ["map.png"]


def test_a_picture_says_how_many_sentences_it_shows(folder: Path, tmp_path: Path) -> None:
    done = s2s(f"--draw={tmp_path / 'many.png'}", folder=folder, text="she\n" * 100)
    assert re.fullmatch(r"s2s: attention of the first \d+ sentences written to .*many.png\n", done.stderr)
    assert done.stdout.count("\n") == 100


def test_an_override_changes_the_search(folder: Path, expected: dict[str, Translation]) -> None:
    assert expected[LINES[0]].sentences[0].tgt_tokens[1:]
    done = s2s("--set", "decoding.max_length_factor=0", "--set=decoding.max_length_extra=1", LINES[0], folder=folder)
    assert len(done.stdout.split()) == 1


def typed(folder: Path, keys: bytes, *, encoding: str) -> Done:
    """`s2s translate` at a terminal where these keys are pressed."""
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, keys)
    done = in_a_process(folder, stdin=theirs, PYTHONIOENCODING=encoding)
    os.close(ours)
    os.close(theirs)
    return done


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_the_prompt_asks_until_ctrl_d(folder: Path, expected: dict[str, Translation]) -> None:
    done = succeeded(typed(folder, f"{LINES[0]}\n\n{LINES[2]}\n\x04".encode(), encoding="utf-8"))
    # The output may be kept in a file: the prompt is not in it.
    assert done.stdout == f"{expected[LINES[0]].text}\n{expected[LINES[2]].text}\n"
    assert done.stderr == f"{GREETING}src> src> src> src> \n"


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_a_terminal_that_is_not_utf8_is_refused_at_the_prompt(folder: Path) -> None:
    done = typed(folder, "Grüße\n\x04".encode("latin-1"), encoding="utf-8:strict")
    assert (done.returncode, done.stdout) == (0, "")
    told = "s2s: error: standard input:1: character 3 is not UTF-8: check the terminal\n"
    assert done.stderr == f"{GREETING}src> {told}src> \n"


@pytest.mark.parametrize("run", ["newest", "copying", "blind", "location"])
def test_any_line_has_a_translation_or_stays_as_it_is(folder: Path, run: str) -> None:
    lines = [
        "the dog saw " * 3334,
        "\0\0\0",
        "😀 👍🏽",
        "She saw 😀 the dog 👍🏽!",
        "هو رأى الكلب.",
        "     ",
        "x" * 50_000,
        "...",
    ]
    lines += ["\x1b[31mShe\x07 saw \x9bZo\x00ë\u202e", "<b>", "</b> ** ` [", "\ufffd\ufdd0", "她看见了狗。" * 300]
    done = succeeded(s2s("--model", f"runs/{run}", folder=folder, text="\n".join(lines)))
    translations = done.stdout.split("\n")[:-1]
    assert len(translations) == len(lines)
    assert [translations[i] for i in (2, 5, 6, 7, 9, 10)] == [lines[i] for i in (2, 5, 6, 7, 9, 10)]
    assert translations[1] == ""
    assert not set(done.stdout) & {"\0", "\x1b", "\x07", "\x9b"}


def test_marks_and_line_breaks_of_a_passage_come_through(folder: Path) -> None:
    text = "# She saw\n\n- <b>The dog</b> saw https://a.org/x_1.\n- {name} or me@a.org?\n"
    done = s2s("--model", "runs/newest", text, folder=folder)
    title, blank, first, second, end = done.stdout.split("\n")[:-1]
    assert title.startswith("# ")
    assert (blank, end) == ("", "")
    assert first.startswith("- ")
    assert all(first.count(kept) == 1 for kept in ("<b>", "</b>", "https://a.org/x_1"))
    assert all(second.count(kept) == 1 for kept in ("{name}", "me@a.org"))


def test_without_a_run_it_says_to_train_first(tmp_path: Path) -> None:
    refused(s2s("she", folder=tmp_path), "train")


def test_translating_imports_little_and_nothing_that_prepares_trains_or_evaluates(folder: Path) -> None:
    done, modules = with_modules(folder, "translate", text="She saw him.\n")
    assert done.stdout.count("\n") == 1
    rooms = {module.split(".")[1] for module in modules if module.startswith("seq2seq_cli.")}
    assert not rooms & {"training", "learning", "preparation", "evaluation", "corpus", "pairs"}
    assert "decoding" in rooms
    assert "onnxruntime" in modules
    libraries = {"scipy", "sacrebleu", "matplotlib", "tokenizers", "filelock", "psutil", "torch", "spacy", "pydantic"}
    assert modules.isdisjoint(libraries | {"yaml", "jaxtyping", "langcodes", "onnx", "rich", "tqdm"})
