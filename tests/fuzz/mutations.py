"""Mutations: valid content in, content with some faults out.

Each takes the random numbers and the content of a file. Those of bytes and lines suit every file; the others know a
structure, so that the faults lie deep in it and all around them is right.
"""

import gzip
import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np
from lxml import etree

Chance: TypeAlias = random.Random
Mutation: TypeAlias = Callable[[Chance, bytes], bytes]

POISON: list[bytes | str] = [
    *(b"\0", b"\n", b"\r", b"\r\n", b"\t", b"\t\t\t", b"\\", b'"', b"'", b":", b"{", b"[", b"%", b" " * 80),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbf\xbf"),
    *("\x1b[31m\x1b]0;x\x07", "\u202e\u2066", "\u2028", "\x85", "\u200b", "e\u0301" * 300, "ß" * 900, "\U0010ffff"),
    *(b"x" * 100_000, b"x " * 50_000, b"\n" * 10_000, b"[" * 20_000, b"9" * 5_000, b"-1", b"1e999", b"NaN", b"null"),
]
"""Bytes that readers stumble over, and texts that stand for them."""


def poison(chance: Chance) -> bytes:
    """One of POISON."""
    bad = chance.choice(POISON)
    return bad.encode() if isinstance(bad, str) else bad


def of_bytes(chance: Chance, content: bytes) -> bytes:
    """One to three faults that need no structure: bits, bytes and slices."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        start = chance.randint(0, len(content))
        end = start + chance.choice((1, 2, 4, 8, 64, 1 << chance.randint(0, 20)))
        piece = content[start:end]
        flipped = bytes([piece[0] ^ 1 << chance.randrange(8)]) + piece[1:] if piece else b""
        filled = bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF))]) * len(piece)
        bad = chance.choice((b"", piece + piece, flipped, filled, chance.randbytes(len(piece)), poison(chance) + piece))
        content = content[:start] + bad + (content[end:] if chance.random() < 0.85 else b"")
    return content


def of_lines(chance: Chance, content: bytes) -> bytes:
    """One to three faults of lines: one is missing, doubled, moved, joined to the next, or has something bad in it."""
    lines = content.split(b"\n")
    for _ in range(chance.choice((1, 1, 2, 3))):
        lines = lines or [b""]
        here, there = chance.randrange(len(lines)), chance.randrange(len(lines))
        line = lines[here]
        place = chance.randint(0, len(line))
        poisoned = line[:place] + poison(chance) + line[place:]
        joined = line + lines.pop(here + 1) if chance.random() < 0.1 and here + 1 < len(lines) else line
        moved, indented = lines[there % len(lines)], b" " * (place + 1) + line
        changes: list[list[bytes]] = [[], [line, line], [moved], [indented], [line[:place]], [poisoned]]
        lines[here : here + 1] = chance.choice(changes) if joined is line else [joined]
    return b"\n".join(lines)


RAW = ("1e999", "9" * 5_000, "-0", "1.0", "[" * 50_000 + "]" * 50_000, '{"a":' * 900 + "1" + "}" * 900)
"""JSON that Python does not write; "<0>" stands for the first one."""
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 0.5, -0.5, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 1e308),
    *(float("nan"), float("inf"), -float("inf"), *(f"<{number}>" for number in range(len(RAW)))),
    *("", " ", "x", "NaN", "1", "true", "x" * 100_000, "\0", "a\nb", "\x1b[31m", "\u202e", "\uffff", "🏴", "\ud800"),
    *("../../../etc/passwd", "/dev/zero", "/", "~", "a/b", "%s%n", "{0}", "best", "float32", "<pad>"),
    *([], {}, [None], [[]], {"": 0}, [-1, 2**62], ["x"] * 1_000, {"format": 1}),
]
"""Values that no reader expects."""
ODD_KEYS = ("", "\x1b[31m", "x" * 10_000, "../..", "\u202e", "__class__")


def altered(chance: Chance, value: Any) -> Any:
    """A copy of nested dicts, lists and arrays with one fault, at any depth."""
    if isinstance(value, np.ndarray):
        return other_numbers(chance, value)
    if isinstance(value, Mapping | list | tuple) and value and chance.random() < 0.9:
        items = list(value.items() if isinstance(value, Mapping) else enumerate(value))
        place = chance.randrange(len(items))
        key, item = items[place]
        other = key if isinstance(key, int) else chance.choice((f"{key}x", key[:-1], *ODD_KEYS))
        moved = (key, chance.choice(items)[1])
        faults: list[list[tuple[Any, Any]]] = [[], [(other, item)], [(key, item), (other, item)], [moved]]
        deeper = chance.random() < 0.6
        items[place : place + 1] = [(key, altered(chance, item))] if deeper else chance.choice(faults)
        return dict(items) if isinstance(value, Mapping) else [item for _, item in items]
    return _other_value(chance, value)


def _other_value(chance: Chance, value: Any) -> Any:
    """Another value, often one of the same type."""
    if type(value) in (int, float) and chance.random() < 0.5:
        return chance.choice((-value, value + 1, value - 1, value * 2, value * 1_000, value // 2, 0, str(value)))
    if isinstance(value, str) and value and chance.random() < 0.5:
        place = chance.randrange(len(value))
        letter = chance.choice(("", "\0", "\n", "\x1b", "\u202e", "ß", "%", "/", " ", chr(chance.randrange(0xD800))))
        return value[:place] + letter + value[place + chance.randint(0, 1) :]
    return chance.choice(ODD)


def of_json(chance: Chance, content: bytes) -> bytes:
    """One to three faults of the values and keys, or a key that is there twice."""
    value = json.loads(content)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        value = altered(chance, value)
    text = re.sub(r'"<(\d)>"', lambda found: RAW[int(found[1])], json.dumps(value, ensure_ascii=chance.random() < 0.5))
    if chance.random() < 0.05 and text.startswith("{") and len(text) > 2:
        text = text[:-1] + ", " + text[1:]
    return text.encode("utf-8", "surrogatepass")


def of_json_lines(chance: Chance, content: bytes) -> bytes:
    """The same in one of several lines."""
    lines = content.splitlines()
    place = chance.randrange(len(lines))
    lines[place] = of_json(chance, lines[place])
    return b"\n".join(lines) + b"\n"


YAML = [
    *("~", "yes", "0x7fffffffffffffff", "1e999", ".nan", "-.inf", "-1", "0", "9" * 5_000, "1_000", "2026-11-22"),
    *("{}", "[]", "[1, 2]", "{a: 1}", "&a [*a]", "*a", "!!python/object/apply:os._exit [77]", "!!binary aGk=", "!x y"),
    *("|\n  a\n  b", ">-", '"\\u202e"', '"\\ud800"', "'", '"', "\t", "@", "`", "%", "? x", "- x", "---", "...", "#"),
    *("[" * 5_000, "{a: " * 900, "x" * 100_000, "luong", "auto", "word", "none", "cuda", "\x1b[31m", "\ufffe", "0o17"),
]
"""Values of YAML that its readers stumble over."""


def of_yaml(chance: Chance, content: bytes) -> bytes:
    """One to three faults of keys, values and indentation."""
    lines = content.decode("utf-8").split("\n")
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        here = chance.choice([i for i, line in enumerate(lines) if ":" in line] or range(len(lines)))
        line, odd = lines[here], chance.choice(YAML)
        key, _, value = line.partition(":")
        other, indented = _other_value(chance, value.strip()), f"{' ' * chance.randint(0, 8)}{line.strip()}"
        replaced = chance.choice([f"{key}: {other}", f"{key}{odd}: {value}", indented, *3 * [f"{key}: {odd}"]])
        lines[here : here + 1] = [replaced] if chance.random() < 0.85 else [line, chance.choice(lines), line]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


_NPY_TYPES = ["<u4", "<u2", "|u1", "<i8", ">i8", "<f8", "<c16", "|O", "|V8", "|S9", "<U9", "|b1", "<M8[ns]", "x", "", 7]
_NPY_SHAPES = ["()", "(-1,)", "(0,)", "(1,)", "(2**62,)", "({n}, 1)", "(1, {n})", "({n}1,)", "[{n}]", "('x',)", "{n}"]


def of_npy(chance: Chance, content: bytes) -> bytes:
    """A fault of the type, the shape or the length in the header, or of some numbers."""
    values = np.load(io.BytesIO(content))
    if chance.random() < 0.5:
        saved = io.BytesIO()
        np.save(saved, other_numbers(chance, values))
        return saved.getvalue()
    shape, kind = f"({len(values)},)", repr(values.dtype.str)
    if chance.random() < 0.6:
        shape = chance.choice(_NPY_SHAPES).replace("{n}", str(len(values)))
    else:
        kind = chance.choice([*map(repr, _NPY_TYPES), "[('a', '<u4')]", "[('a', '<u4', (2**40,))]", "9" * 5_000])
    order = chance.choice(("False", "False", "True", "None"))
    header = f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}"
    if chance.random() < 0.1:
        header = chance.choice(("{}", "(" * 90, "__import__('os')._exit(77)", "0", "x" * 60_000, "{" + header[1:] * 2))
    body = content[10 + int.from_bytes(content[8:10], "little") :]
    length = len(header) if chance.random() < 0.9 else chance.choice((0, 1, 0xFFFF, len(header) + 99))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", length & 0xFFFF) + header.encode() + body


def other_numbers(chance: Chance, values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """An array with some other numbers, another order, length, shape or type."""
    changed = values.copy()
    if values.size and chance.random() < 0.6:
        is_float = values.dtype.kind == "f"
        limits = np.finfo(values.dtype) if is_float else np.iinfo(values.dtype)
        drawn = np.frombuffer(chance.randbytes(values.itemsize), dtype=values.dtype)[0]
        start = chance.randrange(values.size)
        end = values.size if chance.random() < 0.2 else start + 1
        odd = (np.nan, np.inf, -np.inf, 1e-45) if is_float else (drawn, drawn)
        changed.reshape(-1)[start:end] = chance.choice((limits.min, limits.max, 0, drawn, *odd))
        return changed
    flat = changed.reshape(-1)
    shapes = [flat, flat[::-1], flat[: chance.randint(0, flat.size)], changed.reshape(*changed.shape, 1), changed.T]
    return np.ascontiguousarray(chance.choice([*shapes, changed.astype(chance.choice(("f2", "f8", "i4")))]))


def of_safetensors(chance: Chance, content: bytes) -> bytes:
    """A fault of the header; its length is right, or not."""
    size = int.from_bytes(content[:8], "little")
    header, body = content[8 : 8 + size], content[8 + size :]
    if chance.random() < 0.8:
        header = of_json(chance, header)
        size = len(header)
    if chance.random() < 0.2:
        size = chance.choice((0, 1, size - 1, size + 1, size + 8, 2**31, 2**40, 2**63, 2**64 - 1, 99_999_999))
    return size.to_bytes(8, "little") + header + body


def of_elements(chance: Chance, content: bytes) -> bytes:
    """One to three faults of XML or HTML: an element is missing, doubled, elsewhere, another one, or poisoned."""
    is_page = b"<html" in content.lower() and not content.startswith(b"<?xml")
    root = (etree.HTML if is_page else etree.XML)(content)
    for _ in range(chance.choice((1, 1, 2, 3))):
        elements = list(root.iter("*"))
        here, there = chance.choice(elements), chance.choice(elements)
        match chance.randrange(7):
            case 0 if (parent := here.getparent()) is not None:
                parent.remove(here)
            case 1:
                there.append(deepcopy(here))
            case 2:
                there.extend([deepcopy(here) for _ in range(20)])
            case 3:
                here.tag = there.tag
            case 4 if here.attrib:
                here.set(chance.choice(here.keys()), chance.choice(("", "no", "de", "1e999", "x" * 100_000, "\u202e")))
            case _:
                poisoned = poison(chance).decode("utf-8", "replace") + (here.text or "")
                here.text = re.sub("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", poisoned)
    return etree.tostring(root, method="html" if is_page else "xml", encoding="utf-8", xml_declaration=not is_page)


def of_archive(chance: Chance, content: bytes) -> bytes:
    """A zip archive (a spreadsheet, a run, torch's) with a file that is spoilt, has an odd name, or is not there."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    place = chance.choice((0, chance.randrange(len(files))))
    info, kept = files[place]
    ends_the_process = b"cos\n_exit\n(I77\ntR."  # as a pickle
    info.filename = chance.choice((*9 * [info.filename], f"../{info.filename}", f"{info.filename}x", ""))
    mutation = of_elements if kept.startswith(b"<") and chance.random() < 0.5 else of_bytes
    spoilt = [(info, each) for each in (b"", ends_the_process, zeros(chance), *5 * [mutation(chance, kept)])]
    files[place : place + 1] = chance.choice(([], *5 * [[chance.choice(spoilt)]]))
    return packed(files)


def packed(files: Sequence[tuple[zipfile.ZipInfo, bytes]]) -> bytes:
    """A zip archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for info, content in files:
            archive.writestr(info, content)
    return written.getvalue()


def zeros(chance: Chance) -> bytes:
    """A text that is small when it is packed; seldom a large one, as packing it takes a second."""
    return bytes(10**7 if chance.random() < 0.03 else 10**5)


def zipped(chance: Chance, texts: Sequence[bytes]) -> bytes:
    """A zip archive that holds one of some texts: under an odd name, with others beside it, packed in some way."""
    names = ["deu.txt", "../deu.txt", "/deu.tsv", "a\0b.txt", "x" * 60_000 + ".txt", "_about.txt", "a\x1b[31m.txt", ""]
    chosen = chance.sample(names, chance.choice((0, 1, 1, 2, 3))) if chance.random() < 0.5 else names[:1]
    infos = [zipfile.ZipInfo(name) for name in chosen]
    methods = [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    for info in infos:
        info.compress_type = chance.choice(methods)
    return packed([(info, chance.choice(texts)) for info in infos])


def gzipped(chance: Chance, text: bytes) -> bytes:
    """A gzip file of a text, in one or more parts."""
    place = chance.choice((0, 0, chance.randint(0, len(text))))
    parts = [text[:place], text[place:]] if place else [text]
    return b"".join(gzip.compress(part, chance.randint(0, 9)) for part in parts)
