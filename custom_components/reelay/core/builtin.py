"""What ships as replaceable, registered through the same points as a stranger's plugin."""

from pathlib import Path

from .drives.memory import MemoryDrive
from .plugged import Surroundings
from .plugin_api import Contribution, ExtensionPoint, Plugin
from .sources.demo import DemoSource
from .sources.samples import demo_drive

DEMO = "demo"
DRIVE_FILE = "drive.jsonl"


def demo_plugins(root: str, *, pace: float = 1.0) -> tuple[Plugin, ...]:
    """The demo: a drive in memory whose state is kept beside the database, and a source of sample messages."""

    def drive(around: Surroundings) -> MemoryDrive:
        return demo_drive(around.clock, Path(around.folder) / DRIVE_FILE, pace=pace, root=root)

    def source(around: Surroundings) -> DemoSource:
        return DemoSource(pace=pace)

    return (
        Plugin(
            name="demo_drive",
            contributions=(Contribution(point=ExtensionPoint.STORAGE, name=DEMO, provider=drive),),
        ),
        Plugin(
            name="demo_source",
            contributions=(Contribution(point=ExtensionPoint.SOURCE, name=DEMO, provider=source),),
        ),
    )
