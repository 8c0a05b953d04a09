import re

import numpy as np
import pytest

from seq2seq_cli.decoding.keep import put_back
from seq2seq_cli.decoding.marks import escape_unmarked, find_marks
from seq2seq_cli.text.characters import HIDDEN
from tests.unit.decoding.test_sentences import taken_apart

WORDS = re.compile(r"https://[\w.]*\w|\w+|[^\w\s]")
FACES = ["😀", "❤️", "👍🏽", "👩‍👧", "❤️‍🔥"]
FLAGS = ["🏳️‍🌈", "🇩🇪🇫🇷", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]


def kept(text: str) -> list[str]:
    return [piece.text[start:end] for piece in taken_apart(text).pieces for start, end in piece.kept]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>He <b>is</b> in.</p><p>Go!</p>", "He is in. | Go!"),
        ("He is<br>in.", "He is | in."),
        ("<p>He\nis <img src='i'>in\r\n\tthe <b>house</b>.</p>", "He is in the house."),
        ("He is\nin", "He is | in"),
        ("He \\*is\\* *in\\* it*\\.", "He is in it"),
        ('He is<p translate="no">in</p>it', "He is | it"),
        ("He\fis\vin\x1c.", "He is in ."),
        ("<pre>a\nb</pre>Go\nin", "Go in"),
        ("He<!-- a > b --> is in.", "He is in."),
        ("A <a href=\"u?a=1&amp;b\" title='>'>dog</a>", "A dog"),
        ("A caf&eacute; don&#39;t open&nbsp;it&hellip; so&shy;on", "A café don't open\u00a0it… soon"),
        ("**He** is *very* __in__ ~~out~~ and ***so***", "He is very in out and so"),
        ('See [the **dog**](http://a.org/x_(y) "a dog") and ![a cat](c.png)', "See the dog and a cat"),
        ("See [1] and [the dog][ref], [![a](b)](c)", "See [1] and the dog, a"),
        ("He is in <!-- a\n\n> b", "He is in"),
        ("这是**重要**的。이것은 **중요**합니다.", "这是重要的。 | 이것은 중요합니다."),
    ],
)
def test_marks_are_left_out(text: str, expected: str) -> None:
    assert " | ".join(piece.text for piece in taken_apart(text).pieces) == expected


def test_what_only_looks_like_a_mark_is_text() -> None:
    texts = ["a < b and c > d", "a<3 and x <- y", "2*3*4 = 24", "snake_case and _one", "f(*args, **kwargs)"]
    for text in (*texts, "an * or two", "it`s Tom`s", "[1] and [2]", "Q&A; R&B", "half **open", "a ~ b", "No. #1"):
        assert find_marks(text) == [], text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://en.wikipedia.org/wiki/A_(b).", ["https://en.wikipedia.org/wiki/A_(b)"]),
        ("See (https://a.org/b), or www.a.org!", ["(https://a.org/b)", "www.a.org"]),
        ("Buy at example.com or <https://a.org>.", ["example.com", "<https://a.org>"]),
        ('Write to "a.b+c@x-y.co.uk".', ['"a.b+c@x-y.co.uk"']),
        (
            "Open /usr/bin/x_y, ~/x.txt, C:\\a\\b and src/main.py.",
            ["/usr/bin/x_y", "~/x.txt", "C:\\a\\b", "src/main.py"],
        ),
        ("Ask @tom_s about #summer.", ["@tom_s", "#summer"]),
        ("Call `f(x)` or <code>a <b></code> now", ["`f(x)`", "<code>a <b></code>"]),
        ('Say <b translate="no">a b</b>, <b class=c>now</b>', ['<b translate="no">a b</b>']),
        ('Say <i id=i class="c notranslate">d</i>', ['<i id=i class="c notranslate">d</i>']),
        ("AT&amp;T is here, Tom &amp; Ann, 1 &lt; 2", ["AT&amp;T", "&amp;", "&lt;"]),
        ("and/or 1/2, e.g. he/she", []),
        ("At 9 a.m./p.m. in the U.S./U.K. I went home.it was", []),
        (
            "Go to Https://a.org/b, WWW.A.ORG, spiegel.de, bbc.co.uk/news or example.com:8080/x.",
            ["Https://a.org/b", "WWW.A.ORG", "spiegel.de", "bbc.co.uk/news", "example.com:8080/x"],
        ),
        ("Go to हिन्दी.com now", ["हिन्दी.com"]),
        ("请看https://example.com/a。请访问example.com。谢谢", ["https://example.com/a", "example.com"]),
        ("See nguyễn@example.com, việt.com and example.com-Seite", ["nguyễn@example.com", "việt.com", "example.com"]),
        ("https://a.org/wiki/日本 を、【https://a.org】に", ["https://a.org/wiki/日本", "https://a.org"]),
        ("Ask @nguyễn, about #ViệtNam, or #한국, now", ["@nguyễn", "#ViệtNam", "#한국"]),
        ("메일은 tom@example.com으로 보내세요", ["tom@example.com"]),
        ("me gusta.tv y el 10.de mayo", []),
        ("@小明你好。我爱你", []),
        ("@小明 你好 #天气", ["@小明", "#天气"]),
        ("I like #हिन्दी, #தமிழ், #กิน and राम@example.com", ["#हिन्दी", "#தமிழ்", "#กิน", "राम@example.com"]),
        ("دیکھو https://a.org۔ شکریہ", ["https://a.org"]),
        ("See «tom@example.com» or müller.com", ["«tom@example.com»", "müller.com"]),
    ],
)
def test_addresses_paths_names_and_code_are_kept(text: str, expected: list[str]) -> None:
    assert kept(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Saw %s and %d of %(name)s.", ["%s", "%d", "%(name)s"]),
        ("It is %1$s, %.2f or %-5d, %5ld %% in.", ["%1$s", "%.2f", "%-5d", "%5ld", "%%"]),
        ("Hi {name}, {0}, {} and {{ user.name }}!", ["{name}", "{0}", "{}", "{{ user.name }}"]),
        ("Say $t(common.hello) {{name}}", ["$t(common.hello)", "{{name}}"]),
        ("Pay ${price} or {total:.2f} to #{who} and %{whom}", ["${price}", "{total:.2f}", "#{who}", "%{whom}"]),
        ("Go to {host}{path}, ({n}) {x!r}", ["{host}{path}", "({n})", "{x!r}"]),
        ("Show {% if x %} it", ["{% if x %}"]),
        ("Move $2 from $1 to $3.", ["$2", "$1", "$3"]),
        ("It is $5, $20, $2.50 or $1.50, or 50% so, 100 % d, {a b} or { }", []),
        ("Hello%s, %sTom is%(name)sgone %dpx, eine 50 %ige", ["Hello%s", "%sTom", "is%(name)sgone", "%dpx"]),
    ],
)
def test_placeholders_are_kept_but_no_prices(text: str, expected: list[str]) -> None:
    assert kept(text) == expected


@pytest.mark.parametrize("emoji", [*FACES, *FLAGS, "1️⃣", "☺️😀👍🏿", "™️", "→"])
def test_emoji_are_kept_as_wholes_inside_a_sentence(emoji: str) -> None:
    for form, inside in {"I {} you": 1, "I{}you.": 1, "I am {}.": 1, "{} I": 0, "I am! {}": 0, "I{}": 0}.items():
        text = form.format(emoji)
        passage = taken_apart(text)
        assert kept(text) == [emoji] * inside
        assert passage.join([f"<{piece.source}>" for piece in passage.pieces]).count(emoji) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 < 6 && 7 > 6", "5 &lt; 6 &amp;&amp; 7 > 6"),
        ("<b>AT&amp;T</b> &lt; R&D &copy; x", "<b>AT&amp;T</b> &lt; R&amp;D &copy; x"),
        ("<!-- a & b --><script>a && b < c</script> <b", "<!-- a & b --><script>a && b < c</script> &lt;b"),
        ('<a href="?a=1&b=2">a</a> <3 &', '<a href="?a=1&b=2">a</a> &lt;3 &amp;'),
        ("https://a.org/?a=1&amp;b=2 *c* & ##", "https://a.org/?a=1&amp;b=2 *c* &amp; ##"),
        ("No mark.", "No mark."),
    ],
)
def test_what_is_no_mark_is_escaped_in_html(text: str, expected: str) -> None:
    assert escape_unmarked(text) == expected
    assert escape_unmarked(expected) == expected


def translated(source: str, output: str, alignment: str) -> str:
    """A text translated with a given alignment: ``i-j`` where word j of the output attends to word i of the source.

    In the output, {n} stands for a copy of the n-th kept word.
    """
    passage = taken_apart(source)
    [piece] = passage.pieces
    copied = [int(match[1]) for match in re.finditer(r"{(\d)}", output)]
    output = re.sub(r"{\d}", HIDDEN, output)
    parts, units = (WORDS.findall(text) for text in (piece.text, output))
    weights = np.zeros((len(units), len(parts) + 1), dtype=np.float32)
    for i, j in (map(int, pair.split("-")) for pair in alignment.split()):
        weights[j, i] = 1
    return passage.join([put_back(piece, output, copied, units=units, parts=parts, weights=weights)])


@pytest.mark.parametrize(
    ("source", "output", "alignment", "expected"),
    [
        ("A <b>big</b> dog.", "Ein großer Hund.", "0-0 1-1 2-2 3-3", "Ein <b>großer</b> Hund."),
        ("<b>Hello</b> dog.", "Hund hallo.", "0-1 1-0 2-2", "Hund <b>hallo</b>."),
        ("<p><b>A dog.</b></p>", "Ein Hund.", "0-0 1-1", "<p><b>Ein Hund.</b></p>"),
        ("**I** see *Tom*.", "Tom sehe ich.", "0-2 1-1 2-0 3-3", "*Tom* sehe **ich**."),
        ("See [the dog](u_v).", "Den Hund sehen.", "0-2 1-0 2-1 3-3", "[Den Hund](u_v) sehen."),
        ("I <b>take it off</b> now", "Ich ziehe es jetzt aus", "0-0 1-1 2-2 3-4 4-3", "Ich <b>ziehe es</b> jetzt aus"),
        ("A dog,<img>go", "Ein Hund, los", "0-0 1-1 2-2 3-3", "Ein Hund,<img>los"),
        ("A <b>dog\nbarks</b>", "Ein Hund bellt", "0-0 1-1 2-2", "Ein <b>Hund\nbellt</b>"),
        ("Wait <!-- c --> there", "Warte dort", "0-0 1-1", "Warte <!-- c --> dort"),
        ("A<!-- c --> dog<!-- d -->s", "Der Hund", "0-0 1-1", "Der<!-- c --> <!-- d -->Hund"),
        ("A dog[^1][^2] is here.", "Ein Hund ist hier.", "0-0 1-1 2-2 3-3 4-4", "Ein Hund[^1][^2] ist hier."),
        ("I <0>see</0> Tom.", "Ich sehe Tom.", "0-0 1-1 2-2 3-3", "Ich <0>sehe</0> Tom."),
        ("A <b>big</b> dog.", "Ein großer Hund.", "", "Ein <b>großer</b> Hund."),
        ("unbe<i>liev</i>able!", "Unglaublich!", "0-0 1-1", "<i>Unglaublich</i>!"),
    ],
)
def test_marks_go_where_the_words_are_aligned(source: str, output: str, alignment: str, expected: str) -> None:
    assert translated(source, output, alignment) == expected


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("Go to https://a.org now.", "Geh jetzt.", "Geh jetzt https://a.org."),
        ("Go to https://a.org.", "Geh zu.", "Geh zu https://a.org."),
        ("Go to https://a.org.", "请看。", "请看 https://a.org。"),
        ("Go to https://a.org", "Geh zu {0}", "Geh zu https://a.org"),
        ("The code `a  b` works", "Code a", "`a  b` Code a"),
        ("The code `a  b` works", "Der Code {0} a", "Der Code `a  b` a"),
        ("**I** see %s 😀 and %s.", "Ich sehe {2} und {1}.", "**Ich** sehe %s %s und 😀."),
        ("Good 👍🏽 job ❤️.", "Gut.", "Gut 👍🏽 ❤️."),
    ],
)
def test_kept_words_that_the_translation_lacks_are_put_into_it(source: str, output: str, expected: str) -> None:
    assert translated(source, output, "") == expected


def test_of_words_that_one_unit_writes_the_first_has_the_mark_whatever_its_rounded_weights() -> None:
    [piece], word = taken_apart("<b>dog</b> cat").pieces, "he;she;together"
    for weight in np.linspace(0.1, 0.4, 50, dtype=np.float32):
        weights = np.array([[weight, 1 - weight]])
        output = put_back(piece, word, [], units=[word], parts=["dog", "cat"], weights=weights)
        assert output == "<b>he</b>;she;together"


def test_an_empty_translation_keeps_the_marks() -> None:
    assert translated("A <b>big <i>dog</i></b> me@a.org sat", "", "") == "<b><i></i></b> me@a.org"
