"""A page as if it were a message: its words, and entities over those that lead somewhere."""

from html.parser import HTMLParser
from urllib.parse import urljoin

from ..model.message import Entity

#: Characters of text, and links, beyond which a page is cut.
MOST_TEXT, MOST_LINKS, LONGEST_URL = 200_000, 2_000, 4_096
SCHEMES = ("http://", "https://", "ed2k://", "tg://")

_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "title", "iframe", "object"})
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
    }
    | {
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
    }
    | {"table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"}
)


def read(html: str, base: str) -> tuple[str, str, tuple[Entity, ...]]:
    """Title, text and links of a page at `base`; offsets count UTF-16 units, as Telegram's do."""
    reader = _Reader(base)
    reader.feed(html)
    reader.close()
    reader.end_link()
    return " ".join("".join(reader.title).split()), "".join(reader.text), tuple(reader.links)


class _Reader(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self._base = base
        self._silent: list[str] = []
        self._open: tuple[str, int] | None = None
        self._units = 0
        self._size = 0
        self._last = "\n"
        self.title: list[str] = []
        self.text: list[str] = []
        self.links: list[Entity] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag in _BLOCKS:
            self._break()
        elif tag == "a":
            self.end_link()
            url = self._absolute(dict(attrs).get("href"))
            if url is not None and len(self.links) < MOST_LINKS:
                self._open = (url, self._units)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self._break()

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            if tag in self._silent:
                del self._silent[self._silent.index(tag) :]
        elif tag == "a":
            self.end_link()
        elif tag in _BLOCKS:
            self._break()

    def handle_data(self, data: str) -> None:
        if self._silent:
            if self._silent[-1] == "title" and len(self.title) < 100:
                self.title.append(data)
            return
        words = " ".join(data.split())
        if not words:
            words = " " if data else ""
        else:
            words = f"{' ' if data[0].isspace() else ''}{words}{' ' if data[-1].isspace() else ''}"
        if self._last in "\n " and words.startswith(" "):
            words = words[1:]
        self._add(words)

    def end_link(self) -> None:
        """Close the link that is open; one around a picture gets a sign to stand for it."""
        if self._open is None:
            return
        url, start = self._open
        self._open = None
        if self._units == start:
            self._add("🔗")
        if self._units > start:
            self.links.append(Entity(type="text_url", offset=start, length=self._units - start, url=url))

    def _absolute(self, href: str | None) -> str | None:
        try:
            url = urljoin(self._base, (href or "").strip())
        except ValueError:
            return None
        return url if url.lower().startswith(SCHEMES) and len(url) <= LONGEST_URL else None

    def _break(self) -> None:
        if self._last != "\n":
            self._add("\n")

    def _add(self, words: str) -> None:
        words = words[: max(0, MOST_TEXT - self._size)]
        if words:
            self.text.append(words)
            self._size += len(words)
            self._units += len(words) + sum(char > "\uffff" for char in words)
            self._last = words[-1]
