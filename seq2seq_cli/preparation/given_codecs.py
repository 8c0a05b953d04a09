"""Codecs of an older model for a new corpus, so that the model can be trained further."""

from seq2seq_cli.config.differences import find_stated_differences
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import SourceConfig, TargetConfig, TextConfig
from seq2seq_cli.errors import UsageError
from seq2seq_cli.text.sides import Codecs


def adopt_codecs(config: Config, codecs: Codecs) -> Config:
    """The config with the text section of the codecs; raises UsageError when the config states another value."""
    src, tgt = codecs
    sizes = ((codec.config.min_count, codec.config.max_size) for codec in codecs)
    text = TextConfig(
        unit=src.unit,
        shared_vocabulary=src.vocabulary == tgt.vocabulary and len(set(sizes)) == 1,
        src=SourceConfig(**src.config.to_json()),
        tgt=TargetConfig(**tgt.config.to_json()),
    )
    adopted = config.model_copy(update={"text": text})
    if found := find_stated_differences(adopted, config, sections=("text",)):
        listed = "; ".join(difference.against("the model") for difference in found)
        raise UsageError(f"the config and the model of --codec-from disagree: {listed}. Leave these keys out")
    return adopted


def check_languages(text: TextConfig, codecs: Codecs, *, swap: bool) -> None:
    """Raise UsageError when the languages of a corpus are not those of the codecs.

    `swap`: the second column of its files is the source.
    """
    stated = text.src.language, text.tgt.language
    known = codecs[0].config.language, codecs[1].config.language
    if stated != known:
        columns = known[::-1] if swap else known
        raise UsageError(
            f"the pairs are {'-'.join(stated)}, but the model of --codec-from translates {'-'.join(known)}: give pairs"
            f" of its languages, or --languages {'-'.join(columns)} if that is what these are"
        )
