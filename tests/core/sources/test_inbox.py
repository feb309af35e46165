"""What a person hands in becomes a message, or a sentence why not."""

import pytest

from custom_components.reelay.core.model.errors import CommandError
from custom_components.reelay.core.sources import inbox
from tests.fakes.clock import FakeClock


def test_a_text_becomes_a_message_of_the_person() -> None:
    clock = FakeClock()
    message = inbox.message("  https://115.com/s/sw1 \n", clock, person="user:1")
    assert (message.source, message.text, message.posted) == ("inbox", "https://115.com/s/sw1", clock.now())
    assert message.person == "user:1"


def test_the_same_text_twice_is_two_messages() -> None:
    clock = FakeClock()
    assert inbox.message("x", clock).message_id != inbox.message("x", clock).message_id


@pytest.mark.parametrize("text", ["", "  \n\t", "\u200b", "\ufeff \n", "\x00"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(CommandError) as error:
        inbox.message(text, FakeClock())
    assert error.value.key == "text_empty"


@pytest.mark.parametrize("text", ["x" * (inbox.LIMIT + 1), "影" * (inbox.LIMIT // 3 + 1), "x" * 1_000_000])
def test_a_text_that_is_too_long_is_refused(text: str) -> None:
    with pytest.raises(CommandError) as error:
        inbox.message(text, FakeClock())
    assert (error.value.key, error.value.placeholders) == ("text_too_long", {"limit": inbox.LIMIT})
    inbox.message("x" * inbox.LIMIT, FakeClock())


def test_what_can_not_be_stored_is_replaced() -> None:
    assert inbox.message("a\ud800b", FakeClock()).text.encode() == b"a?b"
