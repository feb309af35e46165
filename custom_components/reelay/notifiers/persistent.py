"""Notices in Home Assistant's own notifications: the fallback of those who have chosen no phone.

They have no buttons, so each says which action answers it. They are shown as Markdown: data is escaped.
"""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.components.persistent_notification import async_create, async_dismiss
from homeassistant.core import HomeAssistant

from ..core.model.notice import Notice, NoticeKind
from ..texts import Texts, Told, async_texts, markdown
from .answers import replaced

#: One notification tells the last few results: a list of hundreds would help nobody.
_RESULTS: Final = "reelay-results"
_SHOWN: Final = 10


class PersistentNotifier:
    """The notifier of the target `persistent`."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._results: dict[int, str] = {}

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        """Deliver; the receipt is the notification's id."""
        if notice.kind is NoticeKind.CLEAR:
            if not replaced(facts, notice.round):
                async_dismiss(self._hass, notice.data.get("receipt") or f"reelay-{notice.task}")
            return None
        shown_as, told = self._render(await async_texts(self._hass, markdown), notice, facts)
        async_create(self._hass, told.message.replace("\n", "\n\n"), told.title, shown_as)
        return shown_as

    def _render(self, texts: Texts, notice: Notice, facts: Mapping[str, Any]) -> tuple[str, Told]:
        match notice.kind:
            case NoticeKind.APPROVAL:
                return f"reelay-{notice.task}", _answerable(texts, facts, texts.approval(facts, notice.data))
            case NoticeKind.ATTENTION:
                told = texts.attention(facts, notice.data)
                return f"reelay-{notice.task}", _answerable(texts, facts, told)
            case NoticeKind.LATE_FILES:
                return f"reelay-{notice.task}-late", texts.late_files(facts, notice.data)
            case NoticeKind.ALERT:
                return f"reelay-alert-{notice.data.get('category')}", texts.alert(notice.data)
            case _:
                return _RESULTS, self._with_earlier(texts, notice.task, texts.result(facts, notice.data))

    def _with_earlier(self, texts: Texts, task: int, told: Told) -> Told:
        self._results.pop(task, None)
        self._results[task] = told.title
        if len(self._results) > _SHOWN:
            del self._results[next(iter(self._results))]
        return Told(texts.say("results_title"), "\n".join(map(markdown, reversed(self._results.values()))))


def _answerable(texts: Texts, facts: Mapping[str, Any], told: Told) -> Told:
    return Told(told.title, f"{told.message}\n{texts.how_to_answer(facts)}")
