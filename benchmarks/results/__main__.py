"""Train systems on pairs, score them on the test split, keep the results as JSON, fill the tables: ``make results``.

A system is a config of s2s, such as ``quick``; ``dial:6``, which s2s chooses for six minutes; or with --joeynmt
``joeynmt-rnn:6`` or ``joeynmt-transformer:6``, which trains for six minutes. Each is trained once per seed, as by its
own command, and its result is kept beside results of other numbers of cores and other pairs: none is trained twice.
Training ends by the clock: run nothing else meanwhile.
"""

import argparse
import dataclasses
import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks.models import is_for_prepare
from benchmarks.pages import fill
from benchmarks.processes import cold_start
from benchmarks.results.joeynmt import train_and_translate  # not later: it keeps the environment as it was given
from benchmarks.results.picture import minutes_picture
from benchmarks.results.table import Result, Score, read_results, results_table, robustness_tables, summary_table
from benchmarks.work_folder import claim
from seq2seq_cli.compute.process import prepare_environment
from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import S2SError
from seq2seq_cli.files.writing import write_json, write_whole
from seq2seq_cli.preparation.pipeline import prepare

RESULTS = Path("docs/results")
PAGE, SUMMARY, ROBUSTNESS = Path("docs/recipes.md"), Path("README.md"), Path("docs/robustness.md")
PICTURE = Path("docs/minutes.png")
PEERS = ("joeynmt-rnn", "joeynmt-transformer")
HELP_OPTIONS = ("related", "dictionary", "tgt-only")
_TIMED = re.compile(r"[\w-]+:\d+(\.\d+)?", re.ASCII)
"""A peer or the dial with its minutes."""


def main() -> None:
    """Parse, train, write the results and the tables."""
    options = _parse()
    prepare_environment()  # as s2s does, before anything here imports torch
    try:
        for system in options.systems:
            for seed in range(1, options.seeds + 1):
                _ensure(system, seed, options)
    except (S2SError, RuntimeError) as error:
        sys.exit(f"benchmarks.results: {error}")
    results = read_results(options.results)
    if content := minutes_picture(results, "deu"):
        write_whole(options.picture, content)
    for page, name, lines in (
        (options.page, "results", results_table(results)),
        (options.summary, "results", summary_table(results)),
        (options.robustness, "robustness", robustness_tables(results)),
    ):
        text = page.read_text(encoding="utf-8")
        page.write_text(fill(text, name, "\n".join(lines)), encoding="utf-8")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description="Measure what systems are worth.")
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help="config or peer to train; none: the tables alone")
    parser.add_argument("--pairs", type=Path, default=Path("deu.txt"), metavar="FILE", help="pair file")
    for split, use in (("valid", "validation"), ("test", "the test")):
        help_ = f"pairs for {use}; default: held-out ones"
        parser.add_argument(f"--{split}", type=Path, nargs="*", default=[], metavar="FILE", help=help_)
    for option in HELP_OPTIONS:
        parser.add_argument(f"--{option}", nargs="*", default=[], metavar="FILE", help="as of s2s prepare")
    parser.add_argument("--languages", metavar="en-de", help="as of s2s prepare")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override for all configs")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="runs of each system; default 3")
    parser.add_argument("--joeynmt", type=Path, metavar="DIR", help="folder whose venv has JoeyNMT")
    parser.add_argument("--work", type=Path, default=Path("runs/results"), metavar="DIR", help="folder of the runs")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help="folder of the results")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="page with the table")
    parser.add_argument("--summary", type=Path, default=SUMMARY, metavar="FILE", help="page with the scores alone")
    parser.add_argument(
        "--robustness", type=Path, default=ROBUSTNESS, metavar="FILE", help="page with the table of other dresses"
    )
    parser.add_argument("--picture", type=Path, default=PICTURE, metavar="FILE", help="picture of BLEU by minutes")
    options = parser.parse_args()
    for page in (options.page, options.summary, options.robustness):
        if not page.is_file():
            parser.error(f"{page}: no such page")
    if any(map(_is_peer, options.systems)) and not options.joeynmt:
        parser.error("a system of JoeyNMT needs --joeynmt, the folder whose venv has it")
    for system in options.systems:
        name = system.partition(":")[0]
        if name in (*PEERS, "dial") and not _TIMED.fullmatch(system):
            parser.error(f"{system}: give the minutes of its training, as in {name}:6")
        if name not in (*PEERS, "dial") and ":" in system:
            parser.error(f"{system}: a config has its own minutes: give {name}, or dial:6 and the like")
    options.stated = [f"languages={options.languages}"] if options.languages else []
    keywords = (option.replace("-", "_") for option in HELP_OPTIONS)  # of `prepare`
    options.helps = {keyword: files for keyword in keywords if (files := getattr(options, keyword))}
    options.given = {"valid": options.valid, "test": options.test, **options.helps}
    return options


def _is_peer(system: str) -> bool:
    return system.partition(":")[0] in PEERS


def _ensure(system: str, seed: int, options: argparse.Namespace) -> None:
    """Train and score the system with that seed, unless its result is there."""
    helping = [Path(file).stem for files in options.helps.values() for file in files]
    work = options.work / "+".join([options.pairs.stem, *helping])
    name = _name(system, seed, options)
    record = options.results / f"{options.pairs.stem}-{name}.json"
    if record.is_file():
        print(f"{record}: measured before, and not again", file=sys.stderr)
        return
    corpus = _corpus(work, options)
    result = (_peer if _is_peer(system) else _own)(system, seed, corpus, work / name, options)
    options.results.mkdir(parents=True, exist_ok=True)
    write_json(record, dataclasses.asdict(result))
    print(f"{system}, seed {seed}: BLEU {result.bleu.value:.1f} after {result.minutes:.1f} minutes", file=sys.stderr)


def _name(system: str, seed: int, options: argparse.Namespace) -> str:
    """All in which this run differs from the others on these pairs, as the name of a file."""
    held_out = [f"{purpose}={Path(path).stem}" for purpose, paths in options.given.items() for path in paths]
    cores = _cores().replace(" ", "")
    name = system.replace(":", "-").replace("/", "-")
    return "-".join([name, *options.set, *options.stated, *held_out, cores, f"seed{seed}"])


def _corpus(work: Path, options: argparse.Namespace) -> PreparedCorpus:
    """The pairs, prepared once in the work folder; UsageError when it was made of others or with other settings."""
    settings = [setting for setting in options.set if is_for_prepare(setting)]
    files = {purpose: [Path(file.partition(":")[0]) for file in files] for purpose, files in options.helps.items()}
    sources = {"pairs": [options.pairs], "valid": options.valid, "test": options.test, **files}
    claim(work, sources, [*settings, *options.stated])
    prepared = work / "prepared"
    if not prepared.exists():
        prepare(options.pairs, out=prepared, overrides=settings, languages=options.languages, **options.given)
    return PreparedCorpus.open(prepared)


def _own(system: str, seed: int, corpus: PreparedCorpus, run: Path, options: argparse.Namespace) -> Result:
    """A config of s2s, trained, loaded, and timed."""
    from benchmarks.results.training import measure_robustness, train, translate_test

    overrides = [*(s for s in options.set if not is_for_prepare(s)), f"training.seed={seed}"]
    members, tokens_per_second = train(system, run, corpus, overrides)
    minutes = max(member.history.minutes or 0.0 for member in members)  # side by side
    outputs, sentences_per_second = translate_test(run, corpus)
    seconds, _ = cold_start("translate", "--model", str(run), "--", corpus.sentences("test")[0][0])
    return dataclasses.replace(
        _scored(outputs, system, seed, corpus, options, minutes),
        parameters=sum(member.parameters or 0 for member in members),
        tokens_per_second=tokens_per_second,
        members=len(members),
        sentences_per_second=sentences_per_second,
        start_seconds=sorted(seconds)[len(seconds) // 2],
        robustness=measure_robustness(run, corpus),
    )


def _peer(system: str, seed: int, corpus: PreparedCorpus, folder: Path, options: argparse.Namespace) -> Result:
    """A model of JoeyNMT, trained for some minutes."""
    kind, _, minutes = system.removeprefix("joeynmt-").partition(":")
    sources = [source for source, _ in corpus.sentences("test")]
    outputs = train_and_translate(
        options.joeynmt, corpus, folder, kind=kind, minutes=float(minutes), seed=seed, sources=sources
    )
    return _scored(dict(zip(sources, outputs, strict=True)), system, seed, corpus, options, float(minutes))


def _scored(
    outputs: dict[str, str], system: str, seed: int, corpus: PreparedCorpus, options: argparse.Namespace, minutes: float
) -> Result:
    """The result of these outputs, by source, on the first reference of each source of the test split."""
    from seq2seq_cli.evaluation.scorer import bleu, chrf, corpus_score

    references = dict(reversed(corpus.sentences("test")))  # the first one of each source
    texts, expected = [outputs[source] for source in references], list(references.values())
    language = corpus.manifest.text.tgt.language
    return Result(
        pairs=options.pairs.name,
        test=[path.name for path in options.test],
        training_pairs=len(corpus.split("train")),
        system=system,
        settings=[*options.set, *options.stated, *(f"{key}={','.join(files)}" for key, files in options.helps.items())],
        seed=seed,
        minutes=minutes,
        bleu=Score(**corpus_score(bleu(language), texts, expected)._asdict()),
        lowercase_bleu=Score(**corpus_score(bleu(language, lowercase=True), texts, expected)._asdict()),
        chrf=Score(**corpus_score(chrf(), texts, expected)._asdict()),
        hardware=_hardware(),
        torch=version("torch"),
    )


def _hardware() -> str:
    """Such as "2 cores (x86_64, AVX2)": CPUs with other instructions train several times as fast, or as slowly."""
    import torch  # not above: the environment is prepared first

    return f"{_cores()} ({platform.machine()}, {torch.backends.cpu.get_cpu_capability()})"


def _cores() -> str:
    """Such as "2 cores": those that a run may use."""
    return counted(usable_cores(), "core")


if __name__ == "__main__":
    main()
