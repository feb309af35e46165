"""The model client against a real server: every fault ends on the right rung or in a typed failure."""

import asyncio
import json
import logging
import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel, Field

from custom_components.reelay.core.ai.client import ModelClient
from custom_components.reelay.core.ai.endpoint import Address, OpenAiEndpoint
from custom_components.reelay.core.ai.pace import SharedPace
from custom_components.reelay.core.model.llm import Failed, ModelAnswer, ModelRequest, Rung, Trouble, Turn
from custom_components.reelay.core.remote.limits import Limits
from custom_components.reelay.core.store import llm_calls
from custom_components.reelay.core.store.database import Database
from custom_components.reelay.core.store.llm_calls import LlmCall
from tests.fakes.llm import CUT, DASHSCOPE, DEEPSEEK, HANG, LM_STUDIO, RATE_LIMITED, Answer, FakeLlm, Fault

from .conftest import KEY, FastClock, run


class Film(BaseModel):
    title: str = Field(max_length=40)
    year: int | None = None


TURNS = (Turn(role="system", text="Say it in JSON."), Turn(role="user", text='{"post": "沙丘 2021"}'))
RIGHT = '{"title": "沙丘", "year": 2021}'
FILM = Film(title="沙丘", year=2021)


class Board:
    def __init__(self) -> None:
        self.states: list[tuple[str, str | None]] = []

    def report(
        self, component: str, state: str, *, until: int | None = None, reason: str | None = None
    ) -> None:
        assert component == "model"
        self.states.append((state, reason))


async def ask(client: ModelClient, **more: Any) -> Film | Failed:
    return await client.ask("parse", TURNS, Film, **more)


async def ledger(db: Database) -> list[LlmCall]:
    return await db.read(lambda tx: llm_calls.since(tx, 0))


async def test_a_server_that_takes_schemas_is_asked_with_one(
    client: ModelClient, server: FakeLlm, db: Database
) -> None:
    server.answer = RIGHT
    assert await ask(client) == FILM
    request = server.requests[0]
    schema = request["response_format"]["json_schema"]
    assert (schema["strict"], schema["schema"]["required"]) == (True, ["title", "year"])
    assert schema["schema"]["additionalProperties"] is False
    assert "maxLength" not in json.dumps(schema), "it makes llama.cpp crawl"
    assert [each["role"] for each in request["messages"]] == ["system", "user"]
    assert (request["model"], request["temperature"]) == ("m1", 0)
    (row,) = await ledger(db)
    assert (row.purpose, row.model, row.rung, row.validated) == ("parse", "m1", "json_schema", True)
    assert (row.requests, row.tokens_in, row.tokens_out, row.trouble) == (1, 11, 7, None)


@pytest.mark.parametrize(
    ("vendor", "formats"),
    [
        (DEEPSEEK, ["json_schema", "json_object"]),
        (DASHSCOPE, ["json_schema", "json_object", "text"]),
        (LM_STUDIO, ["json_schema", "json_object", "text"]),
    ],
)
async def test_a_vendor_that_refuses_a_format_is_asked_more_simply_from_then_on(
    client: ModelClient, server: FakeLlm, db: Database, vendor: str, formats: list[str]
) -> None:
    server.vendor, server.answer = vendor, RIGHT
    assert await ask(client) == FILM
    assert server.formats == formats
    system = server.requests[-1]["messages"][0]["content"]
    assert "JSON" in system
    assert '"title"' in system, "the schema has to be in the prompt"
    other = await client.ask("parse", (*TURNS, Turn(role="user", text="2")), Film)
    assert other == FILM
    assert server.formats == [*formats, formats[-1]], "the rung that worked is remembered"
    assert {(row.rung, row.validated) for row in await ledger(db)} == {(formats[-1], True)}


async def test_a_lower_rung_is_not_remembered_before_it_has_worked(
    client: ModelClient, server: FakeLlm
) -> None:
    server.vendor = DEEPSEEK
    server.script += ["nonsense", "nonsense"]
    assert isinstance(await ask(client), Failed)
    server.vendor, server.answer = None, RIGHT
    assert await ask(client) == FILM
    assert server.formats[-1] == "json_schema"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_an_error_that_does_not_name_the_format_ends_the_call(
    client: ModelClient, server: FakeLlm, db: Database, status: int
) -> None:
    server.script.append(Fault(status=status, body={"error": {"message": "no such thing"}}))
    failed = await ask(client)
    assert isinstance(failed, Failed)
    expected = {400: "rejected", 401: "unauthorized", 403: "unauthorized", 404: "not_found", 422: "rejected"}
    assert failed.trouble == expected[status]
    assert server.formats == ["json_schema"]
    (row,) = await ledger(db)
    assert (row.validated, row.trouble) == (False, expected[status])


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=500, body={"error": {"message": "oh"}}),
        Fault(status=503, html=True),
        Fault(status=200, html=True),
        Fault(status=200, body={"error": {"message": "upstream"}}),
        Fault(status=200, body={"choices": []}),
        CUT,
        RATE_LIMITED,
    ],
    ids=["500", "503", "html", "error in a 200", "no choices", "cut body", "429"],
)
async def test_a_passing_trouble_is_tried_again_and_then_given_up(
    client: ModelClient, server: FakeLlm, fault: Fault
) -> None:
    server.answer = RIGHT
    server.script.append(fault)
    assert await ask(client) == FILM
    assert server.formats == ["json_schema", "json_schema"]
    server.script += [fault] * 3
    failed = await client.ask("parse", (*TURNS, Turn(role="user", text="again")), Film)
    assert isinstance(failed, Failed)
    assert failed.trouble in (Trouble.SERVER_ERROR, Trouble.UNREACHABLE, Trouble.BROKEN, Trouble.RATE_LIMITED)
    assert len(server.requests) == 5


async def test_the_pause_a_server_asks_for_is_kept(
    client: ModelClient, server: FakeLlm, clock: FastClock
) -> None:
    server.answer = RIGHT
    server.script.append(Fault(status=429, body={}, headers={"Retry-After": "10"}))
    begun = clock.monotonic()
    assert await ask(client) == FILM
    assert clock.monotonic() - begun >= 9


async def test_nobody_waits_for_a_server_that_wants_a_long_pause(
    client: ModelClient, server: FakeLlm, db: Database
) -> None:
    server.answer = RIGHT
    server.script.append(Fault(status=429, body={}, headers={"Retry-After": "3600"}))
    failed = await ask(client)
    assert isinstance(failed, Failed)
    assert failed.trouble is Trouble.RATE_LIMITED
    again = await ask(client)
    assert isinstance(again, Failed)
    assert again.trouble is Trouble.BUSY
    assert len(server.requests) == 1, "it is left in peace until then"
    assert len(await ledger(db)) == 1, "a call that asked nobody is none"


async def test_an_account_that_is_used_up_is_not_asked_again_and_again(
    client: ModelClient, server: FakeLlm
) -> None:
    body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server.script.append(Fault(status=429, body=body))
    failed = await ask(client)
    assert isinstance(failed, Failed)
    assert failed.trouble is Trouble.QUOTA
    assert len(server.requests) == 1


async def test_a_server_that_never_answers_costs_one_budget(
    client: ModelClient, server: FakeLlm, clock: FastClock
) -> None:
    server.script += [HANG] * 5
    begun = clock.monotonic()
    failed = await ask(client)
    assert isinstance(failed, Failed)
    assert failed.trouble is Trouble.TIMEOUT
    assert 175 <= clock.monotonic() - begun < 260


async def test_nobody_listens(http: Any, clock: FastClock) -> None:
    address = Address(url="http://127.0.0.1:9/v1", model="m")
    client = ModelClient(OpenAiEndpoint(address, http=http, run=run, clock=clock), clock)
    failed = await ask(client)
    assert isinstance(failed, Failed)
    assert failed.trouble is Trouble.UNREACHABLE


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{RIGHT}\n```",
        f"Sure! Here you are:\n```\n{RIGHT}\n```\nAnything else?",
        f'<think>The post says {{2021}}. {{"title": "x"}} would be wrong.</think>\n{RIGHT}',
        f"the opening mark is missing {{}} </think>{RIGHT}",
        '{"title": "沙丘", "year": "2021"}',
        f"{RIGHT} {RIGHT}",
    ],
    ids=["fence", "words around", "reasoning", "half a reasoning", "number as text", "twice the same"],
)
async def test_an_answer_is_found_in_what_surrounds_it(
    client: ModelClient, server: FakeLlm, content: str
) -> None:
    server.answer = content
    assert await ask(client) == FILM
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "I'm sorry, I can't help with that.",
        '{"titel": "沙丘"}',
        '{"title": ["沙丘"]}',
        '["沙丘"]',
        '{"title": "沙丘"',
        '{"title": "' + "长" * 100 + '"}',
        f'You wrote {{"title": "别的"}}. I say {RIGHT}',
        "<think>and it never came to an end " + RIGHT,
    ],
    ids=[
        "empty",
        "refusal in words",
        "wrong field",
        "wrong type",
        "list",
        "cut",
        "too long",
        "two",
        "only reasoning",
    ],
)
async def test_an_unusable_answer_gets_one_chance_to_be_better(
    client: ModelClient, server: FakeLlm, db: Database, content: str
) -> None:
    server.script += [content]
    server.answer = RIGHT
    assert await ask(client) == FILM
    told = server.requests[1]["messages"][-1]
    assert told["role"] == "user"
    assert "not a valid answer" in told["content"]
    assert '"title"' in told["content"]
    server.script += [content, content, RIGHT]
    failed = await client.ask("parse", (*TURNS, Turn(role="user", text="again")), Film)
    assert isinstance(failed, Failed)
    assert failed.trouble is Trouble.INVALID
    assert len(server.requests) == 4
    assert sorted((row.requests, row.validated) for row in await ledger(db)) == [(2, False), (2, True)]


async def test_an_answer_that_reasoning_ate_up_gets_more_room(client: ModelClient, server: FakeLlm) -> None:
    server.script += [Answer(content="<think>Well, {2021}", finish="length"), RIGHT]
    assert await ask(client, max_tokens=100) == FILM
    assert [request["max_tokens"] for request in server.requests] == [100, 400]
    assert len(server.requests[1]["messages"]) == 2


async def test_a_model_that_rambles_is_asked_for_what_has_to_be_there(
    client: ModelClient, server: FakeLlm
) -> None:
    server.script += [Answer(content='{"title": "沙沙沙沙', finish="length"), '{"title": "沙丘"}']
    assert await ask(client, max_tokens=100) == Film(title="沙丘")
    asked = [request["response_format"]["json_schema"]["schema"]["required"] for request in server.requests]
    assert asked == [["title", "year"], ["title"]]


async def test_a_model_that_declines_is_not_pressed(client: ModelClient, server: FakeLlm) -> None:
    for refused in (Answer(refusal="I can't assist"), Answer(content="", finish="content_filter")):
        server.script.append(refused)
        failed = await ask(client)
        assert isinstance(failed, Failed)
        assert failed.trouble is Trouble.REFUSED
    assert len(server.requests) == 2


async def test_an_answer_that_cannot_be_true_gets_one_chance_as_well(
    client: ModelClient, server: FakeLlm
) -> None:
    def check(film: Film) -> None:
        if film.title != "沙丘":
            raise ValueError("title: not in the post")

    server.script += ['{"title": "Dune"}', RIGHT]
    assert await ask(client, check=check) == FILM
    assert "not in the post" in server.requests[1]["messages"][-1]["content"]


async def test_the_same_question_is_asked_once(client: ModelClient, server: FakeLlm, db: Database) -> None:
    server.answer = RIGHT
    assert await asyncio.gather(*(ask(client) for _ in range(4))) == [FILM] * 4
    assert await ask(client) == FILM
    assert len(server.requests) == 1
    assert len(await ledger(db)) == 1
    assert not client._asking
    await client.ask("other purpose", TURNS, Film)
    await client.ask("parse", (TURNS[0], Turn(role="user", text='{"post": "沙丘  2021"}')), Film)

    class Longer(Film):
        note: str = ""

    await client.ask("parse", TURNS, Longer)
    assert len(server.requests) == 4


async def test_what_failed_is_not_kept(client: ModelClient, server: FakeLlm) -> None:
    server.script += ["x", "x"]
    assert isinstance(await ask(client), Failed)
    server.answer = RIGHT
    assert await ask(client) == FILM


async def test_few_questions_are_under_way_at_once(client: ModelClient, server: FakeLlm) -> None:
    server.answer = RIGHT
    asked = (client.ask("parse", (*TURNS, Turn(role="user", text=str(n))), Film) for n in range(12))
    assert await asyncio.gather(*asked) == [FILM] * 12
    assert server.most_at_once <= 2


async def test_a_call_that_is_cancelled_gives_its_place_back(client: ModelClient, server: FakeLlm) -> None:
    server.script += [HANG] * 3
    for _ in range(3):
        task = asyncio.create_task(ask(client))
        await server.asked.wait()
        server.asked.clear()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    server.answer = RIGHT
    assert await asyncio.wait_for(ask(client), 2) == FILM


async def test_the_installations_limit_can_be_shared(
    endpoint: OpenAiEndpoint, server: FakeLlm, clock: FastClock
) -> None:
    limits = Limits(None, clock)
    client = ModelClient(endpoint, clock, pace=SharedPace(limits, server.url, per_minute=6))
    server.answer = RIGHT
    begun = clock.monotonic()
    for n in range(3):
        assert await client.ask("parse", (*TURNS, Turn(role="user", text=str(n))), Film) == FILM
    assert clock.monotonic() - begun >= 19
    server.script.append(Fault(status=429, body={}, headers={"Retry-After": "600"}))
    assert isinstance(await client.ask("parse", (*TURNS, Turn(role="user", text="x")), Film), Failed)
    assert await limits.blocked_until("site:llm:127.0.0.1") is not None


async def test_parameters_that_a_server_does_not_know_are_left_out(
    client: ModelClient, server: FakeLlm
) -> None:
    limit = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    warm = "Unsupported value: 'temperature' does not support 0 with this model."
    form = "Invalid schema for response_format 'parse': In context=('title',), 'maxItems' is not permitted."
    texts = (limit, warm, form)
    server.script += [Fault(status=400, body={"error": {"message": text}}) for text in texts]
    server.answer = RIGHT
    assert await ask(client) == FILM
    last = server.requests[-1]
    assert last["max_completion_tokens"] == 1024
    assert not {"max_tokens", "temperature"} & last.keys()
    assert "maxItems" not in json.dumps(last)
    assert server.formats == ["json_schema"] * 4


async def test_health_is_told_and_a_single_slip_is_none(
    endpoint: OpenAiEndpoint, server: FakeLlm, clock: FastClock
) -> None:
    board = Board()
    client = ModelClient(endpoint, clock, health=board)
    server.script += [Fault(status=500, body={})] * 6
    await ask(client)
    await ask(client)
    assert board.states == []
    server.script += [Fault(status=500, body={})] * 3
    await ask(client)
    assert board.states == [("bad", "server_error")]
    server.answer = RIGHT
    await ask(client)
    assert board.states[-1] == ("ok", None)
    server.script.append(Fault(status=401, body={}))
    await ask(client)
    assert board.states[-1] == ("bad", "unauthorized")


async def test_a_key_appears_in_no_log_and_no_failure(
    client: ModelClient, server: FakeLlm, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "custom_components.reelay")
    server.script.append(Fault(status=401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    failed = await ask(client)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{failed}{caplog.text}{client.backend.key}{client.backend}"


async def test_a_server_without_keys_and_a_foreign_account_in_the_environment(
    server: FakeLlm, http: Any, clock: FastClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("API_KEY", "sk-env"), ("ORG_ID", "org-env"), ("BASE_URL", "http://127.0.0.1:9/v1")):
        monkeypatch.setenv(f"OPENAI_{name}", value)
    server.answer = RIGHT
    client = ModelClient(
        OpenAiEndpoint(Address(url=server.url, model="m"), http=http, run=run, clock=clock), clock
    )
    assert await ask(client) == FILM
    assert "sk-env" not in str(server.headers)
    assert "org-env" not in str(server.headers)


async def test_another_rate_limit_can_be_put_in(
    endpoint: OpenAiEndpoint, server: FakeLlm, clock: FastClock
) -> None:
    class Shut:
        blocked: list[int] = []

        async def acquire(self, wait: float) -> bool:
            return not self.blocked

        async def block(self, until: int) -> None:
            self.blocked.append(until)

    pace = Shut()
    client = ModelClient(endpoint, clock, pace=pace)
    server.script.append(Fault(status=429, body={}, headers={"Retry-After": "5"}))
    assert isinstance(await ask(client), Failed)
    assert len(server.requests) == 1
    assert pace.blocked


async def test_a_back_end_that_ignores_being_cancelled_holds_nobody(clock: FastClock) -> None:
    class Deaf:
        key = model = "deaf"
        rungs = (Rung.TEXT,)
        released = asyncio.Event()

        async def ask(self, request: ModelRequest, seconds: float) -> ModelAnswer:
            while not self.released.is_set():
                try:
                    await self.released.wait()
                except asyncio.CancelledError:
                    continue
            return ModelAnswer(text=RIGHT)

    backend = Deaf()
    failed = await asyncio.wait_for(ask(ModelClient(backend, clock, budget=6)), 10)
    assert isinstance(failed, Failed)
    assert failed.trouble is Trouble.TIMEOUT
    backend.released.set()
    await asyncio.sleep(0)


def test_the_library_is_not_imported_before_the_first_question() -> None:
    program = (
        "import sys, importlib\n"
        "for name in ('client', 'endpoint', 'ladder', 'reading'):\n"
        "    importlib.import_module('custom_components.reelay.core.ai.' + name)\n"
        "assert 'openai' not in sys.modules"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
