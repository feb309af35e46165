"""From an offer to a manifest: list anew, look what is stored, select, check space, write down, take claims."""

from collections.abc import Callable, Sequence, Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..drives.base import ROOT, Drive
from ..media import release
from ..model.context import Assignment, ShareFacts
from ..model.decision import Code
from ..model.errors import Permanent
from ..model.offer import Ed2kLink, Offer, Parsed, Release, Work
from ..model.share import Batch, Chosen, Entry, Listing, ManifestFile, Phase, Role, StoredRow
from ..policy.schema import Conflict, Policy
from ..select.outcome import Problems, Selection, without
from ..select.select import select
from ..select.versions import rank
from ..store import batches, claims as claim_rows, library, works
from ..store.database import Database, Tx
from . import claims, naming
from .found import recognise
from .inspect import facts
from .record import Record, share_of

#: Rows of a manifest that go into one transaction.
SLICE = 500

#: Shares with more files are chosen from elsewhere than on the event loop.
LARGE = 200


class Run(Protocol):
    """Executes a pure function that takes long, off the event loop."""

    async def __call__[T](self, fn: Callable[[], T], /) -> T:
        """The function's result."""


async def direct[T](fn: Callable[[], T]) -> T:
    """Execute it here and now."""
    return fn()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be transferred. `again`: a person wants it although it's stored."""

    task: int
    offer: Offer
    parsed: Parsed
    work: Work
    policy: Policy
    links: tuple[Ed2kLink, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    again: bool = False
    approved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A selection ready to be written down: split into batches, with what was found on the way.

    `seen` are the files that were known as stored when it was chosen; `found` rows name works by index.
    """

    selection: Selection
    parts: tuple[tuple[Chosen, ...], ...]
    facts: ShareFacts
    found: tuple[StoredRow, ...] = ()
    seen: frozenset[str] = frozenset()

    @property
    def files(self) -> int:
        """How many files are wanted."""
        return len(self.selection.files)


@dataclass(slots=True)
class _Stored:
    """What the library holds of one work: pairs that count, pairs with the rank of what is there, file ids.

    `weak` are pairs of what may be another work.
    """

    pairs: set[tuple[int, int]] = field(default_factory=set)
    ranked: dict[tuple[int, int], int] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    weak: set[tuple[int, int]] = field(default_factory=set)


async def draw_up(db: Database, drive: Drive, order: Order, run: Run = direct) -> Drawn | Problems:
    """Choose what to transfer. Raises the drive's classed errors and Permanent for lack of space."""
    listing = await _list(drive, order)
    stored, known = await db.read(lambda tx: (_stored(tx, order, order.work), _known(tx, order)))
    run = run if len(listing.entries) > LARGE else direct
    chosen = await run(lambda: _select(listing, order, stored, known))
    if isinstance(chosen, Problems):
        return chosen
    found: tuple[StoredRow, ...] = ()
    seen = set(stored.files)
    if chosen.files and not order.again:
        found = await _look_in_library(drive, order, chosen)
        chosen, more = await _without_stored(db, order, chosen, found, stored.files)
        seen |= more
    if not order.approved and (unsure := _pairs(chosen, order.work) & stored.weak):
        raise Permanent(Code.MAYBE_STORED, episodes=len(unsure))
    parts: tuple[tuple[Chosen, ...], ...] = ()
    if chosen.files:
        await _check_space(drive, chosen)
        parts = split(chosen.files, min(SLICE, (await drive.limits()).receive))
    return Drawn(selection=chosen, parts=parts, facts=facts(listing), found=found, seen=frozenset(seen))


async def _list(drive: Drive, order: Order) -> Listing:
    share = order.offer.share
    if share is not None:
        return await drive.list_share(share.code, share.receive_code)
    rows = tuple(Entry(link.hash, link.name, link.size) for link in order.links)
    return Listing(code=order.offer.key, title=order.work.title, entries=rows, taken=0)


def _stored(tx: Tx, order: Order, work: Work) -> _Stored:
    """Strong hits count as stored; a weak one (a year is missing) is a question, never a reason to skip."""
    result = _Stored()
    same = works.same(tx, work)
    policy = order.policy
    replacing = policy.conflict is Conflict.REPLACE_IF_BETTER
    strong = [row for row, weak in same if not weak]
    for row in library.stored(tx, policy.provider, policy.root, strong):
        result.files.add(row.file_id)
        if _own(row, order):
            continue
        pair = (row.season, row.episode)
        if replacing and row.origin == "transferred" and row.release:
            theirs = release.rank(Release.model_validate_json(row.release))
            result.ranked[pair] = max(theirs, result.ranked.get(pair, theirs))
        else:
            result.pairs.add(pair)
    unsure = [row for row, weak in same if weak]
    rows = library.stored(tx, policy.provider, policy.root, unsure)
    result.weak = {(row.season, row.episode) for row in rows if not _own(row, order)}
    return result


def _own(row: StoredRow, order: Order) -> bool:
    """Whether the task itself brought it, with an earlier batch."""
    return row.task == order.task and row.origin == "transferred"


def _pairs(chosen: Selection, work: Work) -> set[tuple[int, int]]:
    """The seasons and episodes of a work that are chosen."""
    return {
        (file.season, episode)
        for file in chosen.videos
        if chosen.works[file.work] == work
        for episode in file.episodes
    }


def _known(tx: Tx, order: Order) -> frozenset[str]:
    """Ids that came before: with this task's own batches always, with others' unless they're wanted again."""
    own = {
        file.source_id
        for batch in batches.of_task(tx, order.task)
        if batch.phase not in (Phase.DRAFT, Phase.PREPARED)
        for file in batches.files(tx, batch.id)
    }
    if order.again:
        return frozenset(own)
    policy = order.policy
    return frozenset(own | batches.manifested(tx, policy.provider, policy.root, share_of(order.offer)))


def _select(listing: Listing, order: Order, stored: _Stored, known: frozenset[str]) -> Selection | Problems:
    chosen = select(
        listing.files,
        order.parsed,
        order.work,
        () if order.again else stored.pairs,
        assignments=order.assignments,
        known=known,
    )
    if isinstance(chosen, Problems) or order.again or not stored.ranked:
        return chosen
    worse = {
        (file.season, episode)
        for file in chosen.videos
        for episode in file.episodes
        if rank(file.path) <= stored.ranked.get((file.season, episode), -1)
    }
    return without(chosen, {index: worse for index, work in enumerate(chosen.works) if work == order.work})


async def _look_in_library(drive: Drive, order: Order, chosen: Selection) -> tuple[StoredRow, ...]:
    """Videos that lie in the places the chosen ones would go to, whoever put them there."""
    root = "/".join(naming.root_parts(order.policy.root))
    rows: list[StoredRow] = []
    for index, season in sorted({(file.work, file.season) for file in chosen.videos}):
        folder = naming.folder_of(order.policy, chosen.works[index], season)
        place = await drive.find_folder(ROOT, f"{root}/{folder}".strip("/"))
        if place is not None:
            rows += recognise(await drive.list_folder(place), index, season)
    return tuple(rows)


async def _without_stored(
    db: Database, order: Order, chosen: Selection, found: Sequence[StoredRow], known: AbstractSet[str]
) -> tuple[Selection, set[str]]:
    """Without what was found, and for a collection without those of its films that are stored.

    `known` are the files that the selection has taken into account; another task may have filed more since.
    """
    others = [index for index, work in enumerate(chosen.works) if work != order.work]
    library_rows = (
        await db.read(lambda tx: {index: _stored(tx, order, chosen.works[index]) for index in others})
        if others
        else {}
    )
    there: dict[int, set[tuple[int, int]]] = {index: set(row.pairs) for index, row in library_rows.items()}
    for row in found:
        if row.file_id not in known:
            there.setdefault(row.work, set()).add((row.season, row.episode))
    seen = {row.file_id for row in found} | {id_ for row in library_rows.values() for id_ in row.files}
    return without(chosen, there), seen


async def _check_space(drive: Drive, chosen: Selection) -> None:
    space = await drive.space()
    needed = sum(file.size for file in chosen.files)
    if space.free is not None and space.free < needed:
        raise Permanent(Code.NO_SPACE, needed=needed, free=space.free)


def split(files: Sequence[Chosen], limit: int) -> tuple[tuple[Chosen, ...], ...]:
    """Parts of at most `limit` files; what belongs to one episode or film stays together where it fits."""
    units: dict[tuple[int, int, int, int], list[Chosen]] = {}
    for file in sorted(files, key=lambda file: (file.work, file.season, file.episode, file.path)):
        units.setdefault((file.work, file.season, file.episode, file.episode_last), []).append(file)
    parts: list[list[Chosen]] = [[]]
    for unit in units.values():
        if parts[-1] and len(parts[-1]) + len(unit) > limit:
            parts.append([])
        for file in unit:
            if len(parts[-1]) >= limit:
                parts.append([])
            parts[-1].append(file)
    return tuple(tuple(part) for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What `begin` made: the batches with the works of their files, still to be filled and flipped."""

    batches: tuple[Batch, ...]
    works: tuple[int, ...]


def begin(tx: Tx, order: Order, drawn: Drawn, names: Sequence[str], now: int) -> Paper:
    """Drop what was prepared before, intern works, note what was found, and make the batches as drafts.

    A batch takes over the staging folder of the one it replaces, so that no empty folder is left behind.
    """
    old = [one for one in batches.of_task(tx, order.task) if one.phase in (Phase.DRAFT, Phase.PREPARED)]
    for batch in old:
        claim_rows.release_batch(tx, batch.id)
        batches.save(tx, replace(batch, phase=Phase.DRAFT))
    batches.drop_drafts(tx, order.task)
    interned = tuple(works.intern(tx, work) for work in drawn.selection.works)
    policy = order.policy
    rows = [replace(row, work=interned[row.work]) for row in drawn.found]
    library.add(tx, policy.provider, policy.root, rows, now)
    taken = {batch.n for batch in batches.of_task(tx, order.task)}
    first = max(taken, default=0) + 1
    made = []
    for index, _ in enumerate(drawn.parts):
        before = old[index] if index < len(old) else None
        batch = Batch(
            id=0,
            task=order.task,
            n=first + index,
            phase=Phase.DRAFT,
            provider=policy.provider,
            root=policy.root,
            share=share_of(order.offer),
            staging_name=before.staging_name if before else f"{order.task}-{first + index}-{names[index]}",
            staging_id=before.staging_id if before else None,
            sent=before.sent if before else None,
        )
        number = batches.insert(
            tx,
            batch.task,
            batch.n,
            batch.phase,
            batch.provider,
            batch.root,
            batch.share,
            batch.staging_name,
        )
        batch = replace(batch, id=number)
        if before is not None:
            batches.save(tx, batch)
        made.append(batch)
    return Paper(batches=tuple(made), works=interned)


def manifest(batch: Batch, part: Sequence[Chosen], interned: Sequence[int]) -> tuple[ManifestFile, ...]:
    """The rows of a batch's manifest."""
    return tuple(
        ManifestFile(
            batch=batch.id,
            source_id=file.source_id,
            path=file.path,
            size=file.size,
            sha1=file.sha1,
            role=Role(file.role),
            work=interned[file.work],
            season=file.season,
            episode=file.episode,
            episode_last=file.episode_last,
            part=file.part,
        )
        for file in part
    )


def flip(tx: Tx, paper: Paper, drawn: Drawn) -> Record:
    """Take all claims or raise `Taken`, and make the drafts prepared batches."""
    made = tuple(replace(batch, phase=Phase.PREPARED) for batch in paper.batches)
    parts = [
        (batch, manifest(batch, part, paper.works)) for batch, part in zip(made, drawn.parts, strict=True)
    ]
    known = dict(zip(paper.works, drawn.selection.works, strict=True))
    claims.take(tx, parts, known)
    for batch in made:
        batches.save(tx, batch)
    return Record(batches=made, files={batch.id: files for batch, files in parts}, works=known)


def drop_preparation(tx: Tx, task: int) -> None:
    """End what was prepared and not sent, with its claims.

    A batch whose request was refused stays as a draft: the refusal may have been a lie, and its folder is looked
    at before anything is sent again.
    """
    open_ = [one for one in batches.of_task(tx, task) if one.phase in (Phase.DRAFT, Phase.PREPARED)]
    for batch in open_:
        claim_rows.release_batch(tx, batch.id)
        if batch.phase is Phase.PREPARED:
            batches.save(tx, replace(batch, phase=Phase.DRAFT))
    if not any(batch.sent is not None for batch in open_):
        batches.drop_drafts(tx, task)
