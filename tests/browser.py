"""A headless Chromium, driven by the DevTools protocol over a pipe; no package is needed for it.

https://chromedevtools.github.io/devtools-protocol
"""

import contextlib
import fcntl
import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@dataclass
class Browser:
    """A tab, and what it asked for and complained about since it was opened."""

    commands: BinaryIO
    answers: BinaryIO
    session: str = ""
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    _number: int = 0

    def open(self, place: Path | str) -> None:
        """Open a file or a web address and wait until its scripts have run."""
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
        self.send("Page.navigate", url=place if isinstance(place, str) else place.as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def run(self, script: str) -> Any:
        """The value of an expression; raises AssertionError when it throws."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def lit(self, selector: str) -> list[tuple[str, float]]:
        """The texts of all such elements, each with the weight by which it is lit."""
        look = "(each) => [each.textContent, Number(each.style.getPropertyValue('--w'))]"
        found = self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map({look})")
        return [(text, weight) for text, weight in found]

    def point_at(self, selector: str) -> tuple[float, float]:
        """Move the mouse to the middle of the first such element; returns where that is."""
        place = (
            f"(() => {{const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2];})()"
        )
        x, y = self.run(place)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def click(self, selector: str) -> None:
        """Click the first such element, which must be visible."""
        x, y = self.point_at(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str, code: int = 0, text: str = "") -> None:
        """Press and release a key."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, text=text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        """Type a text into the element that has the focus."""
        self.send("Input.insertText", text=text)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command of the protocol."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.commands.write(json.dumps(command).encode() + b"\0")
        self.commands.flush()
        while True:
            message = self._read()
            if message.get("id") == self._number:
                assert "error" not in message, (method, message["error"])
                result: dict[str, Any] = message["result"]
                return result

    def _read(self) -> dict[str, Any]:
        read = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            read += byte
        message: dict[str, Any] = json.loads(read)
        parameters = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded":
                self.complaints.append(str(parameters))
        return message


@contextlib.contextmanager
def running_browser(profile: Path) -> Iterator[Browser]:
    """A browser; skips the test where no Chromium is at hand."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip(f"no browser is at hand: install one of {', '.join(_NAMES[:3])}")
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    # Out of the way of 3 and 4, which the browser reads and writes.
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (their_in, their_out)]
    arguments = [
        *(program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}"),
        *("--window-size=1200,900", "about:blank"),
    ]
    pid = os.posix_spawn(
        program,
        arguments,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, high[0], 3),
            (os.POSIX_SPAWN_DUP2, high[1], 4),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
        setpgroup=0,
    )
    for end in (their_in, their_out, *high):
        os.close(end)
    with os.fdopen(our_out, "wb") as commands, os.fdopen(our_in, "rb") as answers:
        try:
            browser = Browser(commands, answers)
            [tab] = [each for each in browser.send("Target.getTargets")["targetInfos"] if each["type"] == "page"]
            attached = browser.send("Target.attachToTarget", targetId=tab["targetId"], flatten=True)
            browser.session = attached["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                browser.send(f"{domain}.enable")
            yield browser
        finally:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
