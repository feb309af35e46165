"""A real server on loopback that speaks OpenAI's chat completions, with the manners of several vendors, and faults.

Each request takes the next scripted behavior; without one it answers with `answer`. A behavior is a text (the content
of an answer), an `Answer`, or a `Fault`. What was asked stands in `requests`.
"""

import asyncio
import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

#: What each vendor refuses, with its own words and status (facts: tmdb-and-models C).
DEEPSEEK = "deepseek"
DASHSCOPE = "dashscope"
LM_STUDIO = "lm_studio"
VENDORS: dict[str, dict[str, tuple[int, dict[str, Any]]]] = {
    DEEPSEEK: {
        "json_schema": (
            400,
            {
                "error": {
                    "message": "This response_format type is unavailable now",
                    "type": "invalid_request_error",
                    "param": None,
                    "code": "invalid_request_error",
                }
            },
        )
    },
    DASHSCOPE: {
        "json_schema": (
            400,
            {
                "error": {
                    "message": "<400> InternalError.Algo.InvalidParameter: 'response_format.type' must be one of "
                    "'text', 'json_object'",
                    "type": "invalid_request_error",
                    "code": "invalid_parameter_error",
                }
            },
        ),
        "json_object": (
            400,
            {
                "error": {
                    "message": "Json mode response is not supported when enable_thinking is true",
                    "type": "invalid_request_error",
                    "code": "invalid_parameter_error",
                }
            },
        ),
    },
    LM_STUDIO: {
        "json_schema": (422, {"error": "This model doesn't do structured outputs"}),
        "json_object": (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A completion."""

    content: str | None = None
    finish: str = "stop"
    refusal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong: a status with a body, a body that is cut, or silence."""

    status: int = 500
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    hang: bool = False
    html: bool = False


RATE_LIMITED = Fault(status=429, body={"error": {"message": "slow down"}})
HANG = Fault(hang=True)
CUT = Fault(cut=True)


class FakeLlm:
    """The server. `vendor` names whose manners it has; None takes every format."""

    def __init__(self, answer: str = "{}", *, vendor: str | None = None) -> None:
        self.answer = answer
        self.vendor = vendor
        self.script: deque[str | Answer | Fault] = deque()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        #: Set with each request that has come.
        self.asked = asyncio.Event()
        self._now = 0
        self._stopping = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self) -> FakeLlm:
        """Listen on a free port."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/v1"
        return self

    async def stop(self) -> None:
        """Close every connection."""
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def formats(self) -> list[str]:
        """How each request asked for a form."""
        return [request.get("response_format", {}).get("type", "text") for request in self.requests]

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            body = await request.json()
            self.requests.append(body)
            self.headers.append(dict(request.headers))
            self.asked.set()
            refused = self._refused(body)
            if refused is not None:
                return web.json_response(refused[1], status=refused[0])
            behavior = self.script.popleft() if self.script else self.answer
            if isinstance(behavior, Fault):
                return await self._fail(request, behavior)
            return web.json_response(_completion(body, behavior))
        finally:
            self._now -= 1

    def _refused(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        kind = body.get("response_format", {}).get("type", "text")
        if self.vendor is None:
            return None
        said = json.dumps(body["messages"], ensure_ascii=False).lower()
        if self.vendor == DEEPSEEK and kind == "json_object" and "json" not in said:
            return 400, {"error": {"message": "Prompt must contain the word 'json' in some form"}}
        return VENDORS[self.vendor].get(kind)

    async def _fail(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        if fault.hang:
            await self._stopping.wait()
            return web.Response()
        if fault.cut:
            response = web.StreamResponse(
                headers={"Content-Type": "application/json", "Content-Length": "500"}
            )
            await response.prepare(request)
            await response.write(b'{"id": "x", "choices": [{"mess')
            assert request.transport is not None
            request.transport.close()
            return response
        if fault.html:
            return web.Response(
                text="<html>Bad gateway</html>", content_type="text/html", status=fault.status
            )
        return web.json_response(fault.body, status=fault.status, headers=fault.headers)


def _completion(body: dict[str, Any], behavior: str | Answer) -> dict[str, Any]:
    answer = Answer(content=behavior) if isinstance(behavior, str) else behavior
    message = {"role": "assistant", "content": answer.content, "refusal": answer.refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish, "logprobs": None}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
