"""The place of a drive that isn't set up: understanding and previews work without one."""

from typing import Any

from ..model.decision import Code
from ..model.errors import Busy, Scope


class AbsentDrive:
    """Its gate counts as closed, so nothing asks it anything; whoever does is told that it isn't there."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, verb: str) -> Any:
        raise Busy(Code.PLUGIN_MISSING, scope=Scope.ACCOUNT, plugin=self.name)
