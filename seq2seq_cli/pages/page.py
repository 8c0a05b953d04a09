"""One HTML file with its style, its script and its data in it."""

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
"""Characters that could end the element of the data, or begin another; in JSON, they stand in strings alone."""


def page(
    title: str,
    scripts: Sequence[str],
    data: Mapping[str, Any],
    *,
    asks_server: bool = False,
    has_kernel: bool = False,
) -> bytes:
    """The content of the file: `scripts` are names of files in this package, which run in this order.

    The page allows the browser to run these scripts and no others, and to load nothing, whatever the data holds. With
    `asks_server`, they may send requests to the server of the page; with `has_kernel`, they may compile a kernel of
    WebAssembly. Raises ValueError for data that JSON cannot hold.
    """
    style, script = read_file("page.css"), "\n".join(map(read_file, scripts))
    text = Template(read_file("page.html")).substitute(
        title=html.escape(title),
        style=style,
        style_hash=_hash(style),
        data=_json(data),
        script=script,
        script_hash=_hash(script),
        server=" connect-src 'self';" if asks_server else "",
        kernel=" 'wasm-unsafe-eval'" if has_kernel else "",
    )
    # Names of files may hold bytes that are not UTF-8; JSON writes them as it is done here.
    return text.encode("utf-8", "backslashreplace")


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)


def read_file(name: str) -> str:
    """The text of a file in this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    """As a Content-Security-Policy names what it allows."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}"
