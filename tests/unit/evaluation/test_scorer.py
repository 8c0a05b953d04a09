"""The metrics of a set of sentences: SacreBLEU's own figures, for the whole and for any part."""

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics.bleu import BLEU

from seq2seq_cli.evaluation.scorer import Scorer, bleu, corpus_score, scorers
from seq2seq_cli.evaluation.words import words_of

TEXTS = {
    "de": ["Sie hat ihn geküsst.", "Wir gehen heute ins Kino.", "Der alte Mann schläft unter dem Baum."],
    "zh": ["我喜欢吃苹果和香蕉。", "他昨天去了北京,买了 3 本书。", "今天天气很好。"],
    "ja": ["彼女は彼にキスした。", "私は毎日学校へ行きます。", "今日はとても暑いです。"],
    "th": ["เธอจูบเขาแล้วเมื่อวาน", "เขาไปตลาด", "วันนี้อากาศดี"],
}
GERMAN = TEXTS["de"]
ERRORS = {"de": ("heute", "morgen"), "zh": ("北京", "上海"), "ja": ("学校", "会社"), "th": ("ตลาด", "บ้าน")}


@pytest.mark.parametrize(
    ("language", "tokenisation", "lowercase"),
    [("de", "13a", False), ("de", "13a", True), ("zh", "zh", False), ("ja", "char", False), ("th", "char", False)],
)
def test_the_scores_are_those_of_sacrebleu(language: str, tokenisation: str, lowercase: bool) -> None:
    references = TEXTS[language]
    hypotheses = [text.replace(*ERRORS[language]) for text in references]
    hypotheses = [text.upper() for text in hypotheses] if lowercase else hypotheses
    found = scorers(hypotheses, [[text] for text in references], language=language, lowercase=lowercase)
    bleu = sacrebleu.corpus_bleu(hypotheses, [references], tokenize=tokenisation, lowercase=lowercase)
    chrf = sacrebleu.metrics.chrf.CHRF(word_order=2, lowercase=lowercase).corpus_score(hypotheses, [references])
    assert 0 < found["BLEU"].score() < 100
    assert found["BLEU"].score() == pytest.approx(bleu.score)
    assert found["chrF2++"].score() == pytest.approx(chrf.score)
    assert {f"tok:{tokenisation}", "nrefs:1", f"case:{'lc' if lowercase else 'mixed'}"} <= set(
        found["BLEU"].signature.split("|")
    )
    assert ("TER" in found) == (tokenisation != "char")  # elsewhere it cannot find the words
    if "TER" in found:
        is_chinese = language == "zh"
        ter = sacrebleu.corpus_ter(hypotheses, [references], normalized=is_chinese, asian_support=is_chinese)
        assert found["TER"].score() == pytest.approx(ter.score)
        assert 0 < ter.score < 100


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


def test_words_are_characters_where_there_are_no_spaces() -> None:
    assert words_of("He left.", "en") == ["He", "left."]
    assert words_of("他走了", "zh") == ["他", "走", "了"]


def test_nothing_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="0 hypotheses"):
        corpus_score(bleu(), [], [])
    with pytest.raises(ValueError, match="1 hypotheses for the references of 2"):
        Scorer.of(BLEU(), ["Ja."], [["Ja."], ["Nein."]])
