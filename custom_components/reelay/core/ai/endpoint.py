"""Any server that speaks OpenAI's chat completions, through the library `openai`.

The library is imported with the first question, off the event loop: it takes half a second and 46 MiB, and many
owners have no model. Its own retries are off, its errors become ours, and what servers refuse besides the format
(`max_tokens`, `temperature`) is left out from then on (facts: tmdb-and-models C).
"""

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from ..model.llm import ModelAnswer, ModelFault, ModelRequest, Rung, Trouble
from ..ports import Clock
from .ladder import LIMITS, names_format, without_limits

#: Runs a function in a thread and returns what it returns.
Run = Callable[[Callable[[], Any]], Awaitable[Any]]

_CONNECT = 10.0
#: Servers without keys want one all the same, and so does the library.
_NO_KEY = "none"
_QUOTED = 300
_BAD_REQUEST = frozenset({400, 422})
_STATUS = {
    401: Trouble.UNAUTHORIZED,
    402: Trouble.QUOTA,
    403: Trouble.UNAUTHORIZED,
    404: Trouble.NOT_FOUND,
    408: Trouble.SERVER_ERROR,
    409: Trouble.SERVER_ERROR,
    429: Trouble.RATE_LIMITED,
}
_USED_UP = frozenset({"insufficient_quota", "billing_hard_limit_reached"})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Address:
    """Where a model is: `url` up to and with `/v1`; `key` may be empty. It isn't printed, since it holds a secret."""

    url: str
    model: str
    key: str = ""


class OpenAiEndpoint:
    """The `ModelBackend` of an endpoint. `http` is an AsyncClient of httpx or httpx2, owned by the caller."""

    rungs = (Rung.SCHEMA, Rung.OBJECT, Rung.TEXT)

    def __init__(self, address: Address, *, http: Any, run: Run, clock: Clock) -> None:
        self._address = address
        self._http = http
        self._run = run
        self._clock = clock
        self._openai: Any = None
        self._client: Any = None
        self._opening = asyncio.Lock()
        #: What this server calls the limit of tokens, and whether it takes a temperature and limits in schemas.
        self._limit = "max_tokens"
        self._temperature = True
        self._limits = True

    @property
    def key(self) -> str:
        """Endpoint and model."""
        return f"{self._address.url.rstrip('/')} {self._address.model}"

    @property
    def model(self) -> str:
        """The model's name."""
        return self._address.model

    async def ask(self, request: ModelRequest, seconds: float) -> ModelAnswer:
        """One request; up to three more where the server only dislikes how a parameter is named."""
        client = await self._opened()
        end = self._clock.monotonic() + seconds
        for _ in range(3):
            try:
                return await self._ask(client, request, end - self._clock.monotonic())
            except self._openai.APIStatusError as err:
                if not self._adapted(err):
                    raise self._fault(err) from None
        try:
            return await self._ask(client, request, end - self._clock.monotonic())
        except self._openai.APIStatusError as err:
            raise self._fault(err) from None

    async def _ask(self, client: Any, request: ModelRequest, seconds: float) -> ModelAnswer:
        openai = self._openai
        wanted: dict[str, Any] = {
            "model": self._address.model,
            "messages": [{"role": turn.role, "content": turn.text} for turn in request.turns],
            "timeout": openai.Timeout(max(seconds, 0.1), connect=min(_CONNECT, max(seconds, 0.1))),
            self._limit: request.max_tokens,
        }
        if self._temperature:
            wanted["temperature"] = 0
        if request.rung is Rung.SCHEMA:
            schema = request.schema if self._limits else without_limits(request.schema)
            form = {"name": request.purpose, "strict": True, "schema": schema}
            wanted["response_format"] = {"type": "json_schema", "json_schema": form}
        elif request.rung is Rung.OBJECT:
            wanted["response_format"] = {"type": "json_object"}
        try:
            return _answer(await client.chat.completions.create(**wanted))
        except openai.APITimeoutError:
            raise ModelFault(Trouble.TIMEOUT) from None
        except openai.APIConnectionError as err:
            # A body that is cut ends here as well.
            raise ModelFault(Trouble.UNREACHABLE, type(err.__cause__).__name__) from None
        except openai.APIStatusError:
            raise
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as err:
            raise ModelFault(Trouble.BROKEN, type(err).__name__) from None

    async def _opened(self) -> Any:
        async with self._opening:
            if self._client is None:
                self._client = await self._run(self._open)
        return self._client

    def _open(self) -> Any:
        """Import and build: reads files, hence in a thread. The environment's OpenAI account isn't ours to use."""
        self._openai = importlib.import_module("openai")
        client = self._openai.AsyncOpenAI(
            api_key=self._address.key or _NO_KEY,
            base_url=self._address.url,
            http_client=self._http,
            max_retries=0,
        )
        client.organization = client.project = None
        client.platform_headers()
        return client

    def _adapted(self, err: Any) -> bool:
        """Whether a refused request was refused for a parameter that can be named otherwise or left out."""
        if err.status_code not in _BAD_REQUEST:
            return False
        said = _said(err)
        if self._limit == "max_tokens" and "max_completion_tokens" in said:
            self._limit = "max_completion_tokens"
            return True
        if self._limits and any(word in said for word in LIMITS):
            self._limits = False
            return True
        if self._temperature and "temperature" in said and not names_format(said):
            self._temperature = False
            return True
        return False

    def _fault(self, err: Any) -> ModelFault:
        status, said = err.status_code, _said(err)
        if status in _BAD_REQUEST:
            trouble = Trouble.FORMAT if names_format(said) else Trouble.REJECTED
        elif status == 429 and getattr(err, "code", None) in _USED_UP:
            trouble = Trouble.QUOTA
        else:
            trouble = _STATUS.get(status, Trouble.SERVER_ERROR if status >= 500 else Trouble.REJECTED)
        detail = f"{status} {said[:_QUOTED]}"
        if self._address.key:
            detail = detail.replace(self._address.key, "***")
        return ModelFault(trouble, detail, retry_after=self._retry_after(err))

    def _retry_after(self, err: Any) -> float | None:
        """Seconds from a header that holds seconds or a date."""
        value = err.response.headers.get("retry-after")
        if not value:
            return None
        try:
            return max(0.0, float(value))
        except ValueError:
            pass
        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return None
        until = date.replace(tzinfo=date.tzinfo or UTC).timestamp() * 1000
        return max(0.0, (until - self._clock.now()) / 1000)


def _said(err: Any) -> str:
    """The server's words, wherever in the body they stand."""
    body = err.body if err.body is not None else err.response.text
    return f"{err.message} {body}"[:2_000]


def _answer(completion: Any) -> ModelAnswer:
    """What a completion says; `ModelFault` for one that says nothing of the kind."""
    choices = getattr(completion, "choices", None)
    if not choices:
        raise ModelFault(Trouble.BROKEN, "no choices")
    choice = choices[0]
    message = choice.message
    if getattr(message, "refusal", None) or choice.finish_reason == "content_filter":
        raise ModelFault(Trouble.REFUSED, str(getattr(message, "refusal", None) or "filtered")[:_QUOTED])
    usage = completion.usage
    return ModelAnswer(
        text=message.content or "",
        tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
        tokens_out=getattr(usage, "completion_tokens", 0) or 0,
        cut=choice.finish_reason == "length",
    )
