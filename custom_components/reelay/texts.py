"""The only place that makes sentences for people: from codes and data, in the language of Home Assistant.

The sentences are in section `common` of the translations. What comes from outside (titles of channels' posts,
names of files and plugins) is data in them: cut, on one line, without control characters and addresses.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util

from .const import DOMAIN

_PREFIX: Final = f"component.{DOMAIN}.common."
_ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}:(?://|\?)\S*|\bwww\.\S+|\bmagnet:\S*", re.IGNORECASE)
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&:@=$])")
#: Companion apps for Android read some HTML in a message.
_ANGLES: Final = str.maketrans({"<": "‹", ">": "›"})
#: Enough for any title; a phone shows about as much of a whole message.
_LIMIT: Final = 120
_REASONS: Final = 4
_FILES: Final = 5
#: Reasons for saving, which a decision to ask carries too: they don't say why somebody is asked.
_FOR_SAVING: Final = frozenset({"automatic", "subscribed", "person_wanted", "approved"})


def plain(text: str, limit: int = _LIMIT) -> str:
    """Text of strangers as one harmless line."""
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text[: limit * 20])
    line = " ".join(_ADDRESS.sub("", visible).translate(_ANGLES).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def markdown(text: str) -> str:
    """The same characters where Markdown is shown."""
    return _MARKDOWN.sub(r"\\\1", text)


def size(count: int) -> str:
    """A size as the posts of channels state it: 1 GB is 1024 MB."""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if amount >= 100 or unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TB"


@dataclass(frozen=True, slots=True)
class Told:
    """What a person reads. Titles are shown as they are everywhere; messages may be Markdown."""

    title: str
    message: str


class _Values(dict[str, Any]):
    """Placeholders; one without a value must not keep the rest of the sentence from people."""

    def __missing__(self, key: str) -> str:
        return "…"


class Texts:
    """One language's sentences. `escape` is what the place they are shown at needs done to data."""

    def __init__(self, strings: Mapping[str, str], escape: Callable[[str], str] = str) -> None:
        self._strings = strings
        self._escape = escape

    def say(self, key: str, /, **values: Any) -> str:
        """The sentence `key`; without one the key itself, so that nothing is silent."""
        sentence = self._strings.get(_PREFIX + key)
        if sentence is None:
            return key
        shown = {name: self._escape(plain(_as_text(value))) for name, value in values.items()}
        return sentence.format_map(_Values(shown))

    def has(self, key: str) -> bool:
        """Whether there is such a sentence."""
        return _PREFIX + key in self._strings

    def state(self, state: str) -> str:
        """The name of a state."""
        return self.say(f"state_{state}")

    def happened(self, code: str, data: Mapping[str, Any]) -> str:
        """What happened, of a code's three sentences."""
        return self._reason(code, "happened", data)

    def reason(self, code: str, data: Mapping[str, Any]) -> str:
        """All three: what happened, what Reelay did, what the owner can do."""
        return "\n".join(self._reason(code, part, data) for part in ("happened", "did", "can"))

    def _reason(self, code: str, part: str, data: Mapping[str, Any]) -> str:
        return self.say(f"reason_{code}_{part}", **data)

    def name(self, facts: Mapping[str, Any]) -> str:
        """A task in a few words: its title and year. As data it is not escaped yet."""
        title = plain(str(facts.get("title") or "")) or f"#{facts.get('id', '?')}"
        return f"{title} ({facts['year']})" if facts.get("year") else title

    def approval(self, facts: Mapping[str, Any], data: Mapping[str, Any]) -> Told:
        """A question: what it is, how much, and everything that speaks for asking."""
        lines = [self._work(facts), self._share(facts)]
        detail = data.get("detail") or {}
        codes = [code for code in facts.get("reasons", ()) if code not in _FOR_SAVING]
        if codes:
            lines.append(self.say("why_asked"))
            lines += [f"• {self.happened(code, detail)}" for code in codes[:_REASONS]]
        if (confidence := facts.get("confidence")) is not None:
            lines.append(self.say("confidence", percent=round(100 * confidence)))
        return self._told("approval_title", facts, lines)

    def attention(self, facts: Mapping[str, Any], data: Mapping[str, Any]) -> Told:
        """Something a person has to look at: what happened, what Reelay did, what can be done."""
        detail = data.get("detail") or {}
        told = self.reason(str(data.get("code")), detail)
        return self._told("attention_title", facts, [self._work(facts), told, self._concerns(detail)])

    def result(self, facts: Mapping[str, Any], data: Mapping[str, Any]) -> Told:
        """A task has ended well, or was left out and the owner wants to know that too."""
        if facts.get("state") == "skipped":
            told = self.reason(str(data.get("code")), data.get("detail") or {})
            return self._told("skipped_title", facts, [self._work(facts), told])
        return self._told(
            "result_title", facts, [self._work(facts), self._share(facts), self.say("result_body")]
        )

    def late_files(self, facts: Mapping[str, Any], data: Mapping[str, Any]) -> Told:
        """Files have come after a task was given up."""
        told = self.reason("late_files", {})
        return self._told("late_files_title", facts, [told, self._concerns(data.get("detail") or {})])

    def alert(self, data: Mapping[str, Any]) -> Told:
        """Something Reelay depends on has turned bad, or is good again; with the time that happened."""
        category, _, name = str(data.get("category", "")).partition(":")
        state = "good" if data.get("state") == "good" else "bad"
        key = category if self.has(f"alert_{category}_{state}") else "other"
        lines = [self.say(f"alert_{key}_{state}", name=name or category)]
        reason = data.get("reason")
        if state == "bad" and self.has(f"reason_{reason}_happened"):
            lines += [self._reason(str(reason), part, {}) for part in ("happened", "can")]
        if isinstance(since := data.get("since"), int | float):
            local = dt_util.as_local(dt_util.utc_from_timestamp(since / 1000))
            lines.append(self.say("alert_since", time=f"{local:%Y-%m-%d %H:%M}"))
        return Told(self.say(f"alert_title_{state}"), "\n".join(lines))

    def how_to_answer(self, facts: Mapping[str, Any]) -> str:
        """Where there are no buttons: the actions that answer, and the task's number."""
        actions = ", ".join(f"`{DOMAIN}.{action}`" for action in facts.get("actions") or ())
        sentence = self._strings.get(_PREFIX + "how_to_answer", "how_to_answer")
        return sentence.format_map(_Values(actions=actions or "–", task=facts.get("id", "?")))

    def _told(self, title: str, facts: Mapping[str, Any], lines: list[str]) -> Told:
        said = self._strings.get(_PREFIX + title, title).format_map(_Values(name=self.name(facts)))
        return Told(said, "\n".join(filter(None, lines)))

    def _work(self, facts: Mapping[str, Any]) -> str:
        parts = []
        if kind := facts.get("kind"):
            parts.append(self.say(f"kind_{kind}"))
        if seasons := facts.get("seasons"):
            parts.append(self.say("seasons", seasons=seasons))
        if episodes := facts.get("episodes"):
            parts.append(self.say("episodes", episodes=episodes))
        if source := facts.get("source"):
            parts.append(self.say("from_source", source=source))
        return " · ".join(parts)

    def _concerns(self, detail: Mapping[str, Any]) -> str:
        """The files it is about, by whatever name a room lists them under."""
        for key in ("missing", "names", "paths", "files"):
            if isinstance(names := detail.get(key), list | tuple) and names:
                return self.say("concerns", names=names)
        return ""

    def _share(self, facts: Mapping[str, Any]) -> str:
        share = facts.get("share")
        if not share or not share["files"]:
            return self.say("share_unread")
        return self.say("share", files=share["files"], videos=share["videos"], size=size(share["size"]))


def _as_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value[:_FILES]) + (" …" if len(value) > _FILES else "")
    return str(value)


async def async_texts(hass: HomeAssistant, escape: Callable[[str], str] = str) -> Texts:
    """The sentences in the language Home Assistant is set to; single ones that lack it are English."""
    return Texts(await async_get_translations(hass, hass.config.language, "common", [DOMAIN]), escape)
