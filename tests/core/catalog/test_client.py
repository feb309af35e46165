"""TMDB's interface at its edges: keys, faults, limits and what is kept for how long."""

import asyncio
import logging

import pytest

from custom_components.reelay.core.model.offer import Kind
from custom_components.reelay.core.remote.errors import (
    RemoteBusy,
    RemoteError,
    RemotePermanent,
    RemoteTransient,
    Why,
)
from tests.fakes.tmdb import KEY, TOKEN, FakeTmdb, Fault

from .desk import Desk


async def test_a_v3_key_goes_into_the_address_and_a_v4_token_into_a_header(
    desk: Desk, tmdb: FakeTmdb
) -> None:
    await desk.client.check()
    desk.secrets.key = f"Bearer {TOKEN}"
    await desk.client.check()
    assert tmdb.keys == [KEY, TOKEN]
    assert tmdb.asked == ["/configuration?"] * 2


@pytest.mark.parametrize("host", ["{}", "{}/", "{}/3", "{}/3/"])
async def test_the_host_can_be_set_in_any_form(desk: Desk, tmdb: FakeTmdb, host: str) -> None:
    desk.set(host=host.format(tmdb.url))
    await desk.client.check()
    assert tmdb.asked == ["/configuration?"]


async def test_no_key_is_never_logged(desk: Desk, tmdb: FakeTmdb, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("", "httpx", "httpx2", "httpcore", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name or None)
    for key in (KEY, TOKEN):
        desk.secrets.key = key
        for fault in (
            None,
            Fault(status=401),
            Fault(status=500),
            Fault(raw=b"{"),
            Fault(raw=b"{}", cut=True),
        ):
            tmdb.faults.extend([fault] * 3 if fault else [])
            raised = await asyncio.gather(
                desk.client.details(Kind.FILM, 841, fresh=True), return_exceptions=True
            )
            assert key not in repr(raised)
            tmdb.faults.clear()
            desk.clock.jump(120)
    assert "api_key=…" in caplog.text, "it must be there for this to prove anything"
    assert KEY not in caplog.text
    assert TOKEN not in caplog.text


async def test_without_a_key_nobody_is_asked(desk: Desk, tmdb: FakeTmdb) -> None:
    for key in (None, "  "):
        desk.secrets.key = key
        assert not desk.client.ready
        with pytest.raises(RemotePermanent, match="no_key"):
            await desk.client.details(Kind.FILM, 841)
    assert not tmdb.asked
    assert not desk.board.told


async def test_a_wrong_key_is_permanent_and_seen_in_the_health(desk: Desk, tmdb: FakeTmdb) -> None:
    desk.secrets.key = "f" * 32
    with pytest.raises(RemotePermanent, match="bad_key"):
        await desk.client.details(Kind.FILM, 841)
    assert len(tmdb.asked) == 1
    desk.secrets.key = KEY
    await desk.client.details(Kind.FILM, 841)
    assert desk.board.told == [("catalogue", "bad", "bad_key"), ("catalogue", "ok", None)]


@pytest.mark.parametrize(
    ("fault", "kind", "why", "requests"),
    [
        (Fault(status=500), RemoteTransient, Why.SERVER_ERROR, 3),
        (Fault(status=503), RemoteTransient, Why.SERVER_ERROR, 3),
        (Fault(raw=b'{"id": 841, "title": '), RemoteTransient, Why.BROKEN_ANSWER, 3),
        (Fault(raw=b"<html>gateway</html>"), RemoteTransient, Why.BROKEN_ANSWER, 3),
        (Fault(raw=b"[]"), RemoteTransient, Why.BROKEN_ANSWER, 3),
        (Fault(cut=True), RemoteTransient, Why.UNREACHABLE, 3),
        (Fault(delay=1.0), RemoteTransient, Why.TIMEOUT, 3),
        (Fault(status=400), RemotePermanent, Why.REFUSED, 1),
        (Fault(status=422, body={"errors": ["query must be provided"]}), RemotePermanent, Why.REFUSED, 1),
        (Fault(status=302, headers={"Location": "http://127.0.0.1:9/"}), RemotePermanent, Why.REFUSED, 1),
        (Fault(status=401), RemotePermanent, Why.BAD_KEY, 1),
    ],
    ids=str,
)
async def test_a_fault_has_its_class_and_is_tried_again_only_where_that_helps(
    desk: Desk, tmdb: FakeTmdb, fault: Fault, kind: type[RemoteError], why: Why, requests: int
) -> None:
    desk.set(timeout=0.15 if fault.delay else 2)
    tmdb.always = fault
    with pytest.raises(kind) as caught:
        await desk.client.details(Kind.FILM, 841)
    assert (type(caught.value), caught.value.why, len(tmdb.asked)) == (kind, why, requests)
    tmdb.always = None
    desk.set(timeout=2)
    answer = await desk.client.details(Kind.FILM, 841)
    assert answer is not None, "an error is never kept"


async def test_a_passing_fault_is_not_noticed(desk: Desk, tmdb: FakeTmdb) -> None:
    tmdb.faults.extend([Fault(status=502), Fault(raw=b"{")])
    assert await desk.client.details(Kind.FILM, 841)
    assert len(tmdb.asked) == 3


async def test_a_host_that_is_not_there_gets_a_break(desk: Desk, tmdb: FakeTmdb) -> None:
    desk.set(host="http://127.0.0.1:9", wait=1)
    for _ in range(2):
        with pytest.raises(RemoteTransient, match="unreachable"):
            await desk.client.details(Kind.FILM, 841)
    with pytest.raises(RemoteBusy) as caught:
        await desk.client.details(Kind.FILM, 841)
    assert caught.value.until is not None
    desk.clock.jump(61)
    desk.set(host=tmdb.url)
    assert await desk.client.details(Kind.FILM, 841)


async def test_too_many_requests_wait_as_long_as_told(desk: Desk, tmdb: FakeTmdb) -> None:
    tmdb.faults.append(Fault(status=429, headers={"Retry-After": "7"}))
    before = desk.clock.now()
    assert await desk.client.details(Kind.FILM, 841)
    assert 7_000 <= desk.clock.now() - before < 9_000
    assert len(tmdb.asked) == 2


async def test_a_long_refusal_makes_busy_and_asks_nobody_else(desk: Desk, tmdb: FakeTmdb) -> None:
    tmdb.faults.append(Fault(status=429, headers={"Retry-After": "600"}))
    for _ in range(5):
        with pytest.raises(RemoteBusy) as caught:
            await desk.client.details(Kind.FILM, 841)
        assert caught.value.until == pytest.approx(desk.clock.now() + 600_000, abs=100)
    assert len(tmdb.asked) == 1
    assert desk.board.told[-1] == ("catalogue", "waiting", "limited")
    desk.clock.jump(601)
    assert await desk.client.details(Kind.FILM, 841)


async def test_requests_keep_to_the_rate(desk: Desk, tmdb: FakeTmdb) -> None:
    desk.set(rate=2, burst=4)
    start = desk.clock.monotonic()
    for number in range(20):
        await desk.client.search(Kind.FILM, f"词{number}")
    assert desk.clock.monotonic() - start >= 8


DAY = 86_400


@pytest.mark.parametrize(
    ("ask", "days"),
    [
        (lambda client: client.search(Kind.FILM, "沙丘"), 7),
        (lambda client: client.search(Kind.FILM, "没有"), 1),
        (lambda client: client.find("tt0903747"), 7),
        (lambda client: client.find("tt1"), 1),
        (lambda client: client.details(Kind.SERIES, 1396), 30),
        (lambda client: client.details(Kind.SERIES, 5), 1),
        (lambda client: client.season(1396, 2), 30),
    ],
)
async def test_answers_live_as_long_as_required(desk: Desk, tmdb: FakeTmdb, ask, days: int) -> None:  # type: ignore[no-untyped-def]
    first = await ask(desk.client)
    desk.clock.jump(days * DAY - 60)
    assert await ask(desk.client) == first
    assert len(tmdb.asked) == 1
    desk.clock.jump(61)
    await ask(desk.client)
    assert len(tmdb.asked) == 2


async def test_lifetimes_are_options(desk: Desk, tmdb: FakeTmdb) -> None:
    desk.set(search_days=2)
    await desk.client.search(Kind.FILM, "沙丘")
    desk.clock.jump(2 * DAY + 1)
    await desk.client.search(Kind.FILM, "沙丘")
    assert len(tmdb.asked) == 2


async def test_followed_works_stay(desk: Desk, tmdb: FakeTmdb) -> None:
    for _ in range(10):
        await desk.client.details(Kind.SERIES, 1396, followed=True)
        desk.clock.jump(20 * DAY)
    assert len(tmdb.asked) == 1


async def test_the_region_is_limited(desk: Desk, tmdb: FakeTmdb) -> None:
    desk.set(most=3)
    for number in (841, 348, 679, 129):
        await desk.client.details(Kind.FILM, number)
        desk.clock.jump(120)
    tmdb.forget()
    for number in (129, 679, 348):
        await desk.client.details(Kind.FILM, number)
    assert not tmdb.asked
    await desk.client.details(Kind.FILM, 841)
    assert len(tmdb.asked) == 1


async def test_a_cached_answer_needs_neither_key_nor_host(desk: Desk, tmdb: FakeTmdb) -> None:
    await desk.client.details(Kind.FILM, 841)
    desk.secrets.key = None
    tmdb.always = Fault(status=500)
    assert await desk.client.details(Kind.FILM, 841)


async def test_the_small_questions_have_their_answers(desk: Desk) -> None:
    titles = await desk.client.alternative_titles(Kind.FILM, 438631)
    assert titles is not None
    assert {"iso_3166_1": "US", "title": "Dune: Part One", "type": ""} in titles["titles"]
    of_series = await desk.client.alternative_titles(Kind.SERIES, 106449)
    assert of_series is not None
    assert of_series["results"]
    assert await desk.client.translations(Kind.SERIES, 1396)
    season = await desk.client.season(1396, 2)
    assert season is not None
    assert len(season["episodes"]) == 13
    found = await desk.titles.find("tt0903747")
    assert [(row.kind, row.tmdb) for row in found] == [(Kind.SERIES, 1396)]
    assert [row.tmdb for row in await desk.titles.find("421477")] == [204541]
    for bad in ("../x", "tt", "1?api_key=2"):
        with pytest.raises(RemotePermanent):
            await desk.titles.find(bad)
