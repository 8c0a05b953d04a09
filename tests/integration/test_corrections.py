"""Corrections of the owner of a run, and suggestions of others: what counts, from when on, and for which sentences."""

import json
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load
from tests.commands import S2S, refused, s2s_here
from tests.servers import Answer, Server, running_server
from tests.terminal import on_terminal
from tests.untrained import make_run

TEXT, RIGHT = "she saw the dog .", "sie sah den Hund."
OTHERS = ["he kissed her .", "her dog kissed him ?", "he ."]
SUGGESTION = {"q": TEXT, "s": RIGHT, "source": "en", "target": "de"}


def suggested(server: Server, **changes: object) -> Answer:
    content = json.dumps(SUGGESTION | changes).encode()
    return server.ask("POST", "/suggest", content, {"Content-Type": "application/json"})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run").path


def test_a_correction_counts_from_the_next_text_on(run: Path) -> None:
    loaded = load(run)
    before = loaded.translate([TEXT, *OTHERS])
    assert before[0] != RIGHT
    told = s2s_here(run, "correct", TEXT, RIGHT, "--model", str(run))
    assert (told.returncode, told.stdout) == (0, "")
    assert f"added to {run / 'corrections.tsv'}: {RIGHT} (before: {before[0]})" in told.stderr
    assert (run / "corrections.tsv").read_text(encoding="utf-8") == f"{TEXT}\t{RIGHT}\n"
    # In a program that runs already, in a new one, and as one sentence of several.
    assert loaded.translate([TEXT, *OTHERS]) == [RIGHT, *before[1:]]
    assert s2s_here(run, "translate", TEXT, "--model", str(run)).stdout == f"{RIGHT}\n"
    assert loaded.translate(f"{OTHERS[0]} {TEXT}") == f"{before[1]} {RIGHT}"
    translation = loaded.explain(TEXT)
    assert translation.sentences[0].tgt_tokens[-1] == "<eos>"
    assert translation.sentences[0].forced == ()
    assert len(translation.sentences[0].weights) == len(translation.sentences[0].tgt_tokens)
    # The last correction counts, and none once the file is gone.
    assert s2s_here(run, "correct", TEXT, "er küsste den Hund.", "--model", str(run)).returncode == 0
    assert loaded.translate(TEXT) == "er küsste den Hund."
    (run / "corrections.tsv").unlink()
    assert loaded.translate([TEXT, *OTHERS]) == before


def test_the_prompt_takes_corrections_while_it_runs(run: Path) -> None:
    with on_terminal([*S2S, "translate", "--model", str(run)], run, TERM="dumb") as terminal:
        terminal.read_to("src> ")
        assert s2s_here(run, "correct", TEXT, RIGHT, "--model", str(run)).returncode == 0
        terminal.press(f"{TEXT}\n")
        assert RIGHT in terminal.read_to("src> ")


def test_like_sentences_follow_a_correction(run: Path) -> None:
    """The probabilities of a sentence like a corrected one are others, and those of unlike ones the same."""
    loaded = load(run)
    like = "she saw the dog ?"
    before = loaded.explain(like).sentences[0]
    (run / "corrections.tsv").write_text(f"{TEXT}\t{RIGHT}\n", encoding="utf-8")
    after = loaded.explain(like).sentences[0]
    assert after.token_log_probabilities != before.token_log_probabilities
    unlike = loaded.explain(OTHERS[0]).sentences[0]
    (run / "corrections.tsv").unlink()
    assert loaded.explain(OTHERS[0]).sentences[0].token_log_probabilities == unlike.token_log_probabilities


@pytest.mark.parametrize(
    ("source", "translation", "problem"),
    [
        (f"{TEXT} He saw him?", RIGHT, "the source has 2 sentences, its translation 1: give one"),
        (TEXT, "5", "the source has 1 sentence, its translation 0"),
        (TEXT, "漢字", "the model cannot write 漢字, and cannot copy it from the source"),
        ("she saw 漢字", RIGHT, "the model does not know 漢字, which is not in the translation"),
        ("She saw\u2028him?", "sie sah ihn.", "has several lines"),
        (TEXT, "sie sah\tden Hund.", "has several lines or columns"),
        (TEXT, f"{RIGHT} 🎉", f"would be written: {RIGHT}"),
        ("she saw 🐶 .", RIGHT, "would be written: "),
    ],
)
def test_a_correction_that_cannot_be_used_is_refused(run: Path, source: str, translation: str, problem: str) -> None:
    refused(s2s_here(run, "correct", source, translation, "--model", str(run)), problem)
    assert not (run / "corrections.tsv").exists()


def test_a_bad_line_of_the_file_is_named_and_once_the_file_was_good_the_good_one_counts(
    run: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = run / "corrections.tsv"
    path.write_text(f"\n{TEXT}\t{RIGHT}\n{TEXT}\n", encoding="utf-8")
    told = s2s_here(run, "translate", TEXT, "--model", str(run))
    refused(told, f"{path}:3: needs a source, a tab and its translation")
    path.write_text(f"{TEXT}\t{RIGHT}", encoding="utf-8")
    loaded = load(run)
    assert loaded.translate(TEXT) == RIGHT
    path.write_text(f"{TEXT}\n", encoding="utf-8")
    assert loaded.translate(TEXT) == RIGHT
    assert f"{path}:1: needs a source" in caplog.text
    path.write_text(f"{TEXT}\t{RIGHT}", encoding="utf-8")
    assert s2s_here(run, "correct", "He saw him?", "er sah ihn?", "--model", str(run)).returncode == 0
    assert path.read_text(encoding="utf-8") == f"{TEXT}\t{RIGHT}\nHe saw him?\ter sah ihn?\n"


def test_the_glossary_of_a_run_always_counts_and_one_that_is_given_takes_precedence(run: Path, tmp_path: Path) -> None:
    (run / "glossary.tsv").write_text("dog\tHund\nshe\tsie\n", encoding="utf-8")
    assert all(term in load(run).translate(TEXT).lower() for term in ("hund", "sie"))
    (tmp_path / "mine.tsv").write_text("dog\tihn\n", encoding="utf-8")
    told = s2s_here(run, "translate", TEXT, "--model", str(run), "--glossary", str(tmp_path / "mine.tsv"))
    assert all(term in told.stdout.lower() for term in ("ihn", "sie"))
    assert "Hund" not in told.stdout


def test_suggestions_are_off_unless_the_operator_turns_them_on(run: Path) -> None:
    with running_server("--model", run) as server:
        answer = suggested(server)
        assert (answer.status, "--suggestions" in answer.content["error"]) == (403, True)
        assert server.get("/frontend/settings").content["suggestions"] is False


def test_a_suggestion_counts_once_the_owner_accepts_it(run: Path) -> None:
    before = load(run).translate(TEXT)
    with running_server("--model", run, "--suggestions", "--max-characters", "500") as server:
        assert server.get("/frontend/settings").content["suggestions"] is True
        assert suggested(server, s="sie " * 200).status == 413
        assert suggested(server).content == {"success": True}
        assert server.translate(q=TEXT, source="en", target="de").content == {"translatedText": before}
        for wrong, problem in (
            ({"s": ""}, "s: "),
            ({"s": "漢字"}, "cannot write 漢字"),
            ({"target": "fr"}, "not served"),
            ({"q": [TEXT, TEXT]}, "q: "),
        ):
            answer = suggested(server, **wrong)
            assert (answer.status, problem in answer.content["error"]) == (400, True)
        assert (run / "suggestions.tsv").read_text(encoding="utf-8") == f"{TEXT}\t{RIGHT}\n"
        (run / "suggestions.tsv").rename(run / "corrections.tsv")
        assert server.translate(q=TEXT, source="en", target="de").content == {"translatedText": RIGHT}


def test_a_suggestion_that_cannot_be_kept_is_refused(run: Path) -> None:
    (run / "suggestions.tsv").mkdir()
    with running_server("--model", run, "--suggestions") as server:
        answer = suggested(server)
        assert (answer.status, "cannot be written" in answer.content["error"]) == (503, True)
    with running_server("--model", run, "--suggestions", "--timeout", "0.5") as server:
        answer = suggested(server, s="sie " * 4_900)
        assert (answer.status, "within 0.5 seconds" in answer.content["error"]) == (503, True)
