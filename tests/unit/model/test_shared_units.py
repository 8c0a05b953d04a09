"""The weights of a model for other vocabularies: units that both have keep their vectors."""

import numpy as np
import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.text.vocabulary import SPECIAL_UNITS, Vocabulary
from tests.tiny import TINY

OLD, NEW = Vocabulary(("the", "cat", "sat")), Vocabulary(("sat", "dog", "the", "ran", "far"))
SHARED = {*SPECIAL_UNITS, "the", "sat"}
OLD_TGT, NEW_TGT = Vocabulary(("die", "Katze", "saß", "da")), Vocabulary(("Hund", "die", "da"))
SHARED_TGT = {*SPECIAL_UNITS, "die", "da"}
TIED = ("model.decoder.readout=attentional", "model.encoder.embedding_size=12", "model.decoder.embedding_size=12")


def model_for(src: Vocabulary, tgt: Vocabulary, *overrides: str) -> Seq2Seq:
    return build_model(load_config(None, [*TINY, *overrides]).model, src_size=len(src), tgt_size=len(tgt))


@pytest.mark.parametrize("tied", ["none", "target", "all"])
def test_shared_units_keep_their_rows_new_ones_stay_as_drawn_and_other_weights_are_taken_whole(tied: str) -> None:
    src = (OLD, NEW, SHARED)
    tgt = src if tied == "all" else (OLD_TGT, NEW_TGT, SHARED_TGT)
    overrides = (*TIED, f"model.tied_embeddings={tied}")
    old, model = model_for(src[0], tgt[0], *overrides), model_for(src[1], tgt[1], *overrides)
    drawn = {name: array.copy() for name, array in model.weights().items()}
    model.load_shared(old.weights(), src=src[1].shared_ids(src[0]), tgt=tgt[1].shared_ids(tgt[0]))

    theirs, ours = ({name: value.numpy() for name, value in made.state_dict().items()} for made in (old, model))
    of_units = {"encoder.embedding.weight": src, "decoder.embedding.weight": tgt} | {
        f"output.{part}": tgt for part in ("weight", "bias")
    }
    for name, (before, now, shared) in of_units.items():
        units = [before.unit(id_) for id_ in range(len(before))]
        for id_ in range(len(now)):
            if (unit := now.unit(id_)) in shared:
                assert np.array_equal(ours[name][id_], theirs[name][units.index(unit)])
            elif name in drawn:
                assert np.array_equal(ours[name][id_], drawn[name][id_])
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours.keys() - of_units)
