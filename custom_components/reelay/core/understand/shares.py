"""Where 115 shares and other drives' links stand in a text.

A share is recognised by its host: `115.com`, `115cdn.com` and `anxia.com` with `/s/<code>`, `share.115.com/<code>`.
Hosts that only look alike, other pages of 115, and addresses that merely contain such a text are none. All patterns
are bounded: a text of 64 KB takes milliseconds, whatever is in it.
"""

import re

from .codes import Place
from .text import narrow

_HOST = re.compile(r"(?:share\.115|115cdn|115|anxia)\.com", re.IGNORECASE)
_SCHEME = re.compile(r"(?<!/)https?:\s?//\s?(?:www\.)?$", re.IGNORECASE)
#: What may stand before a host without a scheme: nothing of an address, or the slash of a clipped one.
_FREE = re.compile(r"(?<![A-Za-z0-9._\-@%/])(?:www\.)?$|(?<![!-~])/$|(?<=[\[(<\"'])/$", re.IGNORECASE)
_PATH = re.compile(
    r"(?::\d{1,5})?\s{0,2}/(?P<s>\s{0,2}s\s{0,2}/)?(?P<gap>\s{0,2})(?P<code>[A-Za-z0-9]{4,40})(?![A-Za-z0-9])"
)
#: The rest of a code that was wrapped within: only where a parameter proves that the address goes on.
_WRAPPED = re.compile(r"\n(?P<rest>[a-z0-9]{1,12})(?=\?(?:password|pwd))")
_TAIL = re.compile(r"(?:\n{0,2}(?=[?&](?:password|pwd|receive_code)))?[!-~]{0,400}")
_PARAMETER = re.compile(
    r"(?:password|passwd|pwd|receive_code|receivecode|pass)\s?=\s{0,2}(?P<code>[A-Za-z0-9]{4})", re.IGNORECASE
)
_BROKEN = re.compile(
    r"(?:password|pwd|receive_code)=?\n=?(?P<code>[A-Za-z0-9]{4})(?![A-Za-z0-9])"
    r"|\n=(?P<second>[A-Za-z0-9]{4})(?![A-Za-z0-9])"
)
_FRAGMENT = re.compile(r"^/?[?&]{0,2}#(?P<code>[A-Za-z0-9]{4})(?![A-Za-z0-9=])")
_INSIDE_ADDRESS = re.compile(r"://[^\s/?#，。；、（）()【】\[\]]*$")
_ADDRESS = re.compile(r"https?://[!-~]{1,2000}", re.IGNORECASE)
_OTHER_DRIVE = re.compile(
    r"https?://(?:[a-z0-9-]{1,60}\.){0,4}(?:pan\.baidu|yun\.baidu|quark\.cn|aliyundrive\.com"
    r"|alipan\.com|189\.cn|123\d{3}\.(?:com|cn)"
    r"|123pan\.(?:com|cn)|xunlei\.com|uc\.cn|139\.com|mypikpak\.com|pikpak\.me|lanzou\w?\.com"
    r"|weiyun\.com|ctfile\.com"
    r"|jianguoyun\.com|drive\.google\.com|1drv\.ms|mega\.nz|terabox\.com|guangyapan\.com"
    r"|wopan\.\w{2,5}|vdisk\.weibo\.com)",
    re.IGNORECASE,
)


def places(full: str) -> list[Place]:
    """Every drive link of a text, 115's and others', in order; `full` as `text.words` puts it together."""
    text = narrow(full)
    found = [place for host in _HOST.finditer(text) if (place := _share(text, host))]
    taken = [(place.start, place.end) for place in found]
    index = 0
    for match in _ADDRESS.finditer(text):
        while index < len(taken) and taken[index][1] <= match.start():
            index += 1
        overlaps = index < len(taken) and taken[index][0] < match.end()
        if not overlaps and _OTHER_DRIVE.match(match[0]):
            found.append(Place(match.start(), match.end(), None))
    return sorted(found, key=lambda place: place.start)


def addresses(text: str) -> list[tuple[int, int]]:
    """Where addresses of any kind stand."""
    return [match.span() for match in _ADDRESS.finditer(narrow(text))]


def _share(text: str, host: re.Match[str]) -> Place | None:
    start = max(0, host.start() - 16)
    scheme = _SCHEME.search(text, start, host.start())
    before = scheme or _FREE.search(text, start, host.start())
    path = _PATH.match(text, host.end())
    if before is None or path is None:
        return None
    code, end = path["code"], path.end()
    looks_real = code[:2].lower() == "sw" and len(code) >= 6
    short = host[0].lower().startswith("share.") and not path["s"]
    if not (path["s"] or short) or ((path["gap"] or short) and not looks_real):
        return None
    if not scheme and _INSIDE_ADDRESS.search(text, max(0, before.start() - 300), before.start()):
        return None
    wrapped = _WRAPPED.match(text, end)
    if wrapped and len(code) < 11 and looks_real:
        code, end = code + wrapped["rest"], wrapped.end()
    tail = _TAIL.match(text, end)
    rest = tail[0] if tail else ""
    cut = re.search(r"https?://", rest)
    rest = rest[: cut.start()] if cut else rest
    given = _PARAMETER.search(rest) or _FRAGMENT.match(rest)
    if not given:
        broken = _BROKEN.search(text, end, end + len(rest) + 12)
        if broken and rest.rstrip("=").endswith(("password", "pwd", "receive_code")):
            return Place(before.start(), broken.end(), code, broken["code"] or broken["second"])
    receive = given["code"] if given else None
    return Place(before.start(), end + len(rest), code, receive)
