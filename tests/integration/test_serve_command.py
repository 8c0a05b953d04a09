"""A real server: its answers, its refusals, and its end."""

import http.client
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seq2seq_cli.decoding.load import LoadedRun, load
from seq2seq_cli.documents.open_document import take_apart
from tests.commands import refused, s2s_here
from tests.documents import DOCUMENTS, members, packed
from tests.servers import Answer, Server, answer_of, running_server
from tests.untrained import make_run
from tests.waiting import wait_until

KEY = "geheimschlüssel"
MARKED = "<p>she <b>kissed</b> him.</p><p>Tom &amp; the dog 5 < 6 & 7</p>"
NAME = "Rosebud"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
GOOD = {"q": "she", "source": "en", "target": "de"}


def in_form_parts(*fields: tuple[str, str], **files: bytes) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a form in parts, and of files by their names, as ``curl -F`` sends it."""
    parts = [(f'"{name}"', text.encode()) for name, text in fields]
    parts += [(f'"file"; filename="{name}"', content) for name, content in files.items()]
    form = b"--x\r\nContent-Disposition: form-data; name=%b\r\n\r\n%b\r\n"
    body = b"".join(form % (name.encode(), content) for name, content in parts) + b"--x--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=x"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LoadedRun]:
    """Those of two directions; loaded once, so that the servers find their exported models."""
    folder = tmp_path_factory.mktemp("serve")
    directions = {"en-de": ("en", "de"), "de-en": ("de", "en")}
    return {name: load(make_run(folder / name, languages=both).path) for name, both in directions.items()}


@pytest.fixture(scope="module")
def server(runs: dict[str, LoadedRun]) -> Iterator[Server]:
    models = (argument for run in runs.values() for argument in ("--model", run.path))
    with running_server(*models) as server:
        yield server
        assert server.translate(**GOOD).status == 200
        # No text of a request is in its log, nor anything that strangers can fill a disk with.
        assert server.stop() == ("" if os.name == "nt" else "s2s: stopped\n")


@pytest.fixture(scope="module")
def strict_server(runs: dict[str, LoadedRun], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One with a key, little patience, and one thread."""
    keys = tmp_path_factory.mktemp("keys") / "keys"
    keys.write_text(f"{KEY}\n", encoding="utf-8")
    limits = ("--timeout", "0.5", "--threads", "1", "--max-characters", "10000000", "--max-waiting", "10")
    arguments = ("--model", runs["en-de"].path, "--api-keys", keys, *limits)
    with running_server(*arguments) as server:
        yield server


def test_the_answers_are_the_translations_of_the_runs(server: Server, runs: dict[str, LoadedRun]) -> None:
    texts = ["she kissed him .", "", "  ", "Who saw the dog?\n\nHe did."]
    for name, run in runs.items():
        source, target = name.split("-")
        of_list = server.translate(q=texts, source=source, target=target)
        assert (of_list.status, of_list.content) == (200, {"translatedText": run.translate(texts)})
        form = urllib.parse.urlencode({"q": texts[0], "source": source, "target": target}).encode()
        of_text = server.ask("POST", "/translate", form, FORM)
        assert (of_text.status, of_text.content) == (200, {"translatedText": run.translate(texts[0])})
        several = urllib.parse.urlencode({"q": texts, "source": source, "target": target}, doseq=True).encode()
        assert server.ask("POST", "/translate", several, FORM).content == of_list.content
        in_parts = in_form_parts(("q", texts[0]), ("q", texts[3]), ("source", source), ("target", target))
        assert server.ask("POST", "/translate", *in_parts).content == {
            "translatedText": run.translate([texts[0], texts[3]])
        }


def test_html_comes_back_as_html_with_its_marks(server: Server, runs: dict[str, LoadedRun]) -> None:
    translated = server.translate(**GOOD | {"q": MARKED, "format": "html"}).content["translatedText"]
    assert translated.startswith("<p>")
    assert translated.count("<p>") == translated.count("</p>") == 2
    assert translated.count("<b>") == translated.count("</b>") == 1
    without_tags = re.sub("</?[pb]>", "", translated)
    assert "<" not in without_tags
    assert "&amp;" in without_tags
    assert "&" not in without_tags.replace("&amp;", "").replace("&lt;", "")
    # As plain text, marks are kept too, and nothing is escaped.
    assert server.translate(**GOOD | {"q": MARKED}).content["translatedText"] == runs["en-de"].translate(MARKED)


def test_alternatives_differ_from_the_translation_which_stays(server: Server, runs: dict[str, LoadedRun]) -> None:
    texts = ["she kissed him .", "he saw the dog ."]
    answer = server.translate(**GOOD | {"q": texts, "alternatives": 3}).content
    assert answer["translatedText"] == runs["en-de"].translate(texts)
    several = runs["en-de"].translator.with_n_best(4).translate(texts)
    for best, of_text, translation in zip(answer["translatedText"], answer["alternatives"], several, strict=True):
        assert of_text == [each.text for each in translation.alternatives if each.text != best][:3]
        assert of_text
    with_sentences = server.translate(**GOOD | {"q": texts, "alternatives": 3, "attention": True}).content
    for of_text, sentences in zip(answer["alternatives"], with_sentences["alternativeSentences"], strict=True):
        assert [[each["translation"] for each in of_sentences] for of_sentences in sentences] == [[t] for t in of_text]
    one = server.translate(**GOOD | {"q": texts[0], "alternatives": "3"}).content
    assert one == {name: values[0] for name, values in answer.items()}


def test_a_client_of_libretranslate_works_unchanged(server: Server, runs: dict[str, LoadedRun]) -> None:
    client = pytest.importorskip("libretranslatepy", reason="needs libretranslatepy").LibreTranslateAPI(server.address)
    text = "she kissed him. <b>&amp;</b> ü?"
    assert client.translate(text, "en", "de") == runs["en-de"].translate(text)
    assert {language["code"]: language["targets"] for language in client.languages()} == {"en": ["de"], "de": ["en"]}
    assert [language["language"] for language in client.detect("Wer ist denn das hier?")] == ["de", "en"]


def test_a_client_that_sends_its_fields_in_the_address_works_unchanged(
    server: Server, runs: dict[str, LoadedRun]
) -> None:
    libre = pytest.importorskip("deep_translator", reason="needs deep-translator").LibreTranslator
    client = libre(source="en", target="de", api_key="none", custom_url=f"{server.address}/")
    assert client.translate("she kissed him. ü?") == runs["en-de"].translate("she kissed him. ü?")


def test_the_recorded_request_of_the_npm_package_translate_is_answered(
    server: Server, runs: dict[str, LoadedRun]
) -> None:
    body = '{"q":"she kissed him.","source":"en","target":"de"}'
    request = (
        f"POST /translate HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\nconnection: close\r\n"
        "Content-Type: application/json\r\naccept: */*\r\naccept-language: *\r\nsec-fetch-mode: cors\r\n"
        f"user-agent: node\r\naccept-encoding: gzip, deflate\r\ncontent-length: {len(body)}\r\n\r\n{body}"
    )
    answer = exchange(server, request.encode())
    assert json.loads(answer.partition(b"\r\n\r\n")[2]) == {
        "translatedText": runs["en-de"].translate("she kissed him.")
    }


def test_the_requests_that_mastodon_makes_are_answered(server: Server, runs: dict[str, LoadedRun]) -> None:
    """As its TranslationService::LibreTranslate: which languages there are, then the texts of a post as HTML."""
    posts = ['<p>she kissed <a href="https://a.org/@tom" class="mention">him</a></p>', "he saw", ""]
    body = json.dumps({"q": posts, "source": "auto", "target": "de", "format": "html", "api_key": None})
    head = (
        f"User-Agent: http.rb/5.3.1 (Mastodon/4.5.0; +https://a.org/)\r\nHost: 127.0.0.1:{server.port}\r\n"
        "Date: Fri, 27 Nov 2026 12:00:00 GMT\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\n"
        "Connection: close\r\n"
    )
    asked = (
        f"GET /languages HTTP/1.1\r\n{head}\r\n",
        (f"POST /translate HTTP/1.1\r\n{head}Digest: SHA-256=eA==\r\nContent-Length: {len(body)}\r\n\r\n{body}"),
    )
    languages, answer = (json.loads(exchange(server, each.encode()).partition(b"\r\n\r\n")[2]) for each in asked)
    assert {each["code"]: each["targets"] for each in languages} == {"en": ["de"], "de": ["en"]}
    assert answer["translatedText"] == runs["en-de"].translate(posts)
    assert [each["language"] for each in answer["detectedLanguage"]] == ["en"] * 3


@pytest.mark.slow
def test_the_npm_package_translate_works_unchanged(server: Server, runs: dict[str, LoadedRun], tmp_path: Path) -> None:
    npm, node = map(shutil.which, ("npm", "node"))
    if not npm or not node:
        pytest.skip("needs node and npm")
    installed = subprocess.run([npm, "install", "translate@3.1.0"], cwd=tmp_path, capture_output=True, check=False)
    if installed.returncode:
        pytest.skip("npm cannot fetch the package")
    program = (
        'import translate from "translate"; translate.engine = "libre";'
        f' translate.url = "{server.address}/translate"; console.log(await translate("she kissed him. ü?", '
        '{ from: "en", to: "de" }));'
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", program], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == runs["en-de"].translate("she kissed him. ü?") + "\n"


def test_a_glossary_comes_with_a_request(server: Server) -> None:
    answer = server.translate(**GOOD | {"q": "he saw ."}, glossary="saw\tküsste\nhe\tHund").content["translatedText"]
    assert "küsste" in answer
    assert "Hund" in answer
    address = sent_file(server, "a.md", b"he saw .\n", glossary="saw\tküsste\nhe\tHund").content["translatedFileUrl"]
    assert server.get(address.removeprefix(server.address)).content == f"{answer}\n"
    for glossary, told in (("saw küsste", "glossary:1: needs a term"), ("saw\tKrokodil", "glossary: saw: the model")):
        refusal = server.translate(**GOOD, glossary=glossary)
        assert refusal.status == 400
        assert refusal.content["error"].startswith(told)


def test_warnings_come_with_the_attention_for_each_text(server: Server) -> None:
    answer = server.translate(q=["he saw .", "Xa Xe Xi Xo"], source="en", target="de", attention=True).content
    assert answer["warnings"] == [[], ["4 of 4 words are not known to the model: is the text English?"]]
    assert "warnings" not in server.translate(q="Xa Xe Xi Xo", source="en", target="de").content


def test_an_address_that_is_no_form_is_refused(server: Server) -> None:
    for query in ("q=%ff", "q=1&" * 101):
        answer = server.ask("POST", f"/translate?{query}", b"", FORM)
        assert answer.status == 400
        assert answer.content["error"].startswith("the address: ")
    raw = exchange(server, b"POST /translate?q=\xff HTTP/1.1\r\nHost: s2s\r\nContent-Length: 0\r\n\r\n")
    assert raw.startswith(b"HTTP/1.1 400 ")


def test_the_source_is_detected_where_it_is_asked_for(server: Server, runs: dict[str, LoadedRun]) -> None:
    texts = ["<p>she kissed him</p>", "he saw"]
    answer = server.translate(q=texts, source="auto", target="de", format="html").content
    assert answer["translatedText"] == runs["en-de"].translate(texts)
    assert answer["detectedLanguage"] == [{"confidence": 100.0, "language": "en"}] * 2
    one = server.translate(q="she kissed him", source="auto", target="de").content
    assert one["detectedLanguage"] == {"confidence": 100.0, "language": "en"}
    assert server.translate(q="she", source="auto", target="fr").status == 400


def test_languages_are_detected(server: Server) -> None:
    text = urllib.parse.urlencode({"q": "Wer ist denn das hier?"})
    for asked in (("/detect", text.encode(), FORM), (f"/detect?{text}", b"", {})):
        german, english = server.ask("POST", *asked).content
        assert (german["language"], english["language"]) == ("de", "en")
        assert german["confidence"] > 90
        assert german["confidence"] + english["confidence"] == pytest.approx(100, abs=0.2)
    assert server.ask("POST", "/detect", b"", FORM).status == 400


def test_what_clients_ask_before_they_translate(server: Server) -> None:
    names = {"en": "English", "de": "German"}
    languages = server.get("/languages").content
    assert languages == [
        {"code": source, "name": names[source], "targets": [target]} for source, target in (("en", "de"), ("de", "en"))
    ]
    settings = server.get("/frontend/settings").content
    assert settings["language"] == {
        "source": {"code": "en", "name": "English"},
        "target": {"code": "de", "name": "German"},
    }
    assert not settings["keyRequired"]
    assert server.translate(**GOOD | {"q": " " * settings["charLimit"]}).status == 200
    assert server.translate(**GOOD | {"q": " " * (settings["charLimit"] + 1)}).status == 413
    assert server.get("/health").content == {"status": "ok"}


def test_the_page_knows_the_directions_and_may_ask_its_server_alone(server: Server) -> None:
    page = server.get("/")
    assert page.headers["X-Frame-Options"] == "DENY"
    assert '"directions":[["en","de"],["de","en"]]' in page.content
    assert '"about":[{"lines":[],"example":""},{"lines":[],"example":""}]' in page.content
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page.content)
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy


def test_the_page_is_an_app_with_an_icon_of_its_own(server: Server) -> None:
    answer = server.get("/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = json.loads(answer.content)
    assert (manifest["start_url"], manifest["display"]) == (".", "standalone")
    assert urllib.parse.unquote(manifest["icons"][0]["src"]).startswith("data:image/svg+xml,<svg")


def test_the_attention_of_each_sentence_is_given_where_it_is_asked_for(
    server: Server, runs: dict[str, LoadedRun]
) -> None:
    texts = ["she kissed him .", "", "he saw .\nthe dog"]
    assert "sentences" not in server.translate(**GOOD | {"q": texts}).content
    of_texts = server.translate(**GOOD | {"q": texts}, attention=True).content["sentences"]
    expected = [sentence.weights for text in texts for sentence in runs["en-de"].explain(text).sentences]
    assert list(map(len, of_texts)) == [1, 0, 2]
    form = b"q=she&source=en&target=de&attention="
    assert "sentences" in server.ask("POST", "/translate", form + b"true", FORM).content
    assert "sentences" not in server.ask("POST", "/translate", form + b"false", FORM).content
    for sentence, weights in zip((each for of_text in of_texts for each in of_text), expected, strict=True):
        assert np.asarray(sentence["weights"]) == pytest.approx(weights, abs=0.001)


def test_the_steps_of_a_translation_that_begins_with_given_tokens_are_told(
    server: Server, runs: dict[str, LoadedRun]
) -> None:
    [sentence] = server.translate(**GOOD, steps=True).content["sentences"]
    prefix = [next(id_ for id_, *_ in sentence["steps"][0]["next"] if id_ != sentence["tree"]["nodes"][0][-1])]
    [other] = server.translate(**GOOD, steps=True, prefix=prefix).content["sentences"]
    expected = json.loads(json.dumps(runs["en-de"].explain(GOOD["q"]).sentences[0].data))
    assert sentence["states"] == other["states"] == expected["states"]
    assert sentence["steps"][0] == other["steps"][0] == expected["steps"][0]
    assert other["tree"]["nodes"][0][-1] == prefix[0]
    assert sentence["tgt_tokens"] == expected["tgt_tokens"] != other["tgt_tokens"]


BAD = {
    "no JSON": (b'{"q": "she', JSON, 400),
    "no UTF-8": (b'{"q": "\xff"}', JSON, 400),
    "deep": (b"[" * 100_000, JSON, 400),
    "long number": (b"9" * 10_000, JSON, 400),
    "no q": (json.dumps(GOOD | {"q": None}).encode(), JSON, 400),
    "q of numbers": (json.dumps(GOOD | {"q": ["she", 7]}).encode(), JSON, 400),
    "half a character": (json.dumps(GOOD | {"q": "\ud800"}).encode(), JSON, 400),
    "no source": (b"q=she&target=de", FORM, 400),
    "other language": (b"q=she&source=en&target=fr", FORM, 400),
    "other format": (b"q=she&source=en&target=de&format=pdf", FORM, 400),
    "many alternatives": (b"q=she&source=en&target=de&alternatives=1000000000", FORM, 400),
    "other attention": (b"q=she&source=en&target=de&attention=some", FORM, 400),
    "prefix that no model has": (json.dumps(GOOD | {"prefix": [10**6]}).encode(), JSON, 400),
    "prefix for several texts": (json.dumps(GOOD | {"q": ["she", "he"], "prefix": [4]}).encode(), JSON, 400),
    "long prefix": (json.dumps(GOOD | {"prefix": [4] * 1001}).encode(), JSON, 400),
    "form of another encoding": (b"q=%ff&source=en&target=de", FORM, 400),
    "many fields": (b"a=b&" * 1000, FORM, 400),
    "no parts": (b"q=she", {"Content-Type": "multipart/form-data; boundary=x"}, 400),
    "parts without a boundary": (b"q=she", {"Content-Type": "multipart/form-data"}, 400),
    "a file": (*in_form_parts(*GOOD.items(), **{"a.txt": b"she"}), 400),
    "another type": (b"<q>she</q>", {"Content-Type": "text/xml"}, 415),
    "10 MB": (b'{"q": "' + b"x" * 10_000_000 + b'"}', JSON, 413),
    "much text": (json.dumps(GOOD | {"q": [""] * 20_001}).encode(), JSON, 413),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_translated_is_refused_with_the_reason(server: Server, name: str) -> None:
    body, headers, status = BAD[name]
    answer = server.ask("POST", "/translate", body, headers)
    assert answer.status == status
    assert answer.content.keys() == {"error"}
    assert len(answer.content["error"]) < 200


def sent_file(server: Server, name: str, content: bytes, **fields: str) -> Answer:
    """The answer to a document, sent as the clients of LibreTranslate do."""
    form = {"source": "en", "target": "de"} | fields
    return server.ask("POST", "/translate_file", *in_form_parts(*form.items(), **{name: content}))


@pytest.mark.parametrize("source", ["en", "auto"])
@pytest.mark.parametrize("name", ["letter.docx", "book.epub", "notes.md"])
def test_a_document_is_translated_and_fetched(
    server: Server, runs: dict[str, LoadedRun], name: str, source: str
) -> None:
    answer = sent_file(server, f"C:/{name}", DOCUMENTS[name], source=source)
    assert answer.status == 200
    address = answer.content["translatedFileUrl"]
    stem, ending = name.split(".")
    assert re.fullmatch(rf"{server.address}/download_file/[\w-]{{22}}\.{stem}_de\.{ending}", address)
    with urllib.request.urlopen(address) as fetched:  # noqa: S310
        assert fetched.headers["Content-Disposition"] == f"attachment; filename*=utf-8''{stem}_de.{ending}"
        content = fetched.read()
    draft = take_apart(DOCUMENTS[name], name, ("en", "de"))
    expected = draft.written(runs["en-de"].translate(slot.text) for slot in draft.slots)
    assert members(name, content) == members(name, expected)


@pytest.mark.parametrize(
    ("name", "content", "fields", "status", "problem"),
    [
        ("letter.doc", b"", {}, 400, "file: must be a document"),
        ("letter.docx", b"she", {}, 400, "letter.docx: damaged or encrypted"),
        ("a.srt", b"she", {}, 400, "a.srt: no text"),
        ("a.md", b"she", {"source": ""}, 400, "source: "),
        ("a.md", b"she", {"target": "fr"}, 400, "source, target: not served here"),
        ("a.md", b"she " * 5001, {}, 413, "the text: 20,004 characters"),
        ("a.md", bytes(11_000_000), {}, 413, "the body: "),
        ("a.odt", packed({"content.xml": b"<p/>", "a": bytes(20_000_001)}), {}, 400, "a.odt: more than 20 MB"),
    ],
)
def test_a_document_that_cannot_be_translated_is_refused(
    server: Server, name: str, content: bytes, fields: dict[str, str], status: int, problem: str
) -> None:
    answer = sent_file(server, name, content, **fields)
    assert (answer.status, answer.content["error"][: len(problem)]) == (status, problem)


def test_documents_need_a_key_where_texts_do_and_others_a_name(strict_server: Server) -> None:
    assert sent_file(strict_server, "a.md", b"she").status == 403
    assert sent_file(strict_server, "a.md", b"she", api_key=KEY).status == 200
    assert strict_server.ask("POST", "/translate_file", *in_form_parts(*GOOD.items(), ("api_key", KEY))).status == 400
    assert strict_server.get("/download_file/a.md").status == 404


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *(("GET", "/translate", 405), ("DELETE", "/languages", 405), ("TRACE", "/health", 405)),
        *(("GET", "/nowhere", 404), ("POST", "/../etc/passwd", 404), ("GET", "/%ff", 404)),
    ],
)
def test_other_methods_and_addresses_are_refused(server: Server, method: str, path: str, status: int) -> None:
    answer = server.ask(method, path)
    assert answer.status == status
    assert answer.content.keys() == {"error"}


def exchange(server: Server, sent: bytes) -> bytes:
    """All that the server sends on a connection, to its end."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(sent)
        received = b""
        while data := connection.recv(2**16):
            received += data
        return received


def test_what_is_no_http_is_refused(server: Server) -> None:
    assert exchange(server, b"HELO she kissed him\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_slow_clients_are_not_waited_for(strict_server: Server) -> None:
    head = b"POST /translate HTTP/1.1\r\nHost: s2s\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n"
    assert exchange(strict_server, head + b'{"q": ').startswith(b"HTTP/1.1 408 ")


def test_a_key_is_asked_for_where_there_are_some(strict_server: Server) -> None:
    assert strict_server.translate(**GOOD).status == 403
    assert strict_server.translate(**GOOD, api_key="falsch").status == 403
    asked = b"q=she&source=en&target=de"
    authorized = FORM | {"Authorization": f"Bearer {KEY}".encode().decode("latin-1")}  # the bytes as they are
    assert strict_server.ask("POST", "/translate", asked, authorized).status == 200
    in_address = f"/translate?{asked.decode()}&{urllib.parse.urlencode({'api_key': KEY})}"
    assert strict_server.ask("POST", in_address).status == 200
    assert strict_server.ask("POST", "/translate", asked + b"&api_key=%s" % KEY.encode(), FORM).status == 200
    assert strict_server.get("/frontend/settings").content["keyRequired"]
    assert strict_server.get("/languages").status == 200


def test_what_takes_too_long_is_given_up_and_what_waits_is_bounded(strict_server: Server) -> None:
    names = ("".join(letters).title() for letters in itertools.product("sheimr", repeat=5))
    long = GOOD | {"q": " ".join(f"{name} saw the dog." for name in names), "api_key": KEY}
    answers: list[Answer] = []
    given_up: list[Answer] = []

    def ask() -> None:
        while (answer := strict_server.translate(**long)).status == 429:
            continue  # a short one waited
        given_up.append(answer)

    asking = threading.Thread(target=ask)
    asking.start()
    while asking.is_alive():
        answers.append(strict_server.translate(**GOOD, api_key=KEY))
    asking.join()
    assert {answer.status for answer in answers} <= {200, 429, 503}
    too_many = [answer for answer in answers if answer.status == 429]
    assert {answer.headers["Retry-After"] for answer in [*too_many, *given_up]} == {"1"}
    assert too_many
    assert given_up[0].status == 503
    assert strict_server.translate(**GOOD, api_key=KEY).status == 200  # the rest of the long text is not translated


def test_a_client_that_leaves_half_way_costs_nothing_more(server: Server) -> None:
    words = ("".join(letters) for letters in itertools.product("she", repeat=5))
    body = json.dumps(GOOD | {"q": [f"{NAME} {word}" for word in words]}).encode()
    head = b"POST /translate HTTP/1.1\r\nHost: s2s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    # Together, these texts are more than may wait: the last request is taken because they were dropped.
    for sent in [head % len(body) + body] * 200 + [head % len(body) + body[:100]]:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(sent)
    assert server.translate(**GOOD).status == 200


class Caller(threading.Thread):
    """Translates on one connection until the server closes it."""

    def __init__(self, server: Server, text: str) -> None:
        super().__init__()
        self._server = server
        self._text = text
        self.answers: list[Any] = []
        self.lost = 0

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=30)
        while True:
            try:
                connection.request("POST", "/translate", json.dumps(GOOD | {"q": self._text}).encode(), JSON)
                answer = answer_of(connection)
            except OSError:
                self.lost += 1
                return
            self.answers.append(answer.content)
            if answer.headers.get("connection") == "close":
                return


def test_a_stop_under_load_loses_no_request(runs: dict[str, LoadedRun]) -> None:
    with running_server("--model", runs["en-de"].path) as server:
        callers = [Caller(server, f"she kissed him {'again ' * number}.") for number in range(8)]
        for caller in callers:
            caller.start()
        wait_until(lambda: all(len(caller.answers) >= 3 for caller in callers))
        assert server.stop() == "s2s: stopped\n"
        for caller in callers:
            caller.join()
            assert caller.lost == 0
            expected = {"translatedText": runs["en-de"].translate(caller._text)}
            assert all(answer == expected for answer in caller.answers)


def test_two_runs_of_one_direction_are_refused(runs: dict[str, LoadedRun], tmp_path: Path) -> None:
    path = runs["en-de"].path
    done = s2s_here(tmp_path, "serve", "--port", "0", "--model", str(path), "--model", str(path))
    assert refused(done) == f"{path}: translates en-de, as {path} does: name one of them"


def test_a_port_in_use_and_a_host_of_nobody_are_told(runs: dict[str, LoadedRun], tmp_path: Path) -> None:
    model = ("--model", str(runs["en-de"].path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = s2s_here(tmp_path, "serve", *model, "--port", port)
    cannot = f"--host 127.0.0.1 --port {port}: cannot listen there: Address already in use; give another --port"
    assert refused(done) == cannot
    done = s2s_here(tmp_path, "serve", *model, "--host", "no such host")
    cure = "give 127.0.0.1, or 0.0.0.0 for all networks"
    assert refused(done) == f"--host no such host: no such address of this machine; {cure}"
