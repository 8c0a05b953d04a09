"""Wherever a translation has its marks, a paragraph has each of its elements once, and the text in order."""

import re
from html import unescape
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from seq2seq_cli.documents.passages import Layout, find_slots

LAYOUT = Layout(kinds={"inline": "i"}, others="point")
_TREES = st.recursive(
    st.sampled_from(["one ", "<br/>", " two", "&lt;b&gt; &amp;"]),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"<i>{''.join(parts)}</i>"),
    max_leaves=8,
)


@given(_TREES, st.randoms(use_true_random=False))
def test_no_element_and_no_text_is_lost(tree: str, random: Random) -> None:
    paragraph = etree.fromstring(f"<p>word {tree}</p>")
    elements = set(paragraph.iter())
    [slot] = find_slots(paragraph, LAYOUT)
    slot.write(slot.text)
    assert etree.tostring(paragraph) == etree.tostring(etree.fromstring(f"<p>word {tree}</p>"))
    parts = re.split(r"(<[^<>]*>)", slot.text)
    random.shuffle(parts)
    slot.write("".join(parts))
    assert set(paragraph.iter()) == elements
    text = unescape("".join(part for part in parts if not part.startswith("<")))
    assert "".join(paragraph.itertext()).strip() == text.strip()
