"""What must be true at every moment, and what must be true once everything has settled.

It trusts the drive's own log, which lines were executed and in which order, and the rows of the database; nothing
that the pipeline says about itself. `safety` holds after any commit and any crash, `settled` when time has been given
and nothing stands in the way any more.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from custom_components.reelay.core.drives.memory_journal import Journal
from custom_components.reelay.core.drives.memory_state import BIN, Deed, DriveState, LogLine, Node
from custom_components.reelay.core.model.notice import ASKING
from custom_components.reelay.core.model.share import CHECKPOINTS, CLAIMING
from custom_components.reelay.core.model.states import ACTIVE, EDGES, RAISES_ROUND, State
from custom_components.reelay.core.transfer.naming import STAGING

CONTEXT_LIMIT = 8 * 1024
FOREVER = 1 << 62
_ENDED = frozenset({State.DONE, State.SKIPPED, State.REJECTED})
_MAIN = frozenset({"video", "disc"})
_SETTLED = frozenset({"placed", "kept", "binned", "lost", "left"})
_ASKING = frozenset(kind.value for kind in ASKING)
OPEN_IN = {"approval": {"pending_approval"}, "attention": {"need_manual", "failed"}}


type Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """A notice as a notifier got it."""

    kind: str
    task: int
    round: int
    target: str


@dataclass(kw_only=True)
class World:
    """Everything there is to judge by. `now` is the drive's time; `delivered` None: nobody wrote it down."""

    lines: Sequence[LogLine]
    tables: dict[str, list[Row]]
    now: int
    delivered: Sequence[Delivery] | None = None
    acknowledged: Collection[tuple[str, str]] = ()
    root: str = "Reelay"
    drive: DriveState = field(default_factory=DriveState)

    def __post_init__(self) -> None:
        for line in self.lines:
            self.drive.apply(line)

    @property
    def tasks(self) -> dict[int, Row]:
        return {row["id"]: row for row in self.tables["tasks"]}

    def path(self, node: Node | None) -> str | None:
        """Where a node hangs, names joined by `/`; the bin is `BIN/…`, None for nowhere."""
        parts: list[str] = []
        while node is not None:
            parts.append(node.name)
            if node.parent in ("0", BIN):
                parts += ["BIN"] if node.parent == BIN else []
                return "/".join(reversed(parts))
            node = self.drive.nodes.get(node.parent)
        return None


def read_tables(tx: sqlite3.Connection) -> dict[str, list[Row]]:
    """All rows of the tables that matter."""
    names = ("tasks", "messages", "batches", "files", "claims", "library", "outbox", "trace", "alerts")
    found: dict[str, list[Row]] = {}
    for name in names:
        cursor = tx.execute(f"SELECT * FROM {name}")
        columns = [column[0] for column in cursor.description]
        found[name] = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    return found


def load(folder: Path, now: int, **more: Any) -> World:
    """From the files a process has left behind, however it ended."""
    tx = sqlite3.connect(folder / "reelay.db")
    try:
        tables = read_tables(tx)
    finally:
        tx.close()
    return World(lines=Journal(folder / "drive.jsonl").read(), tables=tables, now=now, **more)


def safety(world: World) -> list[str]:
    """What is wrong at this moment, whatever is going on."""
    checks = (
        _receives,
        _landed,
        _duplicates,
        _trash,
        _messages,
        _claims,
        _contexts,
        _traces,
        _receipts,
        _done,
        _told,
        _not_twice,
    )
    return [f"{check.__name__[1:]}: {problem}" for check in checks for problem in check(world)]


def settled(world: World, *, held: bool = False, told: bool = True) -> list[str]:
    """What is wrong although everything had its time; `held`: a plugin or drive is missing."""
    checks: tuple[Any, ...] = (_rest, _idle_claims, _alerts)
    problems = [f"{check.__name__[1:]}: {problem}" for check in checks for problem in check(world, held)]
    if told:
        problems += [f"delivered: {problem}" for problem in _delivered(world)]
    return safety(world) + problems


# -- the drive


def _received(world: World) -> Iterator[tuple[LogLine, str]]:
    """Executed transfers with the name of the folder they went into."""
    names = {node.id: node.name for line in world.lines if line.deed is Deed.FOLDER for node in line.nodes}
    for line in world.lines:
        if line.deed in (Deed.RECEIVE, Deed.DOWNLOAD):
            yield line, names.get(line.into, line.into)


def _receives(world: World) -> Iterator[str]:
    """At most one executed request per batch, into its own folder, and never before its checkpoint."""
    batches: dict[str, list[Row]] = defaultdict(list)
    for batch in world.tables["batches"]:
        batches[batch["staging_name"]].append(batch)
    count: Counter[str] = Counter()
    sources: dict[tuple[int, str], str] = {}
    for line, name in _received(world):
        if not line.nodes and not line.sources:
            continue
        count[name] += 1
        if count[name] > 1:
            yield f"{count[name]} executed requests into {name}"
        if name not in batches:
            yield f"a request went into {name}, which belongs to no batch"
            continue
        if all(batch["phase"] in ("draft", "prepared") for batch in batches[name]):
            yield f"a request into {name} was executed, its batch is {batches[name][-1]['phase']}"
        task = batches[name][-1]["task"]
        for source in line.sources or line.ids:
            if (task, source) in sources:
                yield f"task {task} asked twice for {source}: {sources[task, source]} and {name}"
            sources[task, source] = name


def _brought(world: World) -> dict[str, LogLine]:
    return {
        node.id: line
        for line in world.lines
        if line.deed in (Deed.RECEIVE, Deed.DOWNLOAD)
        for node in line.nodes
        if not node.folder
    }


def _lost(world: World) -> set[str]:
    return {id_ for line in world.lines if line.deed is Deed.LOST for id_ in line.ids}


def _landed(world: World) -> Iterator[str]:
    """Every landed file lies in the library, in staging or in the recycle bin, where the database says."""
    lost = _lost(world)
    known = {row["received_id"]: row for row in world.tables["files"] if row["received_id"]}
    inside = f"{world.root}/"
    for id_ in _brought(world):
        node = world.drive.nodes.get(id_)
        if node is None:
            if id_ not in lost:
                yield f"{id_} is gone from the drive"
            continue
        path = world.path(node)
        if path is None:
            yield f"{node.name} dangles below {node.parent}"
        elif path.startswith("BIN/"):
            row = known.get(id_)
            if row is None and node.at <= world.now:
                yield f"{node.name} is in the recycle bin and in no receipt"
        elif not path.startswith(inside):
            yield f"{path} lies outside of the library"
        elif not path.startswith(f"{inside}{STAGING}/") and id_ not in known:
            yield f"{path} is in the library and in no receipt"
    if world.drive.dangling():
        yield f"dangling: {[node.name for node in world.drive.dangling()]}"
    for id_, row in known.items():
        node = world.drive.nodes.get(id_)
        if node is None or row["placed"] not in ("placed", "kept"):
            continue
        path = world.path(node) or ""
        # A better release may have taken its place, and it's gone from the library then.
        if not path.startswith("BIN/") and path != f"{inside}{row['folder']}/{row['name']}":
            yield f"{row['path']} counts as {row['placed']} at {row['folder']}/{row['name']}, lies at {path}"


def _duplicates(world: World) -> Iterator[str]:
    """No two files of ours with one name in a folder of the library, and no guest's name taken again."""
    brought = _brought(world)
    here: dict[tuple[str, str], list[Node]] = defaultdict(list)
    for node in world.drive.nodes.values():
        if not node.folder and node.at <= world.now:
            here[node.parent, node.name.casefold()].append(node)
    moved = {
        id_: n
        for n, line in enumerate(world.lines)
        if line.deed in (Deed.MOVE, Deed.RENAME)
        for id_ in line.ids
    }
    put = {node.id: n for n, line in enumerate(world.lines) if line.deed is Deed.PUT for node in line.nodes}
    for nodes in here.values():
        path = world.path(nodes[0]) or ""
        if len(nodes) < 2 or path.startswith("BIN/") or f"/{STAGING}/" in path:
            continue
        ours = [node for node in nodes if node.id in brought]
        guests = [node for node in nodes if node.id in put]
        if len(ours) > 1:
            yield f"{path} is there {len(ours)} times"
        for node in ours:
            if any(put[guest.id] < moved.get(node.id, 0) for guest in guests):
                yield f"{path} was put beside a guest of that name"


def _trash(world: World) -> Iterator[str]:
    """Only what Reelay brought goes, folders only when nothing is in them, and the database knew first."""
    state = DriveState()
    brought = _brought(world)
    made = {node.id for line in world.lines if line.deed is Deed.FOLDER for node in line.nodes}
    # A row that is found may come from a listing that was read before.
    stored = {row["file_id"] for row in world.tables["library"] if row["origin"] == "transferred"}
    for line in world.lines:
        if line.deed is Deed.TRASH:
            for id_ in line.ids:
                node = state.nodes[id_]
                if id_ in made:
                    inside = [n.name for n in state.nodes.values() if n.parent == id_]
                    if inside:
                        yield f"the folder {node.name} was deleted with {inside}"
                elif id_ not in brought:
                    yield f"{node.name} was deleted, and others had put it there"
                elif id_ in stored and world.drive.nodes[id_].parent == BIN:
                    yield f"{node.name} was deleted, and the library still counts on it"
        state.apply(line)


# -- the database


def _messages(world: World) -> Iterator[str]:
    with_tasks = {row["message"] for row in world.tables["tasks"]}
    known = {(row["source"], row["message_id"]) for row in world.tables["messages"]}
    for row in world.tables["messages"]:
        if row["id"] not in with_tasks:
            yield f"message {row['source']}/{row['message_id']} revision {row['revision']} has no task"
    for key in world.acknowledged:
        if key not in known:
            yield f"message {key} was taken and isn't there"


def _claims(world: World) -> Iterator[str]:
    """A claim exists exactly while a batch may still need it, and no two tasks hold the same."""
    batches = {row["id"]: row for row in world.tables["batches"]}
    claimed = {row["batch"] for row in world.tables["claims"]}
    mains = {row["batch"] for row in world.tables["files"] if row["role"] in _MAIN}
    for row in world.tables["claims"]:
        phase = batches[row["batch"]]["phase"]
        if phase not in CLAIMING:
            yield f"batch {row['batch']} of task {batches[row['batch']]['task']} is {phase} and holds a claim"
    for number, batch in batches.items():
        if batch["phase"] in CLAIMING and number not in claimed and number in mains:
            yield f"batch {number} of task {batch['task']} is {batch['phase']} without a claim"
    episodes: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    shares: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for row in world.tables["claims"]:
        task = batches[row["batch"]]["task"]
        place = (row["provider"], row["root"])
        episodes[(*place, row["work"], row["season"], row["episode"])].add(task)
        shares[(*place, row["share"])].add(task)
    for key, holders in (*episodes.items(), *shares.items()):
        if len(holders) > 1:
            yield f"tasks {sorted(holders)} both hold {key[2:]}"


def _contexts(world: World) -> Iterator[str]:
    for row in world.tables["tasks"]:
        size = len(row["context"].encode())
        if size > CONTEXT_LIMIT:
            yield f"the context of task {row['id']} has {size} bytes"


def _traces(world: World) -> Iterator[str]:
    """Each way is made of edges of the table, without a gap, and ends where the task is; rounds count along."""
    ways: dict[int, list[Row]] = defaultdict(list)
    for line in sorted(world.tables["trace"], key=lambda row: row["id"]):
        ways[line["task"]].append(line)
    for number, task in world.tasks.items():
        at: str | None = None
        rounds = 0
        sent = False
        for line in ways.get(number, []):
            origin, to = line["from_state"], line["to_state"]
            if origin != at:
                yield f"task {number} was {at}, then {line['code']} led from {origin} to {to}"
            note = origin == to
            if origin is not None and not note and State(to) not in EDGES[State(origin)]:
                yield f"task {number} went from {origin} to {to} ({line['code']})"
            rounds += not note and State(to) in RAISES_ROUND
            sent = sent or (to == "need_manual" and not note) or to == "stored"
            if sent and (to == "received" or (not note and line["actor"].startswith("source:"))):
                yield f"task {number} went to {to} after a send ({line['code']} by {line['actor']})"
            at = to
        if at != task["state"]:
            yield f"task {number} is {task['state']}, its trace ends in {at}"
        if task["round"] < rounds:
            yield f"task {number} is in round {task['round']} after {rounds} questions and starts"


def _receipts(world: World) -> Iterator[str]:
    """One received file belongs to one row of a manifest, was brought for it, and what landed is in the library."""
    batches = {row["id"]: row for row in world.tables["batches"]}
    folders = {node.id: name for line, name in _received(world) for node in line.nodes}
    stored = {row["file_id"] for row in world.tables["library"]}
    owners: dict[str, Row] = {}
    for row in world.tables["files"]:
        id_ = row["received_id"]
        if id_ is None:
            continue
        batch = batches[row["batch"]]
        if id_ in owners:
            yield f"{id_} is the receipt of {owners[id_]['path']} and of {row['path']}"
        owners[id_] = row
        if folders.get(id_) != batch["staging_name"]:
            yield f"{row['path']} of {batch['staging_name']} has a receipt from {folders.get(id_)}"
        here = world.drive.nodes.get(id_)
        counts = batch["phase"] == "landed" and row["placed"] not in ("left", "binned", "lost")
        if (
            counts
            and row["role"] == "video"
            and id_ not in stored
            and here is not None
            and here.parent != BIN
        ):
            # Its deletion may be decided and recorded, with its execution still to come.
            replaced = any(f"replaces:{id_}" == other["placed"] for other in world.tables["files"])
            if not replaced:
                yield f"{row['path']} of task {batch['task']} has landed and isn't in the library"
    for row in world.tables["library"]:
        if row["origin"] == "transferred" and row["file_id"] not in owners:
            yield f"the library counts on {row['file_id']} of task {row['task']}, which nobody received"


def _done(world: World) -> Iterator[str]:
    """A task that is done has everything filed that it wanted, or a person or the drive said that it can't."""
    parts: dict[int, list[Row]] = defaultdict(list)
    rows: dict[int, list[Row]] = defaultdict(list)
    codes: dict[int, set[str]] = defaultdict(set)
    for batch in world.tables["batches"]:
        parts[batch["task"]].append(batch)
    for row in world.tables["files"]:
        rows[row["batch"]].append(row)
    for line in world.tables["trace"]:
        codes[line["task"]].add(line["code"])
    for number, task in world.tasks.items():
        if task["state"] != "done":
            continue
        for batch in parts[number]:
            # A refused request's batch stays as a draft: the refusal may have been a lie.
            refused = batch["phase"] == "draft" and batch["sent"] is not None
            if batch["phase"] not in ("landed", "ended") and not refused:
                yield f"task {number} is done, its batch {batch['n']} is {batch['phase']}"
            if batch["phase"] != "landed":
                continue
            for row in rows[batch["id"]]:
                given_up = row["received_id"] is None and codes[number] & {
                    "accepted_partial",
                    "landed_partly",
                }
                if row["placed"] not in _SETTLED and not given_up:
                    yield f"task {number} is done, {row['path']} is {row['placed']}"
        if not any(batch["phase"] == "landed" for batch in parts[number]):
            yield f"task {number} is done and nothing has landed for it"


def _told(world: World) -> Iterator[str]:
    """The question of a state is written in the same moment as the state."""
    written = {(row["kind"], row["task"], row["round"]) for row in world.tables["outbox"]}
    for number, task in world.tasks.items():
        state, key = task["state"], (number, task["round"])
        if state == "pending_approval" and ("approval", *key) not in written:
            yield f"task {number} waits for an answer in round {task['round']} and nobody is asked"
        if state == "failed" and task["due_at"] is None and ("attention", *key) not in written:
            yield f"task {number} has failed in round {task['round']} and nobody is told"
        if state == "done" and ("result", *key) not in written:
            yield f"task {number} is done and nobody is told"
        if state == "need_manual" and task["lane"] is None and ("attention", *key) not in written:
            yield f"task {number} needs a person in round {task['round']} and nobody is told"


def _not_twice(world: World) -> Iterator[str]:
    """No film and no episode comes twice unless a person wanted it, or the rules replace the worse one."""
    tasks = world.tasks
    wanted = {
        number
        for number, row in tasks.items()
        if row["wanted_by"] or row["follows"] or json.loads(row["context"]).get("approved")
    }
    better = {number for number, row in tasks.items() if row["source"] in ("better", "inbox")}
    episodes: dict[tuple[Any, ...], dict[int, int]] = defaultdict(dict)
    for row in world.tables["library"]:
        if row["origin"] == "transferred":
            episodes[row["work"], row["season"], row["episode"]].setdefault(row["task"], row["added"])
    for key, holders in episodes.items():
        later = sorted(holders, key=lambda number: (holders[number], number))[1:]
        for number in later:
            if number not in wanted and number not in better and number in tasks:
                yield f"tasks {sorted(holders)} both brought {key}"


# -- after settling


def _rest(world: World, held: bool) -> Iterator[str]:
    """Nothing goes on forever: no task is active, no retry is due."""
    for number, task in world.tasks.items():
        if held and task["lane"] == "held":
            continue
        state = State(task["state"])
        if state in ACTIVE:
            waits = task["waits_for"]
            if waits is not None and any(claim for claim in world.tables["claims"]):
                continue
            yield f"task {number} is still {state} (lane {task['lane']}, due {task['due_at']}, waits {waits})"
        elif state is State.FAILED and task["due_at"] is not None:
            yield f"task {number} has failed and is to be retried"
        elif task["lane"] == "held":
            yield f"task {number} is held without a reason"


def _idle_claims(world: World, held: bool) -> Iterator[str]:
    """What a task that has come to an end held is free again."""
    batches = {row["id"]: row for row in world.tables["batches"]}
    for row in world.tables["claims"]:
        batch = batches[row["batch"]]
        state = State(world.tasks[batch["task"]]["state"])
        if state in _ENDED or state is State.FAILED:
            yield f"task {batch['task']} is {state} and holds a claim"
    for batch in batches.values():
        task = world.tasks[batch["task"]]
        if batch["phase"] in CHECKPOINTS and State(task["state"]) is not State.NEED_MANUAL:
            yield f"task {batch['task']} is {task['state']}, its batch {batch['n']} is {batch['phase']}"


def _alerts(world: World, held: bool) -> Iterator[str]:
    """Whoever was told that something is bad is told when it's good again."""
    for row in world.tables["alerts"]:
        if row["state"] != "ok":
            yield f"{row['category']} is mended and still counts as {row['state']} ({row['reason']})"


def _delivered(world: World) -> Iterator[str]:
    """Everything that was due has come, at least once; what has been answered is cleared."""
    for row in world.tables["outbox"]:
        if row["closed_at"] is None:
            if row["due_at"] <= world.now:
                yield f"{row['kind']} of task {row['task']} to {row['target']} is still to be sent"
        elif row["outcome"] == "dropped":
            # What clears a question makes room for the same question when it is asked anew.
            if row["reason"] != "asked_again" and (row["kind"] not in _ASKING or _is_open(world, row)):
                yield f"{row['kind']} of task {row['task']} to {row['target']} was dropped"
        elif row["outcome"] == "failed" and row["attempts"] < 7 and row["kind"] != "alert":
            yield f"{row['kind']} of task {row['task']} to {row['target']} was given up after {row['attempts']}"
    if world.delivered is None:
        return
    came = Counter((each.kind, each.task, each.round, each.target) for each in world.delivered)
    for row in world.tables["outbox"]:
        key = (row["kind"], row["task"], row["round"], row["target"])
        if row["outcome"] == "delivered" and not came[key]:
            yield f"{key} counts as delivered and never came"
    yield from _cleared(world)


def _is_open(world: World, row: Row) -> bool:
    task = world.tasks.get(row["task"])
    return task is not None and task["round"] == row["round"] and task["state"] in OPEN_IN[row["kind"]]


def _cleared(world: World) -> Iterator[str]:
    """Of a question that is over, the last thing that came to a target is that it's over."""
    given_up = {
        (row["task"], row["round"], row["target"])
        for row in world.tables["outbox"]
        if row["kind"] in ("clear", *_ASKING) and row["outcome"] == "failed"
    }
    told = {
        (row["kind"], row["task"], row["round"], row["target"]): row
        for row in world.tables["outbox"]
        if row["told"] and row["kind"] in _ASKING
    }
    last: dict[tuple[int, int, str], str] = {}
    for each in world.delivered or ():
        if each.kind in _ASKING or each.kind == "clear":
            last[each.task, each.round, each.target] = each.kind
    for (task, counter, target), kind in last.items():
        row = told.get((kind, task, counter, target))
        if kind == "clear" or row is None or (task, counter, target) in given_up:
            continue
        if not _is_open(world, row):
            yield f"{kind} of task {task} round {counter} is over and was never cleared from {target}"


def report(problems: Iterable[str]) -> str:
    return "\n".join(f"  - {problem}" for problem in problems)


__all__ = ["FOREVER", "Delivery", "World", "load", "read_tables", "report", "safety", "settled"]
