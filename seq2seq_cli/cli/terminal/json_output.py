"""Results as JSON, for programs."""

import codecs
import json
import sys


def write_json(value: object) -> None:
    """Write a value to stdout as strict JSON, in the characters that stdout has."""
    is_utf8 = codecs.lookup(sys.stdout.encoding).name == "utf-8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_utf8, indent=1, allow_nan=False) + "\n")
