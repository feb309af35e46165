"""What can go wrong on the in-memory drive on demand: a table of faults that its verbs look into."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from ..model.decision import Code
from ..model.errors import Busy, Permanent, ReelayError, Scope, Transient, Unknown

#: The verbs that change the drive: without a clear answer they may have been executed.
WRITES = frozenset({"make_folder", "receive", "rename", "move", "trash", "add_downloads", "forget_downloads"})


class FaultKind(StrEnum):
    """How a call goes wrong."""

    #: Lost on the way: not executed, no answer.
    LOST_BEFORE = "lost_before"
    #: Executed, the answer is lost.
    LOST_AFTER = "lost_after"
    #: Executed, and answered with an error page; with `seconds` the account cools down afterwards.
    HTML = "html"
    #: Says accepted, does nothing.
    LIE_ACCEPTED = "lie_accepted"
    #: Refused in so many words: not executed.
    REFUSE_TRANSIENT = "refuse_transient"
    REFUSE_PERMANENT = "refuse_permanent"
    #: Not now: this task for `seconds`, or the whole account for `seconds`.
    BUSY_TASK = "busy_task"
    BUSY_ACCOUNT = "busy_account"
    #: The login is gone until somebody logs in.
    LOGIN_DEAD = "login_dead"
    #: Answers after `seconds`.
    SLOW = "slow"
    #: Only the share `keep` of the files ever lands.
    PARTIAL = "partial"
    #: Files land `seconds` later than usual.
    LATE = "late"
    #: Executed, and at that moment somebody else puts a file at `path`.
    GUEST = "guest"
    #: A listing answers with the root instead of the folder asked for.
    WRONG_FOLDER = "wrong_folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a verb, for predicates."""

    verb: str
    share: str = ""
    ids: tuple[str, ...] = ()
    into: str = ""


@dataclass(slots=True, kw_only=True)
class Fault:
    """A row of the table: which calls (`verb` "*" is any; `share`; `when`), how often (None: always), how.

    `code` replaces the kind's own code in the error, `path` is a guest's.
    """

    verb: str
    kind: str
    times: int | None = 1
    share: str | None = None
    when: Callable[[Call], bool] | None = None
    seconds: float = 0.0
    keep: float = 0.5
    path: str = ""
    code: Code | None = None

    def hits(self, call: Call) -> bool:
        """Whether this call goes wrong."""
        return (
            self.times != 0
            and self.verb in ("*", call.verb)
            and self.share in (None, call.share)
            and (self.when is None or self.when(call))
        )

    def use(self) -> None:
        """Count one time."""
        if self.times is not None:
            self.times -= 1


@dataclass(slots=True, kw_only=True)
class Course:
    """How one call will go: first wait, then perhaps fail; then execute, or lie; then perhaps lose the answer."""

    slow: float = 0.0
    late: float = 0.0
    keep: float = 1.0
    lie: bool = False
    guest: str | None = None
    wrong_folder: bool = False
    before: ReelayError | None = None
    after: ReelayError | None = None
    cooldown: float | None = None
    login_dead: bool = False
    call: Call = field(default_factory=lambda: Call(verb=""))


def course(faults: list[Fault], call: Call, now: int) -> Course:
    """Look up what happens to a call; every fault that takes part is used once, none after one that ends it."""
    plan = Course(call=call)
    for fault in faults:
        if plan.before is None and fault.hits(call):
            fault.use()
            _plan(plan, fault, now)
    return plan


def _plan(plan: Course, fault: Fault, now: int) -> None:
    write = plan.call.verb in WRITES
    until = now + round(fault.seconds * 1000)
    lost = Unknown(fault.code or Code.UNCLEAR) if write else Transient(fault.code or Code.DRIVE_ERROR)
    match FaultKind(fault.kind):
        case FaultKind.LOST_BEFORE:
            plan.before = lost
        case FaultKind.LOST_AFTER:
            plan.after = lost
        case FaultKind.HTML:
            plan.after = lost
            plan.cooldown = fault.seconds or None
        case FaultKind.LIE_ACCEPTED:
            plan.lie = True
        case FaultKind.REFUSE_TRANSIENT:
            plan.before = Transient(fault.code or Code.DRIVE_REFUSED)
        case FaultKind.REFUSE_PERMANENT:
            plan.before = Permanent(fault.code or Code.DRIVE_REFUSED)
        case FaultKind.BUSY_TASK:
            plan.before = Busy(fault.code or Code.DELETION_RUNNING, until=until, scope=Scope.TASK)
        case FaultKind.BUSY_ACCOUNT:
            plan.before = Busy(fault.code or Code.COOLDOWN, until=until, scope=Scope.ACCOUNT)
            plan.cooldown = fault.seconds
        case FaultKind.LOGIN_DEAD:
            plan.before = Busy(Code.LOGIN_DEAD, scope=Scope.ACCOUNT)
            plan.login_dead = True
        case FaultKind.SLOW:
            plan.slow += fault.seconds
        case FaultKind.PARTIAL:
            plan.keep = fault.keep
        case FaultKind.LATE:
            plan.late += fault.seconds
        case FaultKind.GUEST:
            plan.guest = fault.path
        case FaultKind.WRONG_FOLDER:
            plan.wrong_folder = True
