"""A life of Reelay in random steps: channels post, people answer, the drive fails, the process dies and comes back.

A run is a list of steps, each a name and a number that all its choices follow from, so that a failing run can be
repeated and made shorter.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from custom_components.reelay.core import app as app_module
from custom_components.reelay.core.app import App, Build
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_faults import Call, Course, Fault, FaultKind
from custom_components.reelay.core.drives.memory_state import Deed, LogLine
from custom_components.reelay.core.model.errors import CommandError
from custom_components.reelay.core.model.notice import ASKING, Notice
from custom_components.reelay.core.model.points import Point
from custom_components.reelay.core.model.states import Action
from custom_components.reelay.core.model.task import Actor
from custom_components.reelay.core.plugin_api import Answer, Contribution, ExtensionPoint, Plugin, TaskView
from custom_components.reelay.core.ports import NotifierBusy
from custom_components.reelay.core.store import tasks
from custom_components.reelay.core.transfer import prepare
from custom_components.reelay.core.transfer.naming import STAGING

from . import content, oracle
from .content import Item
from .oracle import Delivery, World
from .stage import Drive as DriveClock, InlineDatabase, Switch, VirtualClock

DRIVE = "demo"
HOUR = 3600.0
#: What is given for everything to settle: the 24 hours of a watch and the retries that may follow.
SETTLING = 30 * HOUR
#: Nothing may be pruned while a run is judged by what it wrote.
LONGEST = 4 * 24 * HOUR
PERSON = Actor(id="user:owner", interactive=True)

#: How often each step is drawn.
WEIGHTS = {
    "post": 14,
    "post_burst": 3,
    "repost": 2,
    "edit": 6,
    "edit_late": 3,
    "race": 5,
    "again": 3,
    "act": 14,
    "answer": 6,
    "ingest": 2,
    "fault": 10,
    "guest": 6,
    "restart": 2,
    "crash": 2,
    "crash_in_commit": 2,
    "crash_at_point": 3,
    "pause": 2,
    "blink": 1,
    "cooldown": 1,
    "login": 2,
    "skew": 1,
    "plugin": 2,
    "storage": 1,
    "notifier": 2,
    "unheard": 2,
    "wait": 14,
    "wait_long": 3,
}

type Step = tuple[str, int]


def draw(seed: int, length: int) -> list[Step]:
    """A run's steps."""
    random = Random(seed)
    names = random.choices(list(WEIGHTS), list(WEIGHTS.values()), k=length)
    return [(name, random.randrange(1 << 30)) for name in names]


class LeasedDrive(MemoryDrive):
    """The account outlives the process that uses it; a dead process asks it for nothing any more."""

    switch: Switch
    on_receive: Callable[[LogLine], None]

    async def _begin(self, call: Call) -> Course:
        await self._alive()
        plan = await super()._begin(call)
        await self._alive()
        return plan

    async def _end(self, plan: Course) -> None:
        await self._alive()
        await super()._end(plan)
        await self._alive()

    async def _do(self, line: LogLine) -> None:
        if line.deed is Deed.RECEIVE or line.deed is Deed.DOWNLOAD:
            self.on_receive(line)
        await super()._do(line)

    async def close(self) -> None:
        return None

    async def _alive(self) -> None:
        if self.switch.dead:
            await asyncio.get_running_loop().create_future()


class Phones:
    """The notifier: keeps what came, and fails in the way it's told to."""

    def __init__(self, clock: VirtualClock) -> None:
        self.came: list[Delivery] = []
        self.mode = "ok"
        self.switch: Switch
        self.judge: Callable[[Notice], None] = lambda notice: None
        self._clock = clock
        self._random = Random(7)

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        mode = self.mode
        if mode == "slow":
            await self._clock.sleep(self._random.random() * 5)
        if mode == "busy":
            raise NotifierBusy(20.0, counts=False)
        if mode == "fails" or (mode == "flaky" and self._random.random() < 0.5):
            raise OSError("nobody there")
        if self.switch.dead:
            await asyncio.get_running_loop().create_future()
        self.judge(notice)
        self.came.append(
            Delivery(kind=notice.kind.value, task=notice.task, round=notice.round, target=target)
        )
        if mode == "forgets" and self._random.random() < 0.3:
            raise OSError("it came, and the answer was lost")
        await asyncio.sleep(0)
        return f"r{len(self.came)}"


@dataclass
class Post:
    """A message as it stands in its channel now."""

    source: str
    number: int
    item: Item | None
    text: str
    edits: int = 0


class Watcher(logging.Handler):
    """Whatever is logged as an error is a fault of ours."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1]:
            text += f": {record.exc_info[1]!r}"
        self.said.append(text)


@dataclass(kw_only=True)
class Machine:
    """One run. `steps` are carried out in order; `problems` is what the oracle says, empty when all is well."""

    folder: Path
    seed: int = 1
    check_every: int = 4
    problems: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = VirtualClock(seed=self.seed)
        # Some accounts refuse what they have received before, others take anything.
        self.drive = content.drive(DriveClock(self.clock), already=("all", None, "any", None)[self.seed % 4])
        self.drive.__class__ = LeasedDrive
        self.drive.on_receive = self._check_checkpoint
        self.settings = content.LiveSettings()
        self.phones = Phones(self.clock)
        self.phones.judge = self._check_question
        self.posts: list[Post] = []
        self.acknowledged: set[tuple[str, str]] = set()
        self.running: set[asyncio.Task[None]] = set()
        self.point: Point | None = None
        self.has_helper = self.has_storage = True
        self.watcher = Watcher()
        self.count = 0
        self.switch: Switch
        self.app: App

    async def run(self, steps: Sequence[Step]) -> list[str]:
        """Carry the steps out, let everything settle, and judge."""
        logger = logging.getLogger("custom_components.reelay")
        logger.addHandler(self.watcher)
        logger.setLevel(logging.ERROR)
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.watcher.said.append(str(context)))
        before, slice_ = app_module.Database, prepare.SLICE
        app_module.Database = InlineDatabase  # type: ignore[misc, assignment]
        # Every third life writes its manifests in slices, as others do for hundreds of files.
        prepare.SLICE = 3 if self.seed % 3 == 0 else slice_
        try:
            await self._start()
            for name, number in steps:
                await self._step(name, Random(number))
                if self.problems:
                    return self.problems
            await self._finish()
        finally:
            self.switch.dead = True
            await self.app.stop()
            for task in self.running:
                task.cancel()
            app_module.Database, prepare.SLICE = before, slice_  # type: ignore[misc]
            logger.removeHandler(self.watcher)
        return self.problems

    # -- the process

    async def _start(self) -> None:
        self.switch = Switch(Random(self.seed))
        InlineDatabase.switch = self.drive.switch = self.phones.switch = self.switch
        plugins = []
        if self.has_storage:
            plugins.append(self._storage())
        if self.has_helper:
            plugins.append(self._helper())
        self.point = None
        self.app = await App.start(
            Build(
                folder=self.folder,
                clock=self.clock,
                settings=self.settings,
                notifiers={"phone": self.phones},
                plugins=tuple(plugins),
                probe=self._probe,
            )
        )
        self.app.begin()

    def _storage(self) -> Plugin:
        point = Contribution(point=ExtensionPoint.STORAGE, name=DRIVE, provider=lambda around: self.drive)
        return Plugin(name="demo_drive", contributions=(point,))

    def _helper(self) -> Plugin:
        async def look(view: TaskView) -> Answer | None:
            if view.id % 5 == 4:
                raise RuntimeError("a stranger's fault")
            return Answer(state={"seen": view.state_name}) if view.id % 2 else None

        points = (ExtensionPoint.AFTER_PARSE, ExtensionPoint.BEFORE_SAVE, ExtensionPoint.AFTER_SAVE)
        return Plugin(
            name=content.PLUGIN,
            contributions=tuple(Contribution(point=point, name="helper", provider=look) for point in points),
        )

    async def _probe(self, point: Point) -> None:
        if point is self.point:
            self.switch.dead = True
        if self.switch.dead:
            await asyncio.get_running_loop().create_future()

    async def _revive(self) -> None:
        """The process is gone; what it left behind is all there is."""
        self.switch.dead = True
        await self.app.stop()
        for task in tuple(self.running):
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)
        await self._start()

    async def _step(self, name: str, random: Random) -> None:
        self.count += 1
        self.history.append(f"{self.count}. {name}")
        await getattr(self, f"do_{name}")(random)
        await self._let(random)
        if self.switch.dead:
            self.history.append("   the process dies and starts anew")
            self._check()
            await self._revive()
        if self.count % self.check_every == 0:
            self._check()
        if self.watcher.said:
            self.problems += [f"logged: {text}" for text in self.watcher.said]

    async def _let(self, random: Random) -> None:
        """Some turns, everything that can be done now, or a while."""
        match random.randrange(5):
            case 0:
                await self.clock.settle(random.randrange(60))
            case 1:
                await self.clock.settle(random.randrange(600))
            case 2:
                await self.clock.settle()
            case 3:
                await self._pass(random.random() * 3)
            case 4:
                await self._pass(random.random() * 90)

    async def _pass(self, seconds: float) -> None:
        if self.clock.monotonic() < LONGEST:
            await self.clock.advance(seconds)

    def _spawn(self, what: Awaitable[None]) -> None:
        task = asyncio.ensure_future(what)
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    # -- judging

    def world(self) -> World:
        return World(
            lines=self.drive._state.lines,
            tables=oracle.read_tables(InlineDatabase.opened.tx),
            now=self.clock.now() - round(self.clock.skew * 1000),
            delivered=self.phones.came,
            acknowledged=self.acknowledged,
        )

    def _check(self) -> None:
        if not self.problems:
            self.problems += oracle.safety(self.world())

    def _check_checkpoint(self, line: LogLine) -> None:
        """A request is executed: the database must know already."""
        name = self.drive._state.nodes[line.into].name
        rows = InlineDatabase.opened.tx.execute("SELECT phase FROM batches WHERE staging_name = ?", (name,))
        phases = [row[0] for row in rows.fetchall()]
        if phases[-1:] != ["receiving"]:
            self.problems.append(f"a request into {name} leaves while its batch is {phases}")

    def _check_question(self, notice: Notice) -> None:
        """A question comes: it mustn't have been over for long."""
        task = tasks.get(InlineDatabase.opened.tx, notice.task) if notice.kind in ASKING else None
        if task is None or self.clock.now() - task.updated < 60_000:
            return
        if task.round != notice.round or task.state.value not in oracle.OPEN_IN[notice.kind.value]:
            self.problems.append(
                f"{notice.kind} of task {task.id} round {notice.round} came long after it was over"
            )

    async def _finish(self) -> None:
        """Everything is mended and gets its time."""
        self.history.append("settling")
        self.drive.faults.clear()
        await self.drive.log_in()
        self.settings.pausing = False
        self.phones.mode = "ok"
        self.has_helper = self.has_storage = True
        self.clock.skew = max(0.0, self.clock.skew)
        await self._revive()
        self.app.drive_ready(DRIVE)
        await self.clock.advance(SETTLING)
        self.problems += oracle.settled(self.world())
        if self.watcher.said:
            self.problems += [f"logged: {text}" for text in self.watcher.said]
        backlog = self.app.snapshot.outbox_backlog
        tables = oracle.read_tables(InlineDatabase.opened.tx)
        counts: dict[str, int] = {}
        for row in tables["tasks"]:
            counts[row["state"]] = counts.get(row["state"], 0) + 1
        shown = {state.value: count for state, count in self.app.snapshot.counts.items() if count}
        if shown != counts or backlog != sum(row["closed_at"] is None for row in tables["outbox"]):
            self.problems.append(f"the numbers shown are {shown}, backlog {backlog}; there are {counts}")

    # -- channels

    def _item(self, random: Random) -> Item:
        kind = random.choice("ffffffffsssssttgggdmu")
        return Item(kind, random.randrange(8), random.randrange(4), random.choice((2, 3, 5)))

    async def _deliver(self, *posts: Post) -> None:
        now = self.clock.now()
        batch = tuple(
            content.message(post.source, post.number, post.text, now, now if post.edits else None)
            for post in posts
        )

        async def deliver() -> None:
            await self.app.intake.deliver(batch)
            self.acknowledged |= {(post.source, str(post.number)) for post in posts}

        self._spawn(deliver())

    def _new_post(self, random: Random, source: str) -> Post:
        number = len(self.posts) + 1
        chance = random.random()
        item: Item | None = self._item(random)
        assert item is not None
        if chance < 0.04:
            post = Post(
                source, number, None, "🔥【限时】年费VIP 99元，全站4K原盘随便存！\n购买联系 @seller #推广"
            )
        elif chance < 0.08:
            post = Post(source, number, None, "📢 今日共更新【12】条资源\n\n本频道实时更新")
        elif chance < 0.16:
            post = Post(source, number, None, content.ed2k(random.randrange(8), random.choice((1, 3))))
        elif chance < 0.24:
            other = self._item(random)
            post = Post(source, number, item, f"{item.text()}\n\n{other.title} ({other.year})\n{other.link}")
        else:
            post = Post(source, number, item, item.text())
        self.posts.append(post)
        return post

    async def do_post(self, random: Random) -> None:
        post = self._new_post(random, random.choice(list(content.SOURCES)))
        self.history.append(f"   {post.source}/{post.number}: {post.text[:60]!r}")
        await self._deliver(post)

    async def do_post_burst(self, random: Random) -> None:
        source = random.choice(list(content.SOURCES))
        await self._deliver(*(self._new_post(random, source) for _ in range(random.randrange(2, 7))))

    async def do_repost(self, random: Random) -> None:
        if self.posts:
            await self._deliver(random.choice(self.posts))

    async def do_edit(self, random: Random) -> None:
        posts = [post for post in self.posts if post.item is not None]
        if not posts:
            return
        late = self._posts_of("sent AND state IN ('failed', 'need_manual')") if random.random() < 0.5 else []
        await self._edit(random.choice(late or posts[-6:]), random)

    async def _edit(self, post: Post, random: Random) -> None:
        item = post.item
        assert item is not None
        post.edits += 1
        match random.randrange(5):
            case 0:
                post.text = item.text(item.episodes + 2)
            case 1:
                post.text = self._item(random).text()
            case 2:
                post.text = item.expired()
            case 3:
                post.text = f"{item.text()}\n{self._item(random).link}"
            case 4:
                post.text = item.text()
        self.history.append(f"   {post.source}/{post.number}: {post.text[:60]!r}")
        await self._deliver(post)

    def _posts_of(self, where: str) -> list[Post]:
        rows = InlineDatabase.opened.tx.execute(
            "SELECT m.source, m.message_id FROM tasks t JOIN messages m ON m.id = t.message"
            f" WHERE {where} ORDER BY t.id"
        )
        known = {(post.source, str(post.number)): post for post in self.posts if post.item is not None}
        return [known[row] for row in rows.fetchall() if row in known]

    async def do_race(self, random: Random) -> None:
        """Somebody acts on a task, or its message changes, in the middle of something that takes its time."""
        verb = random.choice(
            ("list_share", "list_share", "find_folder", "make_folder", "receive", "list_tree")
        )
        self.drive.faults.append(Fault(verb=verb, kind=FaultKind.SLOW, seconds=20, times=2))
        await self.do_post(random)
        await self.clock.settle()
        await self._pass(random.choice((0, 1, 15)))
        if self.switch.dead:
            return
        found = self._tasks("state NOT IN ('done', 'rejected')")
        if found and random.random() < 0.7:
            number, counter, state = random.choice(found[-3:])
            action = random.choice(
                (Action.ABANDON, Action.ABANDON, Action.APPROVE, Action.IGNORE, Action.RETRY)
            )
            self.history.append(f"   {verb} is slow, {action} of task {number} ({state})")
            await self._command(random, action, number, counter)
        else:
            self.history.append(f"   {verb} is slow")
            for post in [post for post in self.posts if post.item is not None][-1:]:
                await self._edit(post, random)
        await self.clock.settle(random.randrange(300))

    async def do_edit_late(self, random: Random) -> None:
        """A message changes after its request was sent, while its files can't be filed."""
        verb = random.choice(("rename", "move"))
        self.drive.faults.append(Fault(verb=verb, kind=FaultKind.LOST_BEFORE, times=2))
        await self.do_post(random)
        await self.clock.settle()
        await self._pass(3)
        for post in self._posts_of("sent AND state IN ('failed', 'organizing')")[-1:]:
            await self._edit(post, random)

    # -- people

    def _tasks(self, where: str = "1") -> list[tuple[int, int, str]]:
        rows = InlineDatabase.opened.tx.execute(
            f"SELECT id, round, state FROM tasks WHERE {where} ORDER BY id"
        )
        return [tuple(row) for row in rows.fetchall()]

    async def do_act(self, random: Random) -> None:
        """Somebody does something to a task, allowed or not, perhaps twice, perhaps to an older question."""
        found = self._tasks()
        if not found:
            return
        number, counter, state = random.choice(found[-12:])
        action = random.choice([*Action, "ingest_again"])
        await self._command(random, action, number, counter)
        if random.random() < 0.2:
            await self._command(random, action, number, counter)
        self.history.append(f"   {action} of task {number} ({state})")

    async def do_unheard(self, random: Random) -> None:
        """A question is answered before anybody could be told of it."""
        self.phones.mode = "fails"
        item = self._item(random)
        post = Post("always", len(self.posts) + 1, item, item.text())
        self.posts.append(post)
        await self._deliver(post)
        await self.clock.settle()
        await self._pass(2)
        asked = self._tasks("state = 'pending_approval'")
        if asked and not self.switch.dead:
            await self._command(random, random.choice((Action.APPROVE, Action.IGNORE)), *asked[-1][:2])
        await self._pass(random.choice((1, 100)))
        self.phones.mode = "ok"

    async def do_again(self, random: Random) -> None:
        """Somebody wants what there is already once more, and says yes to the question that follows."""
        done = self._tasks("state = 'done'")
        if not done:
            return
        number, counter, _ = random.choice(done)
        self.history.append(f"   task {number}")
        await self._command(random, "ingest_again", number, counter)
        await self.clock.settle()
        await self._pass(2)
        asked = self._tasks("state = 'pending_approval' AND wanted_by IS NOT NULL")
        if asked and not self.switch.dead:
            await self._command(random, Action.APPROVE, *asked[-1][:2])

    async def do_answer(self, random: Random) -> None:
        """Somebody answers a question that is open."""
        found = self._tasks("state IN ('pending_approval', 'need_manual', 'failed')")
        if not found:
            return
        number, counter, state = random.choice(found)
        match state:
            case "pending_approval":
                action = random.choice((Action.APPROVE, Action.APPROVE, Action.IGNORE, Action.CORRECT))
            case "need_manual":
                action = random.choice((Action.VERIFY, Action.VERIFY, Action.REORGANIZE, Action.ABANDON))
            case _:
                action = random.choice((Action.RETRY, Action.RETRY, Action.CORRECT, Action.ABANDON))
        self.history.append(f"   {action} of task {number} ({state})")
        await self._command(random, action, number, counter)

    async def _command(self, random: Random, action: str, number: int, counter: int) -> None:
        commands = self.app.commands
        given = random.choice((None, counter, counter, counter - 1))
        conflict = random.choice((None, "keep_both", "skip", "replace_if_better"))
        calls: dict[str, Callable[[], Awaitable[Any]]] = {
            "approve": lambda: commands.approve(PERSON, number, round=given),
            "ignore": lambda: commands.ignore(PERSON, number, round=given),
            "correct": lambda: commands.correct(
                PERSON, number, round=given, title=self._item(Random(number)).title, kind="film", year=1999
            ),
            "verify": lambda: commands.verify(PERSON, number, accept_partial=given is None),
            "retry": lambda: commands.retry(PERSON, number),
            "reorganize": lambda: commands.reorganize(PERSON, number, conflict=conflict),
            "reidentify": lambda: commands.reidentify(PERSON, number),
            "assign_files": lambda: commands.assign_files(
                PERSON,
                number,
                files=[{"path": self._path_of(number), "season": 1, "episode": number % 3 + 1}],
            ),
            "receive_code": lambda: commands.receive_code(PERSON, number, code=content.ACCESS),
            "abandon": lambda: commands.abandon(PERSON, number),
            "ingest_again": lambda: commands.ingest_again(PERSON, number),
        }
        takes_round = action in ("approve", "ignore", "correct")
        known = InlineDatabase.opened.tx.execute(
            "SELECT round FROM tasks WHERE id = ?", (number,)
        ).fetchone()[0]

        async def carry_out() -> None:
            try:
                await calls[action]()
            except CommandError:
                return
            if takes_round and given is not None and given < known:
                self.problems.append(
                    f"{action} of task {number} for round {given} was taken in round {known}"
                )

        self._spawn(carry_out())

    def _path_of(self, number: int) -> str:
        task = tasks.get(InlineDatabase.opened.tx, number)
        share = task.context.offer.share if task else None
        found = content.read(share.code) if share else None
        return found.files[0].path if found else "x.mkv"

    async def do_ingest(self, random: Random) -> None:
        item = self._item(random)

        async def ingest() -> None:
            try:
                await self.app.commands.ingest(PERSON, text=item.text())
            except CommandError:
                return

        self._spawn(ingest())

    # -- the drive and the world

    async def do_fault(self, random: Random) -> None:
        fault = content.fault(random)
        self.history.append(f"   {fault.verb} {fault.kind} {fault.seconds} times {fault.times}")
        self.drive.faults.append(fault)

    async def do_guest(self, random: Random) -> None:
        """Somebody saves a film by hand, at once or while it is on its way."""
        chance = random.random()
        landing = self._staging() if chance < 0.4 else []
        if landing:
            await self.drive.put(f"{random.choice(landing)}/notes.txt", 100)
            return
        path = content.guest_path(Item("f", random.randrange(8)))
        if chance < 0.6:
            await self.drive.put(path, 700 * content.MIB)
            return
        into = path.rpartition("/")[2].removesuffix(".mkv")
        wanted = {item.code for variant in range(4) for item in self._variants(into, variant)}
        fault = Fault(verb="receive", kind=FaultKind.GUEST, path=path, when=lambda call: call.share in wanted)
        self.drive.faults.append(fault)

    def _staging(self) -> list[str]:
        """Staging folders in which something lies."""
        paths = [
            entry.path for entry in self.drive.tree() if f"/{STAGING}/" in entry.path and not entry.folder
        ]
        return sorted({path.rpartition("/")[0] for path in paths})

    def _variants(self, head: str, variant: int) -> Iterator[Item]:
        for work in range(8):
            for episodes in (2, 3, 5):
                item = Item("f", work, variant, episodes)
                if f"{item.title} ({item.year})" == head:
                    yield item

    async def do_cooldown(self, random: Random) -> None:
        await self.drive.cool_down(random.choice((60, 600, 4000)))

    async def do_login(self, random: Random) -> None:
        if self.drive._state.logged_in:
            await self.drive.log_in(alive=False)
        else:
            await self.drive.log_in()
            self.app.drive_ready(DRIVE)

    async def do_pause(self, random: Random) -> None:
        self.settings.pausing = not self.settings.pausing
        self.history.append(f"   {self.settings.pausing}")
        self.app.settings_changed()

    async def do_blink(self, random: Random) -> None:
        """The switch is moved there and back again."""
        for _ in range(2):
            self.settings.pausing = not self.settings.pausing
            self.app.settings_changed()
            await self.clock.settle(random.randrange(4))
        await self.clock.settle()
        if not self.switch.dead and self.app._gates.paused != self.settings.pausing:
            self.problems.append(f"paused is {self.app._gates.paused}, the switch is {self.settings.pausing}")

    async def do_skew(self, random: Random) -> None:
        self.clock.skew = random.choice((-20.0, 0.0, 30.0))

    async def do_plugin(self, random: Random) -> None:
        if self.has_helper:
            self.app.remove_plugin(content.PLUGIN)
        else:
            self.app.add_plugin(self._helper())
        self.has_helper = not self.has_helper

    async def do_storage(self, random: Random) -> None:
        if self.has_storage:
            self.app.remove_plugin("demo_drive")
        else:
            self.app.add_plugin(self._storage())
        self.has_storage = not self.has_storage

    async def do_notifier(self, random: Random) -> None:
        self.phones.mode = random.choice(("ok", "fails", "flaky", "busy", "slow", "forgets"))
        self.history.append(f"   {self.phones.mode}")

    # -- the process

    async def do_restart(self, random: Random) -> None:
        await self.app.stop()
        await asyncio.gather(*self.running, return_exceptions=True)
        self._check_closed()
        await self._start()

    def _check_closed(self) -> None:
        others = {task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("reelay")}
        if others:
            self.problems.append(f"left running after a stop: {sorted(others)}")

    async def do_crash(self, random: Random) -> None:
        await self.clock.settle(random.randrange(200))
        self.switch.dead = True

    async def do_crash_in_commit(self, random: Random) -> None:
        self.switch.commits_left = random.randrange(1, 12)

    async def do_crash_at_point(self, random: Random) -> None:
        self.point = random.choice(list(Point))
        self.history.append(f"   at {self.point}")

    # -- time

    async def do_wait(self, random: Random) -> None:
        await self._pass(random.choice((1, 10, 60, 130, 600)))

    async def do_wait_long(self, random: Random) -> None:
        seconds = random.choice((HOUR, 6 * HOUR, 26 * HOUR))
        if random.random() < 0.3 and self.clock.monotonic() < LONGEST:
            self.clock.jump(seconds)
        else:
            await self._pass(seconds)
