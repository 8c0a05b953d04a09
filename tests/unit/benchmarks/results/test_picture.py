"""The picture of what minutes and pairs bring."""

import dataclasses
import io

from matplotlib.image import imread

from benchmarks.results.picture import minutes_picture
from tests.unit.benchmarks.results.test_table import result


def test_recipes_and_peers_have_points_and_other_systems_have_none() -> None:
    quick = result("quick", 1, 42.0)
    others = [
        result("luong_concat", 1, 41.0),
        dataclasses.replace(quick, pairs="multi30k.txt"),
        dataclasses.replace(quick, settings=["data.swap=true"]),
    ]
    assert minutes_picture(others, "deu") is None
    alone, beside_others = (minutes_picture(results, "deu") for results in ([quick], [quick, *others]))
    with_peer = minutes_picture([quick, result("joeynmt-rnn:6", 1, 3.0)], "deu")
    assert alone is not None
    assert imread(io.BytesIO(alone)).shape[2] == 4
    assert alone == beside_others != with_peer
