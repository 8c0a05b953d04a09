"""The figures of ``s2s evaluate`` beside those of SacreBLEU's own command line, on the same files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import s2s_here
from tests.untrained import make_run

TEXTS = {
    "de": ["Sie hat ihn gestern geküsst.", "Wir gehen heute ins Kino.", "Der alte Mann schläft unter dem Baum."],
    "zh": ["我喜欢吃苹果和香蕉。", "他昨天去了北京,买了 3 本书。", "今天天气很好。"],
    "ja": ["彼女は彼にキスした。", "私は毎日学校へ行きます。", "今日はとても暑いです。"],
}
WRONG = {"de": ("heute", "morgen"), "zh": ("北京", "上海"), "ja": ("学校", "会社")}
TOKENISATION = {"de": "13a", "zh": "zh", "ja": "char"}


def of_sacrebleu(folder: Path, *options: str) -> list[float]:
    command = [sys.executable, "-m", "sacrebleu", "tgt.txt", "-i", "out.txt", "-w", "6", "-f", "json", *options]
    found = json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)
    return [score["score"] for score in (found if isinstance(found, list) else [found])]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "lowercase"), [("de", False), ("zh", False), ("ja", False), ("de", True)])
def test_the_scores_are_those_of_its_command_line(tmp_path: Path, language: str, lowercase: bool) -> None:
    references = TEXTS[language]
    outputs = [text.replace(*WRONG[language]) for text in references]
    outputs = [text.lower() for text in outputs] if lowercase else outputs
    run = make_run(tmp_path / "runs" / "newest")
    config = run.config()
    text = config.text.model_copy(update={"tgt": config.text.tgt.model_copy(update={"language": language})})
    run.write_config(config.model_copy(update={"text": text}))
    pairs = [f"She saw the dog {number}.\t{target}\n" for number, target in enumerate(references)]
    (tmp_path / "pairs.tsv").write_text("".join(pairs), encoding="utf-8")
    for name, lines in (("tgt", references), ("out", outputs), ("perfect", references)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    files = ("--hypotheses", "out.txt", "--hypotheses", "perfect.txt")
    done = s2s_here(tmp_path, "evaluate", str(run.path), "--file", "pairs.tsv", *files, "--json")
    assert done.returncode == 0, done.stderr
    _, wrong, perfect = json.loads(done.stdout)["systems"]
    found = {score["metric"]: score["value"] for score in wrong["scores"]}
    best = {score["metric"]: score["value"] for score in perfect["scores"]}
    assert (best["BLEU"], best["chrF2++"]) == pytest.approx((100, 100))
    assert 0 < found["BLEU"] < 100
    ter = ["--ter-normalized", "--ter-asian-support"] if language == "zh" else []
    [bleu] = of_sacrebleu(tmp_path, "-m", "bleu", "-tok", TOKENISATION[language])
    [chrf] = of_sacrebleu(tmp_path, "-m", "chrf", "--chrf-word-order", "2")
    assert [found["BLEU"], found["chrF2++"]] == pytest.approx([bleu, chrf], abs=0.005)
    if language == "ja":  # TER does not find the words of kana
        assert "TER" not in found
    else:
        assert best["TER"] == 0
        assert found["TER"] == pytest.approx(of_sacrebleu(tmp_path, "-m", "ter", *ter)[0], abs=0.005)


@pytest.mark.slow
def test_a_lower_cased_score_is_that_of_its_command_line(tmp_path: Path) -> None:
    from seq2seq_cli.evaluation.scorer import scorers

    outputs = [text.replace(*WRONG["de"]).lower() for text in TEXTS["de"]]
    for name, lines in (("tgt", TEXTS["de"]), ("out", outputs)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found = scorers(outputs, [[text] for text in TEXTS["de"]], language="de", lowercase=True)
    [bleu] = of_sacrebleu(tmp_path, "-m", "bleu", "-lc")
    [chrf] = of_sacrebleu(tmp_path, "-m", "chrf", "--chrf-word-order", "2", "--chrf-lowercase")
    assert [found["BLEU"].score(), found["chrF2++"].score()] == pytest.approx([bleu, chrf], abs=0.005)
