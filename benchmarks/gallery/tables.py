"""The text of the gallery: its task, the models side by side, and the papers' claims beside what was seen."""

import argparse
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from benchmarks.figures import markdown_table, shown_mean, with_spread
from benchmarks.gallery.runs import GalleryRuns, Result
from seq2seq_cli.counts import counted

Results: TypeAlias = Mapping[str, Sequence[Result]]
"""The results of each config, one per seed, in the order of the seeds."""


class Claim(NamedTuple):
    """A published difference between two models that differ in one thing."""

    what: str
    better: str
    worse: str
    published: str
    """The difference, and where it stands."""


CLAIMS = (
    Claim("attention, Bahdanau's decoder", "rnnsearch", "no_attention_cho", "+8.9; Bahdanau et al. 2015, table 1"),
    Claim("attention by place alone", "luong_location", "no_attention", "+2.8; Luong et al. 2015, table 1"),
    Claim("attention by content, dot", "luong_dot", "luong_location", "+0.5; Luong et al. 2015, table 4"),
    Claim("attention by content, general", "luong_general", "luong_location", "-0.8; Luong et al. 2015, table 4"),
    Claim("general, not concat score", "luong_general", "luong_concat_paper", "above; Luong et al. 2015, section 5.4"),
    Claim("input feeding", "luong_feed", "luong_general", "+1.3; Luong et al. 2015, table 1"),
    Claim("predicted window", "luong_local_p", "luong_general", "+1.7; Luong et al. 2015, table 4"),
    Claim("predicted, not monotonic window", "luong_local_p", "luong_local_m", "+0.4; Luong et al. 2015, table 4"),
    Claim("hard, not soft attention", "hard", "luong_general", "+0.7 (captions); Xu et al. 2015, table 1"),
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


def task_in_words(runs: GalleryRuns, results: Results, options: argparse.Namespace) -> str:
    """The first lines of the page's part: what was trained, how, and on what it was scored."""
    *others, most = sorted({each.threads for several in results.values() for each in several})
    threads = " or ".join([*map(str, others), counted(most, "thread")])  # "1 or 2 threads" where the runs differ
    gold = f" --alignment {options.alignment}" if options.alignment else ""
    settings = "".join(f" --set {setting}" for setting in options.set)
    signature = next(iter(results.values()))[0].signature
    return (
        f"{len(runs.corpus.split('train')):,} training pairs of `{options.pairs.name}`,"
        f" {threads}: `python -m benchmarks.gallery --pairs {options.pairs}{gold} --seeds"
        f" {options.seeds}{settings}`. BLEU of the {len(runs.corpus.split('test')):,} pairs of the test split"
        f" ({signature}), and by the number of source words."
    )


def in_the_middle(results: Sequence[Result]) -> Result:
    """The result with the median alignment error rate, or BLEU where there is none, of several seeds."""

    def badness(result: Result) -> float:
        return -result.bleu if result.error_rate is None else result.error_rate

    return sorted(results, key=badness)[(len(results) - 1) // 2]


def _difference(claim: Claim, results: Results) -> str:
    """The difference of BLEU over the seeds that both models have."""
    better, worse = ({result.seed: result.bleu for result in results[name]} for name in (claim.better, claim.worse))
    return with_spread([better[seed] - worse[seed] for seed in sorted(better.keys() & worse.keys())], "+.1f")
