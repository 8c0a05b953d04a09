"""``s2s serve`` in a process of its own, and what a client does with it."""

import http.client
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

from tests.commands import S2S


class Answer(NamedTuple):
    status: int
    headers: Message
    content: Any
    """Parsed, where it is JSON."""


@dataclass
class Server:
    process: "subprocess.Popen[str]"
    told: str
    """The first line on stderr, and those that came with it."""
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def translate(self, **fields: Any) -> Answer:
        return self.ask("POST", "/translate", json.dumps(fields).encode(), {"Content-Type": "application/json"})

    def ask(
        self, method: str, path: str, body: bytes | Iterator[bytes] = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers=dict(headers or {}))
            return answer_of(connection)
        finally:
            connection.close()

    def stop(self) -> str:
        """What it says on stderr as it stops; it must end well, except on Windows, where SIGTERM ends it at once."""
        self.process.send_signal(signal.SIGTERM)
        _, told = self.process.communicate(timeout=30)
        assert self.process.returncode == 0 or os.name == "nt"
        return told


def answer_of(connection: http.client.HTTPConnection) -> Answer:
    response = connection.getresponse()
    content = response.read()
    is_json = response.headers.get("content-type") == "application/json"
    return Answer(response.status, response.headers, json.loads(content) if is_json else content.decode())


@contextmanager
def running_server(*arguments: str | Path, folder: Path | None = None) -> Iterator[Server]:
    """A server on a free port, which is killed at the end unless it was stopped; it is started in a folder."""
    process = subprocess.Popen(
        [*S2S, "serve", "--port", "0", *map(str, arguments)], stderr=subprocess.PIPE, encoding="utf-8", cwd=folder
    )
    assert process.stderr is not None
    with process:
        try:
            told = process.stderr.readline()
            while (place := re.search(r" at http://127\.0\.0\.1:(\d+)$", told)) is None:
                line = process.stderr.readline()
                assert line, told
                told += line
            yield Server(process, told, int(place[1]))
        finally:
            process.kill()
