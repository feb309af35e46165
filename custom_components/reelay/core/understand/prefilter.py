"""What needs no look: messages without a link, adverts, and what the owner's words refuse."""

from collections.abc import Sequence

from ..media.titles import words as fold
from ..model.decision import Code, Reason
from ..model.message import Message
from ..model.offer import Offer
from ..policy.schema import Policy
from . import nature
from .text import words


def prefilter(message: Message, offers: Sequence[Offer], policy: Policy) -> Reason | None:
    """The first reason for which a message is out, None for one that is looked at.

    What a person hands in is meant: only the lack of a link is an answer to it.
    """
    if message.person is not None:
        return None if offers else Reason(code=Code.NO_LINK)
    text = words(message)
    found = nature.of(text, bool(offers))
    if found is nature.Nature.ADVERT:
        return Reason(code=Code.ADVERT)
    if not offers:
        return Reason(code=Code.NO_LINK)
    if found is nature.Nature.RETRACTED:
        return Reason(code=Code.RETRACTED)
    if found is nature.Nature.OTHER:
        return Reason(code=Code.NOT_MEDIA)
    said = fold(text.spoken)
    if blocked := next((word for word in policy.block_words if _has(said, word)), None):
        return Reason(code=Code.BLOCKED_WORD, data={"word": blocked})
    if policy.must_have and not any(_has(said, word) for word in policy.must_have):
        return Reason(code=Code.MISSING_WORD, data={"words": list(policy.must_have)})
    return None


def _has(said: str, word: str) -> bool:
    """Whether a word of the owner's occurs; Latin words count whole, so that TS isn't found in DTS."""
    folded = fold(word)
    if not folded:
        return False
    return f" {folded} " in f" {said} " if folded.isascii() else folded in said
