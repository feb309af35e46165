"""Several files for one thing: the better release wins where rules can tell, otherwise it's a question."""

from collections.abc import Callable, Sequence

from ..media.release import parse, rank as rank_of


def rank(path: str) -> int:
    """How good a file is by the words of its name and folder; higher is better."""
    parts = path.split("/")
    return rank_of(parse(" ".join(part[:400] for part in parts[-2:])))


def best[T](
    candidates: Sequence[T],
    *,
    path: Callable[[T], str],
    content: Callable[[T], tuple[str | None, int]],
    version: Callable[[T], int] = lambda _: 1,
) -> T | None:
    """The one to take, None where nothing tells them apart.

    Copies of the same content count as one. `version` is the release's own correction (v2).
    """
    distinct: dict[tuple[str | None, int] | int, T] = {}
    for index, candidate in enumerate(candidates):
        sha1, size = content(candidate)
        distinct.setdefault((sha1, size) if sha1 else index, candidate)
    left = list(distinct.values())
    if len(left) == 1:
        return left[0]
    scores = sorted(((rank(path(one)), version(one)), index) for index, one in enumerate(left))
    if scores[-1][0] == scores[-2][0]:
        return None
    return left[scores[-1][1]]
