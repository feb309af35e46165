"""The 115 shares and ed2k links of a message, each share with its own access code, and the offers they make."""

from functools import lru_cache
from hashlib import blake2b

from ..model.message import Message
from ..model.offer import Links, Offer, Parsed, ShareRef
from . import ed2k, rules
from .codes import bind, stated
from .hints import hints
from .shares import addresses, places
from .text import Words, narrow, words


def links(message: Message) -> Links:
    """All shares and ed2k links, in order of appearance and without doubles."""
    return _links(words(message))


def offers(message: Message) -> tuple[Offer, ...]:
    """One offer per distinct share; without a share, one for all ed2k links together."""
    return _offers(words(message))


@lru_cache(maxsize=8)
def _offers(text: Words) -> tuple[Offer, ...]:
    found = _links(text)
    if found.shares:
        texts = hints(
            text.full, [(place.start, place.end, place.key) for place in places(text.full) if place.key]
        )
        return tuple(
            Offer(
                key=f"share:{share.code}",
                share=share,
                ed2k_count=len(found.ed2k),
                hint=texts.get(share.code),
            )
            for share in found.shares
        )
    if found.ed2k:
        return (
            Offer(
                key=f"ed2k:{_digest(sorted(link.hash for link in found.ed2k))}", ed2k_count=len(found.ed2k)
            ),
        )
    return ()


def facts_hash(message: Message) -> str:
    """What makes an edit matter: links, and what they are said to lead to."""
    found = links(message)
    spoken = [facts(offer, rules.parse(message, offer)) for offer in offers(message)]
    return _digest([*spoken, *(link.hash for link in found.ed2k)])


def facts(offer: Offer, parsed: Parsed) -> str:
    """What makes an edit matter for one offer: code, work, seasons and episodes, and whether it was taken back."""
    code = offer.share.receive_code if offer.share else None
    return (
        f"{offer.key} {code} {parsed.title} {parsed.year} {parsed.kind} {parsed.seasons} {parsed.episodes} "
        f"{parsed.complete} {parsed.retracted} {parsed.is_media}"
    )


def redact(message: Message) -> str:
    """The text as it is read, without any address and without access codes: for views, logs and models."""
    text = words(message).spoken
    found = places(text)
    spans = [(place.start, place.end) for place in found] + addresses(text) + stated(narrow(text), found)
    spans += [(start, end) for start, end, _ in ed2k.spans(text)]
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            pieces += [text[at:start], "…"]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


@lru_cache(maxsize=8)
def _links(text: Words) -> Links:
    found = places(text.full)
    codes = bind(narrow(text.full), found)
    shares = dict.fromkeys(place.key for place in found if place.key)
    files = {link.hash: link for _, _, link in ed2k.spans(text.full)}
    return Links(
        shares=tuple(ShareRef(code=key, receive_code=codes.get(key)) for key in shares),
        ed2k=tuple(files.values()),
    )


def _digest(parts: list[str]) -> str:
    return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
