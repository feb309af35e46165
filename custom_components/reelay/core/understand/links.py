"""The 115 shares and ed2k links of a message, each share with its own access code, and the offers they make."""

from hashlib import blake2b

from ..model.message import Message
from ..model.offer import Links, Offer, ShareRef
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
    text = words(message)
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
    """What makes an edit matter: links, codes, title, seasons and episodes, and whether it was taken back."""
    found = links(message)
    facts: list[str] = [f"{share.code} {share.receive_code}" for share in found.shares]
    facts += [link.hash for link in found.ed2k]
    for offer in offers(message):
        parsed = rules.parse(message, offer)
        facts.append(
            f"{parsed.title} {parsed.seasons} {parsed.episodes} {parsed.complete} {parsed.retracted} {parsed.is_media}"
        )
    return _digest(facts)


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
