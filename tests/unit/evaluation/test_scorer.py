"""The metrics of a test set: SacreBLEU's own figures, for the whole and for any part."""

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics.bleu import BLEU

from seq2seq_cli.evaluation.languages import words_of
from seq2seq_cli.evaluation.scorer import Scorer, scorers

GERMAN = ["Sie hat ihn geküsst.", "Wir gehen heute ins Kino.", "Der alte Mann schläft unter dem Baum."]
CHINESE = ["我喜欢吃苹果和香蕉。", "他昨天去了北京。", "今天天气很好。"]
JAPANESE = ["彼女は彼にキスした。", "私は毎日学校へ行きます。", "今日はとても暑いです。"]
ERRORS = {"de": ("heute", "morgen"), "zh": ("北京", "上海"), "ja": ("学校", "会社")}


@pytest.mark.parametrize(("language", "references"), [("de", GERMAN), ("zh", CHINESE), ("ja", JAPANESE)])
def test_a_perfect_output_scores_100_and_an_error_lowers_it(language: str, references: list[str]) -> None:
    perfect = scorers(references, [[text] for text in references], language=language)
    assert perfect["BLEU"].score() == pytest.approx(100)
    assert perfect["chrF2++"].score() == pytest.approx(100)
    assert ("TER" in perfect) == (language != "ja")  # TER cannot find its words

    wrong = [text.replace(*ERRORS[language]) for text in references]
    found = scorers(wrong, [[text] for text in references], language=language)
    assert 0 < found["BLEU"].score() < 100
    assert 0 < found["chrF2++"].score() < 100
    for metric in found.keys() & {"TER"}:
        assert perfect[metric].score() == 0
        assert 0 < found[metric].score() < 100


@pytest.mark.parametrize(("language", "tokenisation"), [("de", "13a"), ("zh", "zh"), ("ja", "char")])
def test_the_scores_are_those_of_sacrebleu(language: str, tokenisation: str) -> None:
    references = {"de": GERMAN, "zh": CHINESE, "ja": JAPANESE}[language]
    hypotheses = [text.replace(*ERRORS[language]) for text in references]
    found = scorers(hypotheses, [[text] for text in references], language=language)
    bleu = sacrebleu.corpus_bleu(hypotheses, [references], tokenize=tokenisation)
    chrf = sacrebleu.corpus_chrf(hypotheses, [references], word_order=2)
    assert found["BLEU"].score() == pytest.approx(bleu.score)
    assert found["chrF2++"].score() == pytest.approx(chrf.score)
    assert f"tok:{tokenisation}" in found["BLEU"].signature
    if language == "de":
        assert found["TER"].score() == pytest.approx(sacrebleu.corpus_ter(hypotheses, [references]).score)


def test_sentences_may_have_differently_many_references() -> None:
    hypotheses = ["Sie küsste ihn.", GERMAN[1], GERMAN[2]]
    references = [[GERMAN[0], "Sie küsste ihn."], [GERMAN[1]], [GERMAN[2]]]
    bleu = scorers(hypotheses, references, language="de")["BLEU"]
    assert bleu.score() == pytest.approx(100)
    assert "nrefs:var" in bleu.signature


def test_the_pairs_of_one_source_are_one_sentence_of_the_same_score() -> None:
    hypotheses = [GERMAN[0], GERMAN[0], "Wir gehen morgen ins Kino.", GERMAN[0]]
    references = [[GERMAN[0]], ["Sie küsste ihn."], [GERMAN[1]], ["Er wurde von ihr geküsst."]]
    for scorer in scorers(hypotheses, references, language="de").values():
        by_source = scorer.by(["She kissed him.", "She kissed him.", "We go.", "She kissed him."])
        assert by_source.score() == scorer.score()
        assert by_source.statistics.tolist() == [
            scorer.statistics[[0, 1, 3]].sum(axis=0).tolist(),
            scorer.statistics[2].tolist(),
        ]


def test_a_part_is_scored_as_if_it_were_the_whole() -> None:
    hypotheses = [GERMAN[0], "Wir gehen morgen ins Kino.", GERMAN[2]]
    references = [[text] for text in GERMAN]
    whole = scorers(hypotheses, references, language="de")
    for name, part in scorers(hypotheses[:2], references[:2], language="de").items():
        assert whole[name].score(np.array([0, 1])) == pytest.approx(part.score())


def test_lower_case_is_for_both_sides() -> None:
    lowered = [text.lower() for text in GERMAN]
    found = scorers(lowered, [[text] for text in GERMAN], language="de", lowercase=True)
    assert found["BLEU"].score() == pytest.approx(100)
    assert "case:lc" in found["BLEU"].signature


def test_there_is_no_ter_where_there_are_no_words() -> None:
    assert set(scorers(["เธอจูบเขา"], [["เธอจูบเขา"]], language="th")) == {"BLEU", "chrF2++"}


def test_words_are_characters_where_there_are_no_spaces() -> None:
    assert words_of("He left.", "en") == ["He", "left."]
    assert words_of("他走了", "zh") == ["他", "走", "了"]


def test_nothing_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="0 hypotheses"):
        scorers([], [], language="de")
    with pytest.raises(ValueError, match="1 hypotheses for the references of 2"):
        Scorer.of(BLEU(), ["Ja."], [["Ja."], ["Nein."]])
