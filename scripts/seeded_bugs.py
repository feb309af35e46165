"""Seeded bugs: each is a small change to a copy of core, and each must be noticed within a bounded time.

First the random lives of tests.core.invariants are tried, then the kills of tests.core.crash. A bug that neither
notices has survived, and the script ends with 1; so it does when a bug's place in the source can't be found any more.
"""

import argparse
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
CORE = Path("custom_components/reelay/core")
NEEDED = ("tests/fakes", "tests/core/invariants", "tests/core/crash")
SINGLE = ("tests/__init__.py", "tests/core/__init__.py", "tests/core/light.py")
MEMORY = Path("/dev/shm")
RECORDED = (
    "        await self._record_deletion([replace(file, placed=filing.BINNED) for file in files], ids)\n"
)


@dataclass(frozen=True, kw_only=True)
class Bug:
    """A name, and per file the texts to be replaced; each must be there exactly once.

    `kills_first`: the moment in which it shows is so short that random lives seldom end in it.
    """

    name: str
    changes: Sequence[tuple[str, str, str]]
    kills_first: bool = False


BUGS = (
    Bug(
        name="the checkpoint comes after the send",
        changes=(
            (
                "pipeline/transfer.py",
                "    await stage.probe(Point.BEFORE_CHECKPOINT_COMMIT)\n",
                (
                    "    answer = await send(lambda: request(folder))\n"
                    "    await stage.probe(Point.BEFORE_CHECKPOINT_COMMIT)\n"
                ),
            ),
            (
                "pipeline/transfer.py",
                "    await stage.probe(Point.BEFORE_SEND)\n    answer = await send(lambda: request(folder))\n",
                "    await stage.probe(Point.BEFORE_SEND)\n",
            ),
        ),
    ),
    Bug(
        name="a claim is not released when its batch has landed",
        changes=(("transfer/receipt.py", "    claims.release_batch(tx, batch.id)\n", ""),),
    ),
    Bug(
        name="a claim is not released when its task is abandoned",
        changes=(
            (
                "pipeline/recheck.py",
                "            claim_rows.release_batch(tx, batch.id)\n            ended = ",
                "            ended = ",
            ),
        ),
    ),
    Bug(
        name="claims are taken without a look at other tasks",
        changes=(
            (
                "transfer/claims.py",
                "        if found:\n            raise Taken",
                "        if False:\n            raise Taken",
            ),
        ),
    ),
    Bug(
        name="the round is not raised by a question",
        changes=(("pipeline/transition.py", "            counter += state in RAISES_ROUND\n", ""),),
    ),
    Bug(
        name="an answer to an older round counts",
        changes=(
            ("commands.py", "        if round is not None and round != now.round:\n", "        if False:\n"),
        ),
    ),
    Bug(
        name="the compare-and-set compares nothing",
        changes=(
            (
                "store/tasks.py",
                '_WHERE = "WHERE id = ? AND state = ? AND round = ?"',
                "_WHERE = \"WHERE id = ? AND ? <> '' AND ? >= 0\"",
            ),
        ),
    ),
    Bug(
        name="the outbox is written in a transaction of its own",
        changes=(
            (
                "pipeline/mover.py",
                "        self.announce(tuple(recorder.changes))\n        return result\n",
                (
                    "        await self._db.run(lambda tx: [tell(tx) for tell in recorder.later])\n"
                    "        self.announce(tuple(recorder.changes))\n        return result\n"
                ),
            ),
            (
                "pipeline/transition.py",
                "    changes: list[Change] = field(default_factory=list)\n",
                (
                    "    changes: list[Change] = field(default_factory=list)\n"
                    "    later: list[Any] = field(default_factory=list)\n"
                ),
            ),
            (
                "pipeline/transition.py",
                "        self.tell(tx, notice)\n",
                (
                    "        self.told = True\n"
                    "        self.later.append(lambda tx: outbox.add(tx, notice, self.targets, self.now))\n"
                ),
            ),
        ),
    ),
    Bug(
        name="a request without an answer is sent again",
        changes=(
            (
                "transfer/send.py",
                "        words = await request()\n",
                (
                    "        try:\n            words = await request()\n"
                    "        except (AlreadyReceived, Busy, Transient, Permanent):\n            raise\n"
                    "        except ReelayError:\n            words = await request()\n"
                ),
            ),
        ),
    ),
    Bug(
        name="a request that was cut by a crash is prepared and sent anew",
        kills_first=True,
        changes=(
            (
                "transfer/prepare.py",
                "if one.phase in (Phase.DRAFT, Phase.PREPARED)]\n    for batch in old:",
                "if one.phase in (Phase.DRAFT, Phase.PREPARED, Phase.RECEIVING)]\n    for batch in old:",
            ),
            (
                "transfer/prepare.py",
                "        if batch.phase not in (Phase.DRAFT, Phase.PREPARED)\n",
                "        if batch.phase not in (Phase.DRAFT, Phase.PREPARED, Phase.RECEIVING)\n",
            ),
            (
                "transfer/record.py",
                "if batch.phase in CHECKPOINTS), None)",
                "if batch.phase in CHECKPOINTS - {Phase.RECEIVING}), None)",
            ),
        ),
    ),
    Bug(
        name="a receipt is written without its library rows",
        changes=(
            (
                "transfer/receipt.py",
                "    library.add(tx, batch.provider, batch.root, stored_rows(batch.task, files), now)\n",
                "",
            ),
        ),
    ),
    Bug(
        name="a draft left by a crash is kept and goes on with the new one",
        changes=(
            (
                "transfer/prepare.py",
                "    batches.drop_drafts(tx, order.task)\n    interned",
                "    interned",
            ),
        ),
    ),
    Bug(
        name="already received is taken for success",
        changes=(
            (
                "pipeline/transfer.py",
                "    if seen is not None and seen.complete:\n        return await arrived",
                "    if seen is not None:\n        return await arrived",
            ),
        ),
    ),
    Bug(
        name="a file is deleted before its deletion is recorded",
        kills_first=True,
        changes=(
            (
                "transfer/organize.py",
                f"{RECORDED}        await self._trash(ids)\n",
                f"        await self._trash(ids)\n{RECORDED}",
            ),
        ),
    ),
    Bug(
        name="the old release is deleted before the new one is recorded",
        kills_first=True,
        changes=(
            (
                "transfer/organize.py",
                (
                    "        if recorded:\n            await self._record_deletion(recorded, rivals)\n"
                    "        await self._trash([id_ for id_ in rivals if id_ in there])\n"
                ),
                (
                    "        await self._trash([id_ for id_ in rivals if id_ in there])\n"
                    "        if recorded:\n            await self._record_deletion(recorded, rivals)\n"
                ),
            ),
        ),
    ),
    Bug(
        name="a staging folder is deleted without a look into it",
        changes=(
            (
                "transfer/staging.py",
                "        if await drive.list_folder(folder):\n            return False\n",
                "        await drive.list_folder(folder)\n",
            ),
        ),
    ),
    Bug(
        name="questions that are over are sent nevertheless",
        changes=(
            (
                "notify/dispatcher.py",
                "    return retrying or task.round",
                "    return False and task.round",
            ),
        ),
    ),
    Bug(
        name="a notice counts as delivered before it is sent",
        changes=(
            (
                "notify/dispatcher.py",
                "                receipt = await notifier.send(row.target, row.notice, facts)\n",
                (
                    "                await self._db.run(lambda tx: outbox.deliver(tx, row.id, None, now))\n"
                    "                receipt = await notifier.send(row.target, row.notice, facts)\n"
                ),
            ),
        ),
    ),
    Bug(
        name="an edit after a send starts the task anew",
        changes=(("pipeline/intake.py", "        if old.sent:\n            continue\n", ""),),
    ),
    Bug(
        name="a message is acknowledged before it is durable",
        changes=(
            (
                "pipeline/intake.py",
                "        await self.take(batch)\n",
                "        self._late = asyncio.ensure_future(self.take(batch))\n",
            ),
        ),
    ),
    Bug(
        name="who waits for a claim is not woken, nor looked at again",
        changes=(
            (
                "pipeline/transition.py",
                "        for waiting in tasks.waiting_for(tx, holder):\n",
                "        for waiting in ():\n",
            ),
            ("pipeline/preparing.py", "WAIT_MS = 24 * 3_600_000\n", "WAIT_MS = 240 * 3_600_000\n"),
        ),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """By what a bug was noticed, after how long, and what was said; `by` None: it survived."""

    bug: Bug
    by: str | None
    seconds: float
    words: str


def copy(into: Path) -> None:
    shutil.copytree(ROOT / CORE, into / CORE, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in NEEDED:
        shutil.copytree(ROOT / folder, into / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in SINGLE:
        shutil.copy(ROOT / file, into / file)


def plant(bug: Bug, into: Path) -> str | None:
    """Put the bug in; what is wrong where it doesn't fit."""
    for name, old, new in bug.changes:
        file = into / CORE / name
        text = file.read_text()
        if text.count(old) != 1:
            return f"{name} has its place {text.count(old)} times"
        file.write_text(text.replace(old, new))
    return None


def call(into: Path, *arguments: str, limit: float) -> str:
    """What a module says when it's run in the copy; nothing if it takes too long."""
    command = [sys.executable, "-B", "-m", *arguments]
    try:
        done = subprocess.run(command, check=False, cwd=into, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout + done.stderr


def judge(bug: Bug, seconds: float) -> Verdict:
    began = time.monotonic()
    with TemporaryDirectory(prefix="reelay-bug-", dir=MEMORY if MEMORY.is_dir() else None) as name:
        into = Path(name)
        copy(into)
        if misfit := plant(bug, into):
            return Verdict(bug=bug, by=None, seconds=0, words=misfit)
        said = ""
        for trial in (_kills, _lives) if bug.kills_first else (_lives, _kills):
            by, found, words = trial(into, seconds)
            said += words
            if found:
                return Verdict(bug=bug, by=by, seconds=time.monotonic() - began, words=found)
        last = said.strip().splitlines()[-1:] or ["nothing was said"]
        return Verdict(bug=bug, by=None, seconds=time.monotonic() - began, words=last[0])


def _lives(into: Path, seconds: float) -> tuple[str, str | None, str]:
    arguments = ("--runs", "100000", "--shorten", "0", "--seconds", str(seconds))
    said = call(into, "tests.core.invariants", *arguments, limit=seconds + 60)
    found = re.search(r"^seed (\d+):\n {2}- (.*)", said, re.MULTILINE)
    return "random lives", f"seed {found[1]}: {found[2]}" if found else None, said


def _kills(into: Path, seconds: float) -> tuple[str, str | None, str]:
    said = call(into, "tests.core.crash", limit=120 + seconds)
    found = re.search(r"^killed at (\w+), visit (\d+):\n {2}- (.*)", said, re.MULTILINE)
    return "kills", f"{found[1]} {found[2]}: {found[3]}" if found else None, said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="bugs whose names contain one of these")
    parser.add_argument("--seconds", type=float, default=90, help="of random lives per bug before the kills")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    chosen = [bug for bug in BUGS if not options.only or any(part in bug.name for part in options.only)]
    healthy = Bug(name="no bug at all", changes=())
    survived = []
    with ThreadPoolExecutor(options.workers) as pool:
        jobs = [(healthy, min(options.seconds, 20.0)), *((bug, options.seconds) for bug in chosen)]
        for verdict in pool.map(lambda job: judge(*job), jobs):
            by = verdict.by or "-"
            print(
                f"{verdict.bug.name:<64} {by:<12} {verdict.seconds:5.1f} s  {verdict.words[:150]}", flush=True
            )
            if (verdict.by is None) is not (verdict.bug is healthy):
                survived.append(verdict.bug.name)
    print()
    if survived:
        print("Not as it should be: " + "; ".join(survived))
        return 1
    print(f"All {len(chosen)} bugs were noticed, and without one nothing was.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
