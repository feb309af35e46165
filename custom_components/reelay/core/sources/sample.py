"""What a sample message of the demo is: a post, the shares behind it, and what goes wrong with them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..drives.memory_faults import Fault
from ..drives.memory_shares import Condition, Share, ShareFile, make_share
from ..model.message import Button, Entity, Message

KEY = "demo"
#: The access code of all sample shares.
ACCESS = "de01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where the samples play: how long things take against real time, and the library's root path."""

    pace: float
    root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One post, `at` seconds after the demo's start. `words` of the text lead to `url`, a button to `button`.

    `shows` says for readers and tests what becomes of it with the demo's rules.
    """

    name: str
    shows: str
    text: str
    at: float = 0.0
    words: str = ""
    url: str = ""
    button: str = ""
    shares: tuple[Share, ...] = ()
    faults: Callable[[Setting], tuple[Fault, ...]] = field(default=lambda setting: ())

    def message(self, posted: int) -> Message:
        """The post; its id is the same on every run."""
        entities = (_link_on(self.text, self.words, self.url),) if self.words else ()
        return Message(
            source=KEY,
            message_id=self.name,
            text=self.text,
            posted=posted,
            entities=entities,
            buttons=((Button(text="📥 115", url=self.button),),) if self.button else (),
        )


def link(code: str) -> str:
    """The link of a share, with its access code."""
    return f"https://115cdn.com/s/{code}?password={ACCESS}"


def share(code: str, *files: ShareFile, condition: Condition = Condition.OPEN) -> Share:
    """A share that opens with the access code."""
    return make_share(code, files, receive_code=ACCESS, condition=condition)


def _link_on(text: str, words: str, url: str) -> Entity:
    """The entity that makes `words` a link; Telegram counts in UTF-16."""
    before = text[: text.index(words)]
    return Entity(type="text_url", offset=_units(before), length=_units(words), url=url)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
