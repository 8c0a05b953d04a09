"""The report on a finished run: its scores on the test split and a few translations."""

from seq2seq_cli.compute.memory import memory_errors
from seq2seq_cli.compute.out_of_memory import SMALLER_SEARCH
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.decoding.engines.open_engine import load_model
from seq2seq_cli.decoding.load import consulting, load_translator, translator_of
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import Interrupted, S2SError, TrainingError
from seq2seq_cli.evaluation.held_out import score_split
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.folder import resume_command
from seq2seq_cli.runs.metrics import TestRecord
from seq2seq_cli.training.card import model_card
from seq2seq_cli.training.events import Report, SampleTranslation
from seq2seq_cli.training.loop import is_ended_by_time
from seq2seq_cli.training.samples import choose_samples
from seq2seq_cli.training.session import Session


def finish(session: Session) -> Report:
    """Report on the session's run, and record it there: in metrics.jsonl and in the model card.

    Raises TrainingError when the test fails, and Interrupted when the user stops it; the best weights and a card
    without scores are there already.
    """
    try:
        with memory_errors(session.state.device, SMALLER_SEARCH):
            result = report(session)
    except S2SError as error:
        raise TrainingError(_untested(session, f"the test failed: {error}")) from error
    except KeyboardInterrupt:
        raise Interrupted(_untested(session, "the test was stopped")) from None
    if scores := result.test:
        record = TestRecord(
            step=result.steps,
            epoch=result.best_epoch,
            loss=scores.loss,
            bleu=scores.bleu.value,
            chrf=scores.chrf.value,
            lowercase_bleu=scores.lowercase_bleu.value if scores.lowercase_bleu else None,
            signatures=scores.signatures(),
        )
        session.run.append_metrics(record)
    session.run.write_card(model_card(session.run, session.corpus, session.config, session.state, result))
    return result


def _untested(session: Session, why: str) -> str:
    path = session.run.path
    return f"{path}: trained, and its best weights are saved, but {why}; test again with: {resume_command(path)}"


def report(session: Session) -> Report:
    """Score the best weights of the session's run."""
    corpus, progress, training = session.corpus, session.state.progress, session.config.training
    model = load_model(session.run, session.run.read_best()).to(session.state.device)
    translator = _translator(session, model)
    split = next(name for name in reversed(SPLITS) if len(corpus.split(name)))
    return Report(
        run=session.run.path,
        epochs=progress.epochs,
        steps=progress.step,
        skipped=progress.skipped,
        seconds=progress.seconds,
        best_epoch=progress.best_epoch,
        best=progress.best_in_words(training.metric),
        test=score_split(model, translator, corpus, "test") if len(corpus.split("test")) else None,
        search=session.config.decoding.in_words,
        samples_split=split,
        samples=_samples(translator, corpus.sentences(split)),
        parameters=model.parameter_count,
        max_minutes=training.max_minutes if is_ended_by_time(progress, training) else None,
    )


def _translator(session: Session, model: Seq2Seq) -> Translator:
    """The translator of the best weights: by the exported model on a CPU, where it is several times as fast."""
    if session.state.device.type == "cpu":
        return load_translator(session.run, "cpu")
    return consulting(session.run, translator_of(model, session.corpus.codecs, session.config.decoding))


def _samples(translator: Translator, pairs: list[tuple[str, str]]) -> list[SampleTranslation]:
    chosen = choose_samples(pairs)
    translations = translator.translate([src for src, _ in chosen])
    return [
        SampleTranslation(source=src, reference=tgt, translation=translation.text)
        for (src, tgt), translation in zip(chosen, translations, strict=True)
    ]
