"""The pages: one HTML file each, with its style, its script and its data in it."""

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import quote

from seq2seq_cli.pages.data import EvaluationData, FilmData, TextData

_HTML = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src '$style_hash'; \
script-src '$script_hash'$allowed; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="$icon">
<title>$title</title>
<style>$style</style>
</head>
<body>
<noscript>This page shows its data with JavaScript, which is switched off here.</noscript>
<script type="application/json" id="data">$data</script>
<script>$script</script>
</body>
</html>
""")
VIEWS = ("dom.js", "attention.js", "tree.js", "stepper.js")
"""The scripts that show the attention, the search and the steps of a translation."""
_ICON = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/>'
    '<path d="M3 3h4v4H3zM9 9h4v4H9z" fill="#fff"/><path d="M9 3h4v4H9zM3 9h4v4H3z" fill="#fff" opacity=".3"/></svg>'
)
"""A small attention matrix."""
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
"""Characters that could end the element of the data, or begin another; in JSON, they stand in strings alone."""


def evaluation_page(data: EvaluationData) -> bytes:
    """The page of an evaluation: its figures, and its sentences with all that is known of their translations."""
    return page(data["title"], (*VIEWS, "translations.js", "evaluation.js"), data, start="evaluationPage")


def translations_page(
    title: str, languages: tuple[str, str], texts: Sequence[TextData], films: Sequence[FilmData]
) -> bytes:
    """The page of translations: their attention, their probabilities, their searches and their steps.

    Without a title, it has no heading. `languages` are ISO 639, of the texts and of the translations, empty where
    unknown; `films` are of the run that translated.
    """
    data = {"title": title, "languages": languages, "texts": texts, "films": films}
    return page(title or "s2s", (*VIEWS, "film.js", "translations.js"), data, start="translationsPage")


def film_page(title: str, films: Sequence[FilmData], curves: bytes) -> bytes:
    """The page of runs: their attention while it was learned, and a picture of their learning curves, an svg."""
    address = f"data:image/svg+xml;base64,{base64.b64encode(curves).decode('ascii')}"
    data = {"title": title, "films": films, "curves": address}
    return page(title, ("dom.js", "attention.js", "film.js"), data, start="filmPage")


def manifest() -> dict[str, Any]:
    """The manifest by which a browser installs the page of a server as an app: https://www.w3.org/TR/appmanifest."""
    icons = [{"src": _ICON, "type": "image/svg+xml", "sizes": "any"}]
    return {"name": "Translator (s2s)", "short_name": "s2s", "start_url": ".", "display": "standalone", "icons": icons}


def page(title: str, scripts: Sequence[str], data: Mapping[str, Any], *, start: str, allowed: str = "") -> bytes:
    """The content of the file: `scripts` are files of this package; their function `start` is called with the data.

    The page allows the browser to run these scripts and no others, and to load nothing, whatever the data holds;
    `allowed` is what else its Content-Security-Policy has. Raises ValueError for data that JSON cannot hold.
    """
    style = read_file("page.css")
    given = "JSON.parse(document.getElementById('data').textContent)"
    script = "\n".join([*map(read_file, scripts), f"const pageOpened = {start}({given});"])
    text = _HTML.substitute(
        title=html.escape(title),
        icon=_ICON,
        style=style,
        style_hash=_hash(style),
        data=json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_ESCAPES),
        script=script,
        script_hash=_hash(script),
        allowed=allowed,
    )
    # Names of files may hold bytes that are not UTF-8; JSON writes them as it is done here.
    return text.encode("utf-8", "backslashreplace")


def read_file(name: str) -> str:
    """The text of a file in this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    """As a Content-Security-Policy names what it allows."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}"
