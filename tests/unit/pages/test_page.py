"""Pages as the parser of a browser takes them apart."""

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from seq2seq_cli.decoding.page.export_page import SCRIPTS, packed_weights
from seq2seq_cli.pages.page import evaluation_page, page, read_file
from tests.unit.pages.evaluations import evaluation_of

HOSTILE = [
    "</script><script>document.title = 'taken'</script>",
    "</script <script document.title",
    "<!-- <script>",
    "]]> --> <![CDATA[",
    "\"'`\\ \\u003c $data ${data} &lt;b&gt; &#60;",
    "a\u2028b\u2029c",
    "<img src=x onerror=alert(1)>",
    "\u202eturned\u202c \x00 \U0001f600",
]


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and the texts of those that hold one."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.feed(content.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and data.strip():
            self.texts.append((self.elements[-1][0], data))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def content_of_data(self) -> str:
        return "".join(text for tag, text in self.texts if tag == "script" and text.startswith('{"'))

    @property
    def data(self) -> Any:
        return json.loads(self.content_of_data)


def test_the_data_comes_back_as_it_was_given() -> None:
    data = evaluation_of("She kissed him.", "Sie küsste ihn.")
    assert Parsed(evaluation_page(data)).data == json.loads(json.dumps(data))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_sentence_gets_out_of_the_data(text: str) -> None:
    harmless, found = (Parsed(evaluation_page(evaluation_of(each, each))) for each in ("harmless", text))
    assert not set(found.content_of_data).intersection("<>&\u2028\u2029")
    assert found.data["sources"][0]["source"] == text
    assert [tag for tag, _ in found.elements] == [tag for tag, _ in harmless.elements]
    assert found.comments == []


@pytest.mark.parametrize("title", ["</title><script>alert(1)</script>", "a & b < c", "report \udcff.html"])
def test_a_title_is_a_text(title: str) -> None:
    parsed = Parsed(page(title, ["dom.js"], {"": title}, start="console.log"))
    assert [tag for tag, _ in parsed.elements].count("script") == 2
    assert parsed.data == {"": title}


def test_a_page_asks_for_nothing_and_runs_its_own_script_alone() -> None:
    content = evaluation_page(evaluation_of("a", "b"))
    parsed = Parsed(content)
    assert [attributes for _, attributes in parsed.elements if {"src", "srcset", "action"} & attributes.keys()] == []
    [icon] = [attributes["href"] for _, attributes in parsed.elements if "href" in attributes]
    assert str(icon).startswith("data:")
    text = content.decode("utf-8")
    assert re.findall(r"https?://[^\"]*|@import|url\(", text) == []
    [policy] = [each["content"] for _, each in parsed.elements if each.get("http-equiv") == "Content-Security-Policy"]
    assert policy
    assert policy.startswith("default-src 'none';")
    [script] = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    hashed = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    assert f"script-src 'sha256-{hashed}';" in policy


def test_numbers_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        page("a", [], {"": float("nan")}, start="console.log")


def test_no_two_scripts_of_a_page_define_the_same_name() -> None:
    # They share one scope: a second function of a name would silently take the place of the first.
    text = "\n".join(map(read_file, SCRIPTS))
    names = re.findall(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", text, flags=re.MULTILINE)
    assert len(names) > 100
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("size", [1.0, 1e-30, 1e6])
def test_the_weights_of_a_translator_are_there_in_steps_that_are_a_small_part_of_them(size: float) -> None:
    drawn = np.random.default_rng(1)
    weights = {
        "normal": drawn.normal(0, size, (40, 7)).astype(np.float32),
        "outlier": np.float32(size) * np.array([1e-3, -1e-3, 30_000]).repeat((50_000, 50_000, 1)).astype("f4"),
        "zero": np.zeros(3, dtype=np.float32),
    }
    data = packed_weights(weights)
    assert data["shapes"] == {name: list(weight.shape) for name, weight in weights.items()}
    planes = [zlib.decompress(base64.b64decode(text)) for text in data["planes"]]
    low, middle, high = (np.frombuffer(plane, dtype=np.uint8).astype(np.int64) for plane in planes)
    codes = low + 2**8 * middle + 2**16 * high
    numbers = np.where(codes % 2, -(codes + 1) // 2, codes // 2)
    found = np.split(numbers, np.cumsum([weight.size for weight in weights.values()])[:-1])
    for weight, in_steps, step in zip(weights.values(), found, data["steps"], strict=True):
        np.testing.assert_allclose(in_steps * step, weight.ravel(), rtol=0, atol=0.51 * step)
        assert step == 1 or step <= max(np.sqrt(np.mean(np.square(weight, dtype=float))) / 5000, weight.max() / 2**21)
