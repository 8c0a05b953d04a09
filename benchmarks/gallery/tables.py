"""The tables of the gallery: the models side by side, and the papers' claims beside what was seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from benchmarks.figures import markdown_table, shown_mean, with_spread
from benchmarks.gallery.runs import Result
from seq2seq_cli.counts import counted

Results: TypeAlias = Mapping[str, Sequence[Result]]
"""The results of each config, one per seed, in the order of the seeds."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A published difference between two models that differ in one thing."""

    what: str
    better: str
    worse: str
    published: str
    """The difference, and where it stands."""


CLAIMS = (
    Claim(
        what="attention, Bahdanau's decoder",
        better="rnnsearch",
        worse="no_attention_cho",
        published="+8.9; Bahdanau et al. 2015, table 1",
    ),
    Claim(
        what="attention by place alone",
        better="luong_location",
        worse="no_attention",
        published="+2.8; Luong et al. 2015, table 1",
    ),
    Claim(
        what="attention by content, dot",
        better="luong_dot",
        worse="luong_location",
        published="+0.5; Luong et al. 2015, table 4",
    ),
    Claim(
        what="attention by content, general",
        better="luong_general",
        worse="luong_location",
        published="-0.8; Luong et al. 2015, table 4",
    ),
    Claim(
        what="general, not concat score",
        better="luong_general",
        worse="luong_concat_paper",
        published="above; Luong et al. 2015, section 5.4",
    ),
    Claim(
        what="input feeding", better="luong_feed", worse="luong_general", published="+1.3; Luong et al. 2015, table 1"
    ),
    Claim(
        what="predicted window",
        better="luong_local_p",
        worse="luong_general",
        published="+1.7; Luong et al. 2015, table 4",
    ),
    Claim(
        what="predicted, not monotonic window",
        better="luong_local_p",
        worse="luong_local_m",
        published="+0.4; Luong et al. 2015, table 4",
    ),
    Claim(
        what="hard, not soft attention",
        better="hard",
        worse="luong_general",
        published="+0.7 (captions); Xu et al. 2015, table 1",
    ),
)


def model_table(results: Results) -> list[str]:
    """A row for each model: size, BLEU in all and by length, figures of the attention."""
    first = next(iter(results.values()))[0]
    has_gold = any(each.error_rate is not None for several in results.values() for each in several)
    titles = ["config", "parameters", "seeds", "BLEU", *first.bleu_by_length]
    titles += [*(["AER"] if has_gold else []), "entropy", "words on marks"]
    rows = [
        [
            f"`{name}`",
            f"{several[0].parameters:,}",
            str(len(several)),
            with_spread([each.bleu for each in several]),
            *(shown_mean([each.bleu_by_length[length] for each in several]) for length in first.bleu_by_length),
            *([with_spread([each.error_rate for each in several], ".3f")] if has_gold else []),
            shown_mean([each.entropy for each in several], ".2f"),
            shown_mean([each.words_on_marks for each in several], ".1%"),
        ]
        for name, several in results.items()
    ]
    return markdown_table(titles, rows)


def claim_table(results: Results) -> list[str]:
    """A row for each claim about two of the models; no line where there is none."""
    rows = [
        [claim.what, f"`{claim.better}` less `{claim.worse}`", claim.published, _difference(claim, results)]
        for claim in CLAIMS
        if claim.better in results and claim.worse in results
    ]
    return markdown_table(["what", "models", "published, BLEU", "here, BLEU"], rows, texts=3) if rows else []


def threads_in_words(results: Results) -> str:
    """Such as "2 threads", or "1 or 2 threads" where the runs differ."""
    *others, most = sorted({each.threads for several in results.values() for each in several})
    return " or ".join([*map(str, others), counted(most, "thread")])


def in_the_middle(results: Sequence[Result]) -> Result:
    """The result with the median alignment error rate, or BLEU where there is none, of several seeds."""

    def badness(result: Result) -> float:
        return -result.bleu if result.error_rate is None else result.error_rate

    return sorted(results, key=badness)[(len(results) - 1) // 2]


def _difference(claim: Claim, results: Results) -> str:
    """The difference of BLEU over the seeds that both models have."""
    better, worse = ({result.seed: result.bleu for result in results[name]} for name in (claim.better, claim.worse))
    return with_spread([better[seed] - worse[seed] for seed in sorted(better.keys() & worse.keys())], "+.1f")
