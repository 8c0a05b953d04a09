"""The ways of texts into ``s2s translate`` and of translations out of it: pipes, files and the prompt."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load
from tests.commands import S2S, Done, refused, s2s_here, succeeded
from tests.terminal import CTRL_D, Terminal, on_terminal
from tests.unit.pages.test_page import Parsed
from tests.untrained import make_run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes and terminals")

TRANSLATE = (*S2S, "translate", "--device", "cpu")
LINES = ["She kissed him.", "He saw the dog.", "The dog?", "she saw him ."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with some runs."""
    folder = tmp_path_factory.mktemp("routes")
    make_run(folder / "runs" / "location", score="location")
    make_run(folder / "runs" / "copying", copies=True)
    (folder / "looping.png").symlink_to("looping.png")
    make_run(folder / "runs" / "newest")
    return folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, str]:
    """The translations of the lines."""
    return dict(zip(LINES, load(folder / "runs" / "newest", device="cpu").translate(LINES), strict=True))


def s2s(*arguments: str, folder: Path, text: str = "") -> Done:
    return s2s_here(folder, "translate", "--device", "cpu", *arguments, text=text)


# Pipes


@pytest.mark.parametrize("module", ["onnxruntime", "numpy"])
def test_ctrl_c_while_a_module_is_imported_is_quiet(folder: Path, module: str) -> None:
    # As pybind11 does it: the module's import fails because of the interruption.
    code = f"""
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as interrupt:
                raise ImportError("initialization failed") from interrupt
sys.meta_path.insert(0, Interrupting())
sys.argv = ["s2s", "translate", "She kissed him."]
from seq2seq_cli.__main__ import main
main()
"""
    load(folder / "runs" / "newest", device="cpu")  # exported
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_program_that_waits_for_each_answer_gets_it(folder: Path, expected: dict[str, str]) -> None:
    with subprocess.Popen(
        TRANSLATE, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in [*LINES, ""]:
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline().decode() == f"{expected.get(line, '')}\n"
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0


def test_many_lines_keep_their_order(folder: Path, expected: dict[str, str]) -> None:
    assert len({*expected.values()}) > 1
    lines = ["" if i % 7 == 6 else LINES[pow(3, i, 10_007) % len(LINES)] for i in range(5_000)]  # without a period
    # A file as on another system: with a byte order mark and CRLF, and without an end of the last line.
    done = s2s(folder=folder, text="\ufeff" + "\r\n".join(lines))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"{expected.get(line, '')}\n" for line in lines)


def peak_memory(folder: Path, lines: int) -> int:
    """Bytes that the command has at most, for so many lines."""
    command = f"yes 'She kissed him.' | head -{lines} | \"$@\" > out.txt"
    program = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    measured = [sys.executable, "-c", program, "sh", "-c", command, "sh", *TRANSLATE]
    done = subprocess.run(measured, cwd=folder, capture_output=True, check=True)
    assert (folder / "out.txt").read_text(encoding="utf-8").count("\n") == lines
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


def test_memory_does_not_grow_with_the_lines(folder: Path, expected: dict[str, str]) -> None:
    # The model has been exported by now, which takes torch and much more memory than translating.
    assert peak_memory(folder, 21_000) < peak_memory(folder, 1000) + 4e6  # 200 bytes a line


def test_a_reader_that_has_enough_is_nothing_to_tell(folder: Path, expected: dict[str, str]) -> None:
    command = "yes 'She kissed him.' | \"$@\" | head -1"
    done = subprocess.run(["sh", "-c", command, "sh", *TRANSLATE], cwd=folder, capture_output=True, check=False)
    assert (done.stdout.decode(), done.stderr) == (f"{expected[LINES[0]]}\n", b"")


def test_a_bad_byte_loses_neither_the_lines_nor_the_attention_before_it(
    folder: Path, tmp_path: Path, expected: dict[str, str]
) -> None:
    page = tmp_path / "attention.html"
    done = s2s("--draw", str(page), folder=folder, text="\n".join([*LINES, "k\udcfcsste", LINES[0]]))
    assert done.returncode == 2
    assert len(Parsed(page.read_bytes()).data["texts"]) == len(LINES)
    assert done.stdout.splitlines() == [expected[line] for line in LINES]
    told = "s2s: error: standard input:5:2: byte 0xfc is not UTF-8: save it as plain text in UTF-8"
    assert done.stderr.splitlines()[-1] == told


def test_a_bad_first_line_leaves_the_attention_of_another_day_alone(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "attention.html"
    page.write_text("mine", encoding="utf-8")
    refused(s2s("--draw", str(page), "--overwrite", folder=folder, text="k\udcfcsste\n"))
    assert page.read_text(encoding="utf-8") == "mine"


# Files


def test_from_file_to_file(folder: Path, tmp_path: Path, expected: dict[str, str]) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    lines = [*LINES, "", LINES[0]]
    source.write_bytes("\r\n".join(lines).encode())
    done = s2s("--input", str(source), "--output", str(target), folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert target.read_text(encoding="utf-8") == "".join(f"{expected.get(line, '')}\n" for line in lines)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.txt"]


def test_a_file_is_replaced_only_when_asked_and_only_by_a_whole_one(
    folder: Path, tmp_path: Path, expected: dict[str, str]
) -> None:
    target = tmp_path / "out.txt"
    target.write_text("kept\n", encoding="utf-8")
    refused(s2s(LINES[0], "--output", str(target), folder=folder), "out.txt: exists already", "--overwrite")
    (tmp_path / "bad.txt").write_bytes(b"she\n\xff\n")
    failed = s2s("--input", str(tmp_path / "bad.txt"), "-o", str(target), "--overwrite", folder=folder)
    refused(failed, "bad.txt:2:1: byte 0xff")
    assert target.read_text(encoding="utf-8") == "kept\n"
    succeeded(s2s(LINES[0], "-o", str(target), "--overwrite", folder=folder))
    assert target.read_text(encoding="utf-8") == f"{expected[LINES[0]]}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "out.txt"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["she", "--input", "in.txt"], ["--input", "TEXT"]),
        (["--input", "none.txt"], ["none.txt: no such file"]),
        (["--input", "/proc/self/mem"], ["/proc/self/mem: cannot be read"]),
        (["she", "--output", "looping.png"], ["looping.png: a link that leads to itself"]),
        (["--input", "runs"], ["runs: cannot be read"]),
        (["she", "--output", "runs"], ["runs: this is a folder"]),
        (["she", "--output", "none/out.txt"], ["no folder none"]),
        (["she", "--nbest", "0"], ["--nbest", "1"]),
        (["she", "--nbest", "1001"], ["--nbest", "1000"]),
        (["she", "--draw", "looping.png", "--output", "other.txt"], ["looping.png", "a link that leads to itself"]),
    ],
)
def test_wrong_options_are_refused_in_one_line(folder: Path, arguments: list[str], told: list[str]) -> None:
    refused(s2s(*arguments, folder=folder), *told)


# Formats


def test_an_object_per_line_in_any_encoding(folder: Path) -> None:
    command = [*TRANSLATE, "--model", "runs/copying", "--format", "json"]
    text = "Zoë saw 東.\n\nshe\n".encode()
    objects = {}
    for encoding in ("utf-8", "ascii"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(command, cwd=folder, input=text, env=environment, capture_output=True, check=True)
        objects[encoding] = [json.loads(line) for line in done.stdout.decode(encoding).splitlines()]
    assert objects["utf-8"] == objects["ascii"]
    assert [content["source"] for content in objects["utf-8"]] == ["Zoë saw 東.", "", "she"]
    assert {"Zoë", "東"} <= set(objects["utf-8"][0]["copied"])


def test_the_best_few(folder: Path, expected: dict[str, str]) -> None:
    done = s2s("--nbest", "3", "--score", LINES[0], LINES[1], folder=folder)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(lines) == 6
    assert len({text for text, *_ in lines[:3]}) == 3
    assert [lines[0][0], lines[3][0]] == [expected[LINES[0]], expected[LINES[1]]]


# Models


def test_several_models_translate_together(folder: Path) -> None:
    texts = ("--score", "She kissed him.", "The dog?")
    alone = [s2s("--model", f"runs/{name}", *texts, folder=folder).stdout for name in ("newest", "location")]
    models = ("--model", "runs/newest", "--model", "runs/location")
    done = s2s(*models, *texts, folder=folder)
    assert (done.returncode, done.stdout.count("\n")) == (0, 2)
    assert done.stdout not in alone


def test_models_with_other_vocabularies_do_not_translate_together(folder: Path) -> None:
    path = make_run(folder / "elsewhere" / "other").path / "codec" / "tgt.json"
    codec = json.loads(path.read_text(encoding="utf-8"))
    codec["words"].reverse()
    path.write_text(json.dumps(codec), encoding="utf-8")
    done = s2s("--model", "runs/newest", "--model", "elsewhere/other", "she", folder=folder)
    refused(done, "elsewhere/other: has other vocabularies than runs/newest")


# Demands


def test_a_beginning_and_a_glossary(folder: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.tsv"
    terms.write_text("dog\tHund\ndog\tden Hund\nShe\tsie\n", encoding="utf-8")
    demands = ("--prefix", "er sah", "--glossary", str(terms))
    done = succeeded(s2s(*demands, "--format", "json", *LINES, folder=folder))
    for line, content in zip(LINES, map(json.loads, done.stdout.splitlines()), strict=True):
        words = re.findall(r"\w+", content["translation"])
        assert words[:2] == ["er", "sah"]
        assert "dog" not in line or "Hund" in words
        assert "She" not in line or "sie" in words
        assert set(content["forced"]) <= {"er", "sah", "den", "Hund", "sie"}


def test_demands_that_cannot_be_met_are_refused(folder: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.tsv"
    terms.write_text("dog\tHund\n\ndog Hund\n", encoding="utf-8")
    refused(s2s("--glossary", str(terms), "she", folder=folder), "terms.tsv:3: needs a term, a tab")
    refused(s2s("--glossary", "none.tsv", "she", folder=folder), "none.tsv: no such file")
    terms.write_text("dog\tQuokka\n", encoding="utf-8")
    refused(s2s("--glossary", str(terms), "she", folder=folder), "--glossary: dog: ", "Quokka")
    refused(s2s("--prefix", "Quokka", "she", folder=folder), "error: --prefix Quokka: ")
    terms.write_text("dog\tHund\n", encoding="utf-8")
    drawn = s2s("--glossary", str(terms), "--set", "decoding.sampling=true", "she", folder=folder)
    refused(drawn, "--glossary", "decoding.sampling")


# Terminals


def test_a_bar_shows_how_far_a_file_is(folder: Path, tmp_path: Path, expected: dict[str, str]) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(f"{LINES[0]}\n" * 3, encoding="utf-8")
    with on_terminal([*TRANSLATE, "--input", str(source), "--output", str(target)], folder) as terminal:
        code, shown = terminal.wait()
    assert code == 0
    assert "translate: " in shown
    assert target.read_text(encoding="utf-8") == f"{expected[LINES[0]]}\n" * 3


@pytest.fixture
def prompt(folder: Path) -> Iterator[Terminal]:
    """`s2s translate` at a terminal, once it asks."""
    with on_terminal(TRANSLATE, folder, TERM="dumb") as terminal:
        terminal.read_to("src> ")
        yield terminal


def answer(terminal: Terminal, line: str) -> str:
    """What follows a line that is typed, to the next prompt."""
    terminal.press(f"{line}\n")
    shown = terminal.read_to("src> ")
    assert shown.startswith(f"{line}\n")
    return shown.removeprefix(f"{line}\n").removesuffix("src> ")


def test_the_prompt_answers_until_exit(prompt: Terminal, expected: dict[str, str]) -> None:
    assert answer(prompt, LINES[0]) == f"{expected[LINES[0]]}\n"
    assert answer(prompt, " ") == ""
    prompt.press(" exit\n")
    assert prompt.wait() == (0, " exit\n")


def test_the_prompt_greets_and_warns_once(folder: Path) -> None:
    command = [*TRANSLATE, "--model", "copying", "--model", "newest"]
    with on_terminal(command, folder, TERM="dumb") as terminal:
        greeting = terminal.read_to("src> ")
        assert greeting == "English -> German, copying + newest; Ctrl-D ends\nsrc> "
        strange = "Sie küsste ihn gestern ."
        assert answer(terminal, strange).count("warning: 4 of 4 words are not known") == 1
        assert "are not known" not in answer(terminal, strange)
        terminal.press(CTRL_D)
        assert terminal.wait()[0] == 0


def test_ctrl_c_clears_the_line_and_ctrl_d_ends(prompt: Terminal, expected: dict[str, str]) -> None:
    prompt.press("half of a sen")
    prompt.read_to("half of a sen")
    assert "Ctrl-D" in prompt.interrupt_to("src> ")
    assert answer(prompt, LINES[1]) == f"{expected[LINES[1]]}\n"
    prompt.press(CTRL_D)
    code, shown = prompt.wait()
    assert (code, shown.strip()) == (0, "")
