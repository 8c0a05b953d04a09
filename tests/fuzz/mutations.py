"""Mutations: valid content in, content with some faults out.

Each takes the random numbers and the content of a file. Those of bytes and lines suit every file; the others know a
structure, so that the faults lie deep in it and all around them is right.
"""

import gzip
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

Chance: TypeAlias = random.Random
Mutation: TypeAlias = Callable[[Chance, bytes], bytes]

POISON: list[bytes | str] = [
    *(b"\0", b"\n", b"\r", b"\r\n", b"\t", b"\t\t\t", b"\\", b'"', b"'", b":", b"{", b"[", b"%", b" " * 80),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbf\xbf"),
    *("\x1b[31m\x1b]0;x\x07", "\u202e\u2066", "\u2028", "\x85", "\u200b", "e\u0301" * 300, "ß" * 900, "\U0010ffff"),
    *(b"x" * 100_000, b"x " * 50_000, b"\n" * 10_000, b"[" * 20_000, b"9" * 5_000, b"-1", b"1e999", b"NaN", b"null"),
]
"""Bytes that readers stumble over, and texts that stand for them."""


def of_bytes(chance: Chance, content: bytes) -> bytes:
    """One to three faults that need no structure: bits, bytes and slices."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3))):
        start = chance.randint(0, len(changed))
        end = min(len(changed), start + chance.choice((1, 2, 4, 8, 64, 1 << chance.randint(0, 20))))
        match chance.randrange(8):
            case 0 if changed:
                changed[min(start, len(changed) - 1)] ^= 1 << chance.randrange(8)
            case 1:
                changed[start:end] = bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF))]) * (end - start)
            case 2:
                changed[start:end] = chance.randbytes(end - start)
            case 3:
                del changed[start:end]
            case 4:
                changed[start:start] = changed[start:end]
            case 5:
                there = chance.randint(0, len(changed))
                changed[there:there] = changed[start:end]
            case 6:
                changed[start:start] = poison(chance)
            case _:
                del changed[start:]
    return bytes(changed)


def poison(chance: Chance) -> bytes:
    """One of POISON."""
    bad = chance.choice(POISON)
    return bad.encode() if isinstance(bad, str) else bad


def of_lines(chance: Chance, content: bytes) -> bytes:
    """One to three faults of lines: one is missing, doubled, moved, joined to the next, or has something bad in it."""
    lines = content.split(b"\n")
    for _ in range(chance.choice((1, 1, 2, 3))):
        here, there = chance.randrange(len(lines)), chance.randrange(len(lines))
        line = lines[here]
        match chance.randrange(7):
            case 0 if len(lines) > 1:
                del lines[here]
            case 1:
                lines.insert(there, line)
            case 2:
                lines[here], lines[there] = lines[there], line
            case 3:
                lines[here : here + 2] = [b"".join(lines[here : here + 2])]
            case 4:
                lines[here] = b" " * chance.randint(1, 9) + line
            case 5:
                lines[here] = line[: chance.randint(0, len(line))]
            case _:
                place = chance.randint(0, len(line))
                lines[here] = line[:place] + poison(chance) + line[place:]
    return b"\n".join(lines)


class Raw(str):
    """Text that stands in a JSON document as it is."""

    __slots__ = ()


ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 0.5, -0.5, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 1e308),
    *(Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), Raw("1e999"), Raw("9" * 5_000), Raw("-0"), Raw("1.0")),
    *("", " ", "x", "NaN", "1", "true", "x" * 100_000, "\0", "a\nb", "\x1b[31m", "\u202e", "\uffff", "🏴"),
    *("../../../etc/passwd", "/dev/zero", "/", "~", "a/b", "%s%n", "{0}", "best", "float32", "<pad>"),
    *(Raw(r'"\ud800"'), Raw(r'"\udfff\ud800"'), Raw("[" * 50_000 + "]" * 50_000), Raw('{"a":' * 900 + "1" + "}" * 900)),
    *([], {}, [None], [[]], {"": 0}, [-1, 2**62], ["x"] * 1_000, {"format": 1}),
]
"""Values that no reader expects."""


def altered(chance: Chance, value: Any) -> Any:
    """A copy of nested dicts and lists with one fault, at any depth."""
    if isinstance(value, Mapping) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        items = list(value.items())
        match chance.randrange(12):
            case 0:
                return {k: v for k, v in items if k != key}
            case 1:
                return {(_other_key(chance, k) if k == key else k): v for k, v in items}
            case 2:
                return {**value, _other_key(chance, key): value[key]}
            case 3:
                return {**value, key: value[chance.choice(list(value))]}
            case _:
                return {**value, key: altered(chance, value[key])}
    if isinstance(value, list | tuple) and len(value) and chance.random() < 0.85:
        place, others = chance.randrange(len(value)), list(value)
        match chance.randrange(8):
            case 0:
                del others[place]
            case 1:
                others.insert(chance.randint(0, len(others)), others[place])
            case 2:
                chance.shuffle(others)
            case _:
                others[place] = altered(chance, others[place])
        return others
    return _other_value(chance, value)


def _other_key(chance: Chance, key: object) -> object:
    return chance.choice((f"{key}x", f"{key}"[:-1], "", "\x1b[31m", "x" * 10_000, "../..", "\u202e", "__class__"))


def _other_value(chance: Chance, value: Any) -> Any:
    """Another value, often one of the same type."""
    if type(value) in (int, float) and chance.random() < 0.5:
        return chance.choice((-value, value + 1, value - 1, value * 2, value * 1_000, value // 2, 0, str(value)))
    if isinstance(value, str) and value and chance.random() < 0.5:
        place = chance.randrange(len(value))
        letter = chance.choice(("", "\0", "\n", "\x1b", "\u202e", "ß", "%", "/", " ", chr(chance.randrange(0xD800))))
        return value[:place] + letter + value[place + chance.randint(0, 1) :]
    return chance.choice(ODD)


def to_json(value: Any) -> str:
    """The JSON of a value, in which a `Raw` text stands as it is."""
    match value:
        case Raw():
            return str(value)
        case Mapping():
            return "{" + ", ".join(f"{json.dumps(str(key))}: {to_json(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(to_json, value)) + "]"
        case _:
            return json.dumps(value)


def of_json(chance: Chance, content: bytes) -> bytes:
    """One to three faults of the values and keys, or a key that is there twice."""
    value = json.loads(content)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        value = altered(chance, value)
    text = to_json(value)
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
    *(
        "~",
        "yes",
        "0x7fffffffffffffff",
        "1e999",
        ".nan",
        "-.inf",
        "-1",
        "0",
        "9" * 5_000,
        "1_000",
        "2026-11-22",
        "0o17",
    ),
    *("{}", "[]", "[1, 2]", "{a: 1}", "&a [*a]", "*a", "!!python/object/apply:os._exit [77]", "!!binary aGk=", "!x y"),
    *("|\n  a\n  b", ">-", '"\\u202e"', '"\\ud800"', "'", '"', "\t", "@", "`", "%", "? x", "- x", "---", "...", "#"),
    *("[" * 5_000, "{a: " * 900, "x" * 100_000, "luong", "auto", "word", "none", "cuda", "\x1b[31m", "\ufffe"),
]
"""Values of YAML that its readers stumble over."""


def of_yaml(chance: Chance, content: bytes) -> bytes:
    """One to three faults of keys, values and indentation."""
    lines = content.decode("utf-8").split("\n")
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        here = chance.choice([i for i, line in enumerate(lines) if ":" in line] or range(len(lines)))
        key, _, value = lines[here].partition(":")
        match chance.randrange(7):
            case 0:
                lines[here] = f"{key}: {_other_value(chance, value.strip())}"
            case 1:
                lines[here] = f"{key}{chance.choice(YAML)}: {value}"
            case 2:
                lines.insert(chance.randint(0, len(lines)), lines[here])
            case 3:
                lines[here] = f"{' ' * chance.randint(0, 8)}{lines[here].strip()}"
            case _:
                lines[here] = f"{key}: {chance.choice(YAML)}"
    return "\n".join(lines).encode("utf-8", "surrogatepass")


_NPY_TYPES = ["<u4", "<u2", "|u1", "<i8", ">i8", "<f8", "<c16", "|O", "|V8", "|S9", "<U9", "|b1", "<M8[ns]", "x", "", 7]
_NPY_SHAPES = ["()", "(-1,)", "(0,)", "(1,)", "(2**62,)", "({n}, 1)", "(1, {n})", "({n}1,)", "[{n}]", "('x',)", "{n}"]


def of_npy(chance: Chance, content: bytes) -> bytes:
    """A fault of the type, the shape or the length in the header, or of some numbers."""
    values = np.load(io.BytesIO(content))
    if chance.random() < 0.5:
        values = _other_numbers(chance, values)
        saved = io.BytesIO()
        np.save(saved, values)
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


def _other_numbers(chance: Chance, values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """An array with some other numbers, another order, length, shape or type."""
    changed = values.copy()
    flat = changed.reshape(-1)
    match chance.randrange(6):
        case 0 if flat.size:
            chance_bytes = chance.randbytes(flat.itemsize)
            flat[chance.randrange(flat.size)] = np.frombuffer(chance_bytes, dtype=flat.dtype)[0]
        case 1 if flat.size and flat.dtype.kind == "f":
            odd = chance.choice((np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45))
            flat[chance.randrange(flat.size) : flat.size if chance.random() < 0.3 else None] = odd
        case 1 | 2 if flat.size:
            limits = np.finfo(flat.dtype) if flat.dtype.kind == "f" else np.iinfo(flat.dtype)
            flat[chance.randrange(flat.size)] = chance.choice((limits.min, limits.max, 0))
        case 3:
            return changed[: chance.randint(0, len(changed))] if changed.ndim else changed.reshape(1)
        case 4:
            return changed[::-1].copy() if changed.ndim else changed
        case _:
            shapes = [changed.reshape(-1), changed.reshape(*changed.shape, 1), changed.T, changed.reshape(-1)[:0]]
            return np.ascontiguousarray(chance.choice([*shapes, changed.astype(chance.choice(("f2", "f8", "i4")))]))
    return changed


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


def of_arrays(chance: Chance, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """A fault of the names or numbers of weights."""
    name, other = (chance.choice(list(arrays)) for _ in range(2))
    changed = dict(arrays)
    match chance.randrange(6):
        case 0:
            del changed[name]
        case 1:
            changed[name] = arrays[other]
        case 2:
            changed[f"{name}{chance.choice(('x', chr(27), '/../', ''))}"] = changed.pop(name)
        case _:
            changed[name] = _other_numbers(chance, arrays[name])
    return changed


def of_message(chance: Chance, message: Any) -> None:
    """Alter one field of a protobuf message, at any depth, in place."""
    fields = message.ListFields()
    if not fields:
        return
    field, value = chance.choice(fields)
    repeated = hasattr(value, "append") or hasattr(value, "add")
    if repeated and chance.random() < 0.3:
        place = chance.randrange(len(value))
        if chance.random() < 0.5:
            del value[place]
        elif hasattr(value, "add"):
            value.add().CopyFrom(value[chance.randrange(len(value))])
        else:
            value.append(value[place])
    elif field.message_type is not None:
        of_message(chance, chance.choice(value) if repeated else value)
    elif chance.random() < 0.1:
        message.ClearField(field.name)
    else:
        old = value[chance.randrange(len(value))] if repeated else value
        new = _of_same_type(chance, old)
        try:
            if repeated:
                value[chance.randrange(len(value))] = new
            else:
                setattr(message, field.name, new)
        except (ValueError, TypeError):  # beyond the range of the field
            message.ClearField(field.name)


_TEXTS = (
    "",
    "x",
    "/dev/zero",
    "../../../etc/passwd",
    "\x1b[31m\n",
    "x" * 50_000,
    "float32",
    "0",
    "-1",
    "99999999999999",
)


def _of_same_type(chance: Chance, value: Any) -> Any:
    match value:
        case bytes():
            return of_bytes(chance, value)
        case str():
            return chance.choice((*_TEXTS, value[:-1], value + "x"))
        case float():
            return chance.choice((0.0, -1.0, float("nan"), float("inf"), 1e38))
        case _:
            return chance.choice((0, 1, -1, 2, 7, 11, 2**31 - 1, 2**62, int(value) + 1, -int(value)))


def of_pt(chance: Chance, content: bytes) -> bytes:
    """A fault in one file of an archive of torch."""
    saved = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(saved, "w") as changed:
        members = archive.namelist()
        chosen = chance.choice([members[0], chance.choice(members)])
        for member in members:
            kept = archive.read(member)
            changed.writestr(member, _spoilt_member(chance, kept) if member == chosen else kept)
    return saved.getvalue()


def _spoilt_member(chance: Chance, content: bytes) -> bytes:
    if chance.random() < 0.1:
        return b"cos\n_exit\n(I77\ntR."  # a pickle that ends the process
    return of_bytes(chance, content)


def zipped(chance: Chance, texts: Sequence[bytes]) -> bytes:
    """A zip archive that holds one of some texts: under an odd name, with others beside it, packed in some way."""
    packed = io.BytesIO()
    names = ["deu.txt", "../deu.txt", "/deu.tsv", "a\0b.txt", "x" * 60_000 + ".txt", "_about.txt", "a\x1b[31m.txt", ""]
    methods = [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    with zipfile.ZipFile(packed, "w", chance.choice(methods)) as archive:
        for name in chance.sample(names, chance.choice((0, 1, 1, 2, 3))) if chance.random() < 0.5 else names[:1]:
            info = zipfile.ZipInfo(name)
            info.compress_type = archive.compression
            archive.writestr(info, chance.choice(texts))
    return packed.getvalue()


def gzipped(chance: Chance, text: bytes) -> bytes:
    """A gzip file of a text, in one or more parts."""
    place = chance.choice((0, 0, chance.randint(0, len(text))))
    parts = [text[:place], text[place:]] if place else [text]
    return b"".join(gzip.compress(part, chance.randint(0, 9)) for part in parts)
