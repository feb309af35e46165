"""Where a message offers several shares: the words that belong to each of them.

A share's own words stand on its line, or above it, or below it. Where no share but the first has any, the shares are
ways to the same thing, and the whole message speaks for each.
"""

import re

_MOST_LINES = 3
_LONGEST = 600
_MEANINGLESS = re.compile(
    r"https?://[!-~]*|ed2k://\S*"
    r"|(?:资源|下载|分享|备用|主|网盘|云盘|115|夸克|百度|阿里|天翼|迅雷|123|uc)*\s?(?:链接|連結"
    r"|鏈接|地址|网盘|網盤|云盘|雲盤|下载|下載|网址|link|url)"
    r"|(?:访问|訪問|提取)?(?:密码|密碼|码|碼)\s?[:：]?\s?[A-Za-z0-9]{0,4}(?![A-Za-z0-9])"
    r"|复制这段内容[^\n]*|點擊跳轉|点击[^\s]{0,6}|打开|直达|备用|分享|115|网盘|[①-⑳]|quark",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]|\d+季|s\d", re.IGNORECASE)
_NOT_ABOUT = re.compile(
    r"^\W{0,4}(?:大小|标签|標籤|频道|群组|投稿|简介|描述|分享|主演|评分|類型|类型|地区|失效|搜索"
    r"|🏷|📢|👥|🤖|#)",
    re.IGNORECASE,
)


def hints(text: str, links: list[tuple[int, int, str]]) -> dict[str, str]:
    """The words of each share, by its code; nothing where there is only one share or all mean the same."""
    if len({key for _, _, key in links}) < 2:
        return {}
    found: dict[str, str] = {}
    used = 0
    for index, (start, end, key) in enumerate(links):
        after = links[index + 1][0] if index + 1 < len(links) else len(text)
        line = text.rfind("\n", 0, start) + 1
        own = text[max(line, used) : start]
        until = text.find("\n", end, after)
        rest_of_line = text[end : until if until >= 0 else after]
        if key in found:
            used = end
            continue
        if _says(own):
            words = own
        elif above := _lines(text[used:line], newest=True):
            words = above
        elif below := _lines(rest_of_line + text[until:after] if until >= 0 else rest_of_line, newest=False):
            words = below
            end = after if index + 1 < len(links) else end
        else:
            words = ""
        used = end
        if words.strip():
            found[key] = words.strip()[-_LONGEST:]
    later = {key for _, _, key in links} - {links[0][2]}
    return found if later & found.keys() else {}


def _says(text: str) -> bool:
    return _WORD.search(_MEANINGLESS.sub(" ", text)) is not None


def _lines(text: str, *, newest: bool) -> str:
    """The neighboring lines that say something, up to a blank line once something was found."""
    lines = text.split("\n")
    taken: list[str] = []
    for line in reversed(lines) if newest else lines:
        if not line.strip():
            if taken:
                break
            continue
        if _says(line) and not _NOT_ABOUT.match(line):
            taken.append(line.strip())
        if len(taken) == _MOST_LINES:
            break
    return "\n".join(reversed(taken) if newest else taken)
