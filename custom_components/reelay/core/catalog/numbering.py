"""Episode numbers as messages and files write them, in the catalogue's own numbers.

Anime are numbered through (第87集), by cour, or as a season that the catalogue counts among the specials; the
catalogue's seasons and other orders (episode groups) tell which. What fits two places is no answer: a wrong episode
is worse than a question.
"""

from collections.abc import Sequence

from .answers import Group, Season

type Place = tuple[int, int]

#: So many episodes a running season may be ahead of the catalogue.
_AHEAD = 4


def canonical(
    seasons: Sequence[Season],
    season: int | None,
    number: int,
    groups: Sequence[Group] = (),
    *,
    over: bool = False,
) -> Place | None:
    """The catalogue's season and episode for a number, None where that isn't certain.

    `season` is the stated one, None where none is; `over` says that no more episodes will come. Else an episode that
    the catalogue doesn't have yet keeps its number in the newest season.
    """
    regular = {each.number: each.episodes for each in seasons if each.number > 0}
    if number < 1 or not regular:
        return None
    if season == 0:
        return (0, number) if any(each.number == 0 and number <= each.episodes for each in seasons) else None
    if season is None:
        return _without_season(regular, number)
    if number <= regular.get(season, 0):
        return season, number
    moved = {place for group in groups if (place := _in_group(group, season, number)) is not None}
    if moved:
        return moved.pop() if len(moved) == 1 else None
    if season not in regular:
        # The message counts more seasons than the catalogue: where they begin there, nobody says.
        return None
    through = _numbered_through(regular, number)
    if through is not None and through[0] != season:
        through = None
    ahead = not over and season == max(regular) and number <= regular[season] + _AHEAD
    if ahead:
        return (season, number) if through is None else None
    return through


def _without_season(regular: dict[int, int], number: int) -> Place | None:
    if len(regular) == 1:
        return next(iter(regular)), number
    # A number that any season has by itself may mean that season.
    return _numbered_through(regular, number) if number > max(regular.values()) + _AHEAD else None


def _numbered_through(regular: dict[int, int], number: int) -> Place | None:
    """Where a number lies when all regular seasons are counted through."""
    for season in sorted(regular):
        if number <= regular[season]:
            return season, number
        number -= regular[season]
    return None


def _in_group(group: Group, season: int, number: int) -> Place | None:
    episodes = group.seasons.get(season, ())
    return episodes[number - 1] if number <= len(episodes) else None
