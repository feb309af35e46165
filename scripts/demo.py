"""Starts a real Home Assistant with Reelay in its demo mode, until Ctrl-C.

With --check: waits until the demo's samples have come to rest, stops Home Assistant, and fails when one of the states
that the samples are made for is missing, when anything in the log is held against Reelay, or when it doesn't stop well.
Run by scripts/demo, with the Python of the environment that Home Assistant is in.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import homeassistant

ROOT = Path(__file__).parents[1]
DOMAIN = "reelay"
USER, PASSWORD = "demo", "demo-demo"
# For scripts/screenshots: where the demo is and a token for it
SESSION = ROOT / ".cache" / "demo.json"

# Where each sample ends, by its message
ENDS = {
    "film": "done",
    "series": "done",
    "advert": "rejected",
    "no-link": "skipped",
    "not-media": "skipped",
    "unsure": "pending_approval",
    "growing": "done",
    "duplicate": "skipped",
    "dead": "failed",
    "slow": "done",
    "conflict": "need_manual",
    "growing-more": "done",
    "several": "failed",
    "partly": "need_manual",
    "unclear": "done",
    "button": "done",
}
REST = 6  # seconds without a change
# The first re-check of an unclear send comes after five minutes.
START_LIMIT, SAMPLES_LIMIT, STOP_LIMIT, KILL_LIMIT = 300, 480, 15, 60

# Not default_config: that would bring Bluetooth, DHCP, the cloud, ...
CONFIGURATION = """\
homeassistant:
  name: Reelay demo
  latitude: 31.23
  longitude: 121.47
  elevation: 4
  unit_system: metric
  currency: CNY
  country: CN
  language: {language}
  time_zone: Asia/Shanghai
automation: !include automations.yaml
config:
frontend:
history:
logbook:
logger:
  default: info
mobile_app:
script: {{}}
system_health:
"""


class DemoError(Exception):
    """The demo can't go on."""


# -- its files ---------------------------------------------------------------------------------------------------------


def prepare(config: Path, port: int, language: str) -> None:
    for folder in ("custom_components", "www", ".storage"):
        (config / folder).mkdir(parents=True, exist_ok=True)
    link = config / "custom_components" / DOMAIN
    if not link.exists():
        link.symlink_to(ROOT / "custom_components" / DOMAIN, target_is_directory=True)
    for name, text in (
        ("configuration.yaml", CONFIGURATION.format(language=language)),
        ("automations.yaml", "[]\n"),
    ):
        if not (config / name).exists():
            (config / name).write_text(text, "utf-8")
    # Two steps of the onboarding are left out: they would add integrations that need the internet.
    onboarding = config / ".storage/onboarding"
    if not onboarding.exists():
        stored = {"version": 4, "minor_version": 1, "key": "onboarding"}
        onboarding.write_text(json.dumps(stored | {"data": {"done": ["core_config", "analytics"]}}), "utf-8")
    # Home Assistant takes http: in YAML as a proposal to be confirmed in its frontend, so write what it stores.
    source = Path(homeassistant.__file__).parent / "components/http/config.py"
    version = re.search(r"^STORAGE_VERSION\b.*?= (\d+)", source.read_text("utf-8"), re.MULTILINE)
    if not version:
        raise DemoError(f"no storage version in {source}")
    stable = {
        "server_port": port,
        "server_host": ["127.0.0.1"],
        "cors_allowed_origins": [],
        "login_attempts_threshold": -1,
        "ip_ban_enabled": True,
        "ssl_profile": "intermediate_v6" if int(version[1]) >= 3 else "modern",
        "use_x_frame_options": True,
        "created_at": "2026-01-01T00:00:00+00:00",
        "error": None,
        "error_message": None,
    }
    data = {"stable": stable, "pending": None, "yaml_migration_done": True}
    stored = {"version": int(version[1]), "minor_version": 1, "key": "http", "data": data}
    (config / ".storage/http").write_text(json.dumps(stored), "utf-8")


def free_port(wanted: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as err:
            raise DemoError(f"port {wanted} is taken; choose another with --port") from err
        return int(probe.getsockname()[1])


# -- its process -------------------------------------------------------------------------------------------------------


class HomeAssistant:
    """The process, and its API as the owner sees it."""

    def __init__(self, config: Path, port: int, *, show_log: bool) -> None:
        self.base = f"http://127.0.0.1:{port}"
        self.log = config / "demo.log"
        self._config = config
        self._show_log = show_log
        self._headers: dict[str, str] = {}

    async def __aenter__(self) -> HomeAssistant:
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60))
        command = [Path(sys.executable).parent / "hass", "--config", self._config, "--log-no-color"]
        self._process = await asyncio.create_subprocess_exec(
            *map(str, command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for this script, which stops it in order
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        await self._session.close()

    async def _read(self) -> None:
        assert self._process.stdout
        with self.log.open("wb") as file:
            async for line in self._process.stdout:
                file.write(line)
                file.flush()
                if self._show_log:
                    sys.stdout.buffer.write(line)
                    sys.stdout.flush()

    async def ended(self) -> int:
        return await self._process.wait()

    async def stop(self) -> tuple[float, int]:
        """Returns how many seconds that took, and its exit code."""
        start = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(KILL_LIMIT):
                code = await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            code = await self._process.wait()
        await self._reader
        return time.monotonic() - start, code

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        async with self._session.request(
            method, self.base + path, json=body, headers=self._headers
        ) as response:
            text = await response.text()
            if not response.ok:
                raise DemoError(f"{method} {path}: {response.status} {text[:500]}")
            return json.loads(text)

    async def wait_until(self, what: str, path: str, test: Any) -> Any:
        try:
            async with asyncio.timeout(START_LIMIT):
                while True:
                    if self._process.returncode is not None:
                        raise DemoError("Home Assistant ended by itself")
                    with contextlib.suppress(aiohttp.ClientError, DemoError):
                        if test(answer := await self.call("GET", path)):
                            return answer
                    await asyncio.sleep(0.5)
        except TimeoutError as err:
            raise DemoError(f"{what}: not within {START_LIMIT} s") from err

    async def _tokens(self, code: str) -> None:
        form = {"grant_type": "authorization_code", "code": code, "client_id": f"{self.base}/"}
        async with self._session.post(f"{self.base}/auth/token", data=form) as response:
            response.raise_for_status()
            self._headers = {"Authorization": f"Bearer {(await response.json())['access_token']}"}

    async def log_in(self, language: str) -> str:
        """Goes through the onboarding, or logs in where that was done before. Returns a token that lasts."""
        client = f"{self.base}/"
        try:
            answer = await self.wait_until("start", "/api/onboarding", bool)
            open_steps = {step["step"] for step in answer if not step["done"]}
        except DemoError as err:
            if "ended" in str(err):
                raise
            open_steps = set()
        if "user" in open_steps:
            owner = {"name": "Demo", "username": USER, "password": PASSWORD}
            answer = await self.call(
                "POST", "/api/onboarding/users", owner | {"client_id": client, "language": language}
            )
            await self._tokens(answer["auth_code"])
        else:
            start = {"client_id": client, "handler": ["homeassistant", None], "redirect_uri": client}
            flow = await self.call("POST", "/auth/login_flow", start)
            login = {"username": USER, "password": PASSWORD, "client_id": client}
            await self._tokens(
                (await self.call("POST", f"/auth/login_flow/{flow['flow_id']}", login))["result"]
            )
        if "integration" in open_steps:
            redirect = {"client_id": client, "redirect_uri": f"{client}?auth_callback=1"}
            await self.call("POST", "/api/onboarding/integration", redirect)
        await self.wait_until("running", "/api/config", lambda answer: answer["state"] == "RUNNING")
        request = {
            "type": "auth/long_lived_access_token",
            "client_name": f"demo {time.time()}",
            "lifespan": 30,
        }
        return str(await self.websocket(request))

    async def websocket(self, request: dict[str, Any]) -> Any:
        token = self._headers["Authorization"].removeprefix("Bearer ")
        async with self._session.ws_connect(f"{self.base}/api/websocket") as socket_:
            await socket_.receive_json()
            await socket_.send_json({"type": "auth", "access_token": token})
            await socket_.receive_json()
            await socket_.send_json({"id": 1, **request})
            answer = await socket_.receive_json()
        if not answer.get("success"):
            raise DemoError(f"{request['type']}: {answer.get('error')}")
        return answer["result"]


# -- what it does ------------------------------------------------------------------------------------------------------


async def entry(hass: HomeAssistant) -> dict[str, Any] | None:
    entries = await hass.call("GET", f"/api/config/config_entries/entry?domain={DOMAIN}")
    return entries[0] if entries else None


async def add_entry(hass: HomeAssistant) -> None:
    """As a user does it: chooses the demo from the menu, and leaves all forms as they are."""
    flows = "/api/config/config_entries/flow"
    flow = await hass.call("POST", flows, {"handler": DOMAIN})
    for _ in range(20):
        path = f"{flows}/{flow.get('flow_id')}"
        match flow["type"]:
            case "create_entry":
                return
            case "menu":
                flow = await hass.call("POST", path, {"next_step_id": "demo"})
            case "form" if not flow.get("errors"):
                flow = await hass.call("POST", path, defaults(flow["data_schema"]))
            case "progress" | "progress_done":
                await asyncio.sleep(1)
                flow = await hass.call("GET", path)
            case _:
                break
    raise DemoError(f"adding the integration ended with {json.dumps(flow)[:1000]}")


def defaults(fields: list[dict[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields:
        suggested = (field.get("description") or {}).get("suggested_value")
        if field.get("type") == "expandable":
            values[field["name"]] = defaults(field["schema"])
        elif "default" in field:
            values[field["name"]] = field["default"]
        elif suggested is not None:
            values[field["name"]] = suggested
    return values


async def samples(hass: HomeAssistant) -> list[str]:
    """Waits for them to come to rest. Returns what's wrong with where they ended."""
    path = f"/api/services/{DOMAIN}/list_tasks?return_response"
    deadline = time.monotonic() + SAMPLES_LIMIT
    before, since = None, time.monotonic()
    while True:
        response = (await hass.call("POST", path, {}))["service_response"]
        ends = {task["message_id"]: str(task["state"]) for task in response["tasks"]}
        states = Counter(ends.values())
        if states != before:
            before, since = states, time.monotonic()
            print(
                "samples:",
                ", ".join(f"{count} {state}" for state, count in sorted(states.items())) or "none yet",
            )
        rested = time.monotonic() - since >= REST
        wrong = [
            f"sample {name} is {ends.get(name, 'not there')}, not {end}"
            for name, end in ENDS.items()
            if ends.get(name) != end
        ]
        if rested and not wrong:
            return []
        if time.monotonic() > deadline:
            return wrong
        await asyncio.sleep(1)


HEAD = re.compile(r"\d{4}-\d\d-\d\d \S+ (?P<level>[A-Z]+) \(.*?\) \[(?P<logger>.*?)\] ")
NEXT = re.compile(r"\n(?=\d{4}-\d\d-\d\d \d|Found \d+ non-daemonic)")
UNTESTED = f"We found a custom integration {DOMAIN} which has not been tested by Home Assistant"


def complaints(log: str) -> Iterator[str]:
    """Entries in the log that Reelay is to blame for."""
    for text in NEXT.split(log):
        head = HEAD.match(text)
        level, logger = (head["level"], head["logger"]) if head else ("", "")
        if logger == "homeassistant.loader" and UNTESTED in text:
            continue
        # Of a traceback's files, only the integration's own count: a folder may have the project's name.
        told = re.sub(r'(?m)^ +File "(?!.*/custom_components/reelay/).*$', "", text)
        severe = level in {"WARNING", "ERROR", "CRITICAL"} or "Traceback (most recent call last)" in text
        if (severe and DOMAIN in told) or "non-daemonic threads" in text:
            yield text.rstrip()


async def run(options: argparse.Namespace, config: Path, interrupted: asyncio.Event) -> int:
    port = free_port(options.port)
    prepare(config, port, options.language)
    problems: list[str] = []
    async with HomeAssistant(config, port, show_log=options.log) as hass:
        print(f"starting Home Assistant in {config} ...", flush=True)
        work = asyncio.create_task(demo(hass, options))
        ended = asyncio.create_task(hass.ended())
        stop = asyncio.create_task(interrupted.wait())
        await asyncio.wait({work, ended, stop}, return_when=asyncio.FIRST_COMPLETED)
        if ended.done() and not interrupted.is_set():
            problems.append("Home Assistant ended by itself; its last lines:\n" + tail(hass.log))
        if work.done():
            try:
                problems += work.result()
            except (DemoError, aiohttp.ClientError, TimeoutError) as err:
                problems.append(
                    f"{err!s} {'' if str(err) else type(err).__name__}; the log ends:\n{tail(hass.log)}"
                )
        for task in (work, ended, stop):
            task.cancel()
        seconds, code = await hass.stop()
        print(f"stopped after {seconds:.1f} s", flush=True)
        if options.check:
            if interrupted.is_set():
                problems.append("interrupted")
            if seconds > STOP_LIMIT:
                problems.append(f"stopping took {seconds:.0f} s, more than {STOP_LIMIT} s")
            if code:
                problems.append(f"Home Assistant's exit code is {code}")
            problems += complaints(hass.log.read_text("utf-8", "replace"))
    for problem in problems:
        print(f"PROBLEM: {problem}")
    if options.check:
        print(f"{homeassistant_version()}: {len(problems)} problems")
    return bool(problems)


async def demo(hass: HomeAssistant, options: argparse.Namespace) -> list[str]:
    """Ends only when something is wrong, or the check is through."""
    start = time.monotonic()
    token = await hass.log_in(options.language)
    if not await entry(hass):
        await add_entry(hass)
    print(
        f"Home Assistant {homeassistant_version()} is up after {time.monotonic() - start:.0f} s: {hass.base}"
    )
    print(f"user {USER}, password {PASSWORD}; its log is {hass.log}", flush=True)
    SESSION.parent.mkdir(exist_ok=True)
    SESSION.touch(mode=0o600)
    SESSION.write_text(json.dumps({"base": hass.base, "token": token}), "utf-8")
    if not options.check:
        print("Ctrl-C stops it", flush=True)
        await asyncio.Event().wait()
    problems = await samples(hass)
    state = (await entry(hass) or {}).get("state")
    if state != "loaded":
        problems.append(f"the entry's state is {state}")
    return problems


def homeassistant_version() -> str:
    from homeassistant.const import __version__

    return __version__


def tail(file: Path, lines: int = 30) -> str:
    return "\n".join(file.read_text("utf-8", "replace").splitlines()[-lines:])


async def main(options: argparse.Namespace) -> int:
    interrupted = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, interrupted.set)
    own = options.config is None
    config = Path(tempfile.mkdtemp(prefix="home-assistant-")) if own else options.config.resolve()
    try:
        return await run(options, config, interrupted)
    except DemoError as err:
        print(f"PROBLEM: {err}")
        return 1
    finally:
        SESSION.unlink(missing_ok=True)
        if own and not options.keep:
            shutil.rmtree(config, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument("--ha", metavar="VERSION", help="of Home Assistant: 2026.10 or 2026.11, the default")
    parser.add_argument("--check", action="store_true", help="don't stay, but check how the samples end")
    parser.add_argument("--port", type=int, help="default: 8123; any free one for --check")
    parser.add_argument("--config", type=Path, metavar="DIR", help="use and keep this configuration folder")
    parser.add_argument("--keep", action="store_true", help="keep the temporary configuration folder")
    parser.add_argument("--language", default="en", help="of Home Assistant; default: en")
    parser.add_argument("--log", action="store_true", help="show Home Assistant's log")
    options = parser.parse_args()
    if options.port is None:
        options.port = 0 if options.check else 8123
    return options


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.exit(asyncio.run(main(arguments())))
