"""What the application does of errors and of clients that leave."""

import asyncio
import logging
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from seq2seq_cli.serve.app import _failed, _unless_client_leaves

REQUEST: Any = None


@pytest.mark.parametrize(("error", "status"), [(RuntimeError("she"), 500), (MemoryError("she"), 503)])
def test_an_error_is_logged_by_its_place_without_its_text(
    error: Exception, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = asyncio.run(_failed(REQUEST, error))
    assert (answer.status_code, answer.headers["connection"]) == (status, "close")
    assert type(error).__name__ in caplog.text
    assert "she" not in caplog.text + bytes(answer.body).decode()


def test_the_work_for_a_client_that_leaves_is_cancelled() -> None:
    ended: list[str] = []

    async def work() -> dict[str, Any]:
        try:
            return await asyncio.sleep(60, {})
        finally:
            ended.append("work")

    async def leave() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    with pytest.raises(ClientDisconnect):
        asyncio.run(_unless_client_leaves(Request({"type": "http"}, leave), work()))
    assert ended == ["work"]
