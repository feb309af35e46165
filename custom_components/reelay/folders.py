"""Where Reelay keeps its data: never inside its own package, which every update replaces."""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from homeassistant.core import HomeAssistant

from .const import DOMAIN, Mode

#: The database and the files SQLite keeps beside it.
DATABASE_FILES = ("reelay.db", "reelay.db-wal", "reelay.db-shm", "reelay.db-journal")


@dataclass(frozen=True, slots=True)
class Folders:
    """`data` holds what must not be lost and goes into backups, `cache` what can be fetched again."""

    data: Path
    cache: Path


def folders(hass: HomeAssistant, mode: Mode) -> Folders:
    """The demo has its own folders, so that its samples never mix with the owner's library."""
    data, cache = Path(hass.config.path(DOMAIN)), Path(hass.config.cache_path(DOMAIN))
    return Folders(data / mode, cache / mode) if mode is Mode.DEMO else Folders(data, cache)


async def async_delete_folders(hass: HomeAssistant) -> None:
    """Delete the data and caches of both modes."""
    own = folders(hass, Mode.OWN)

    def delete() -> None:
        for folder in (own.data, own.cache):
            shutil.rmtree(folder, ignore_errors=True)

    await hass.async_add_executor_job(delete)


async def async_set_database_aside(hass: HomeAssistant, mode: Mode) -> None:
    """Rename a damaged database with all that belongs to it, so that the next start makes a new one."""
    data = folders(hass, mode).data

    def rename() -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        for name in DATABASE_FILES:
            if (file := data / name).exists():
                file.rename(data / f"{name}.damaged-{stamp}")

    await hass.async_add_executor_job(rename)
