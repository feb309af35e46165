"""What a selection ends in: chosen files with their works, or problems that rules can't decide."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from ..model.decision import Problem
from ..model.offer import Work
from ..model.share import Chosen, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The wanted files. `dropped` names the others by path with a word why.

    No files means that there is nothing new: everything is stored or came before.
    """

    works: tuple[Work, ...]
    files: tuple[Chosen, ...]
    dropped: Mapping[str, str] = field(default_factory=dict)

    @property
    def videos(self) -> tuple[Chosen, ...]:
        """What is the work itself: videos and discs."""
        return tuple(file for file in self.files if file.role in (Role.VIDEO, Role.DISC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problems:
    """Why nothing could be selected; a person or a model may help with assignments."""

    problems: tuple[Problem, ...]


def without(selection: Selection, stored: Mapping[int, Collection[tuple[int, int]]]) -> Selection:
    """The selection without files whose episodes are all stored; `stored` goes by index of the work."""
    kept, dropped = [], dict(selection.dropped)
    for file in selection.files:
        there = stored.get(file.work, ())
        if there and all((file.season, episode) in there for episode in file.episodes):
            dropped[file.path] = "stored"
        else:
            kept.append(file)
    return replace(selection, files=tuple(kept), dropped=dropped)
