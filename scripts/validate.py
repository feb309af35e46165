"""Checks what neither ruff nor mypy sees: the manifest, translations, icons, services, keys of texts used in code.

Follows the rules of hassfest, Home Assistant's own validation, which needs a checkout of its whole repository; and
compares the languages with each other, which hassfest doesn't. Run by scripts/validate.
"""

import ast
import json
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Any

import homeassistant
import voluptuous as vol
from awesomeversion import AwesomeVersion, AwesomeVersionException, AwesomeVersionStrategy as Strategy
from homeassistant.helpers.selector import validate_selector
from homeassistant.util.yaml import load_yaml_dict
from packaging.requirements import InvalidRequirement, Requirement
from voluptuous.humanize import humanize_error

ROOT = Path(__file__).parents[1]
HOME_ASSISTANT = Path(homeassistant.__file__).parent
SOURCE_LANGUAGE = "en"

Translations = dict[str, Any]


class Problems(list[str]):
    def add(self, where: str, what: str) -> None:
        self.append(f"{where}: {what}")


class Integration:
    """The files of the integration, read when asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.domain = path.name

    def json(self, name: str) -> dict[str, Any]:
        file = self.path / name
        return json.loads(file.read_text("utf-8")) if file.exists() else {}

    def yaml(self, name: str) -> dict[str, Any]:
        file = self.path / name
        return load_yaml_dict(str(file)) if file.exists() else {}

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return self.json("manifest.json")

    @cached_property
    def icons(self) -> dict[str, Any]:
        return self.json("icons.json")

    @cached_property
    def languages(self) -> dict[str, Translations]:
        files = sorted((self.path / "translations").glob("*.json"))
        return {file.stem: json.loads(file.read_text("utf-8")) for file in files}

    @property
    def texts(self) -> Translations:
        return self.languages.get(SOURCE_LANGUAGE, {})

    @cached_property
    def modules(self) -> dict[str, ast.Module]:
        return {
            str(file.relative_to(self.path)): ast.parse(file.read_text("utf-8"), str(file))
            for file in sorted(self.path.rglob("*.py"))
        }

    @cached_property
    def constants(self) -> dict[str, str]:
        """Values of all NAME = "text", and of members of enumerations, as Class.NAME."""
        found = {}
        for tree in self.modules.values():
            for owner in [None, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
                for node in owner.body if owner else tree.body:
                    match node:
                        case (
                            ast.Assign(targets=[ast.Name(name)], value=ast.Constant(str(value)))
                            | ast.AnnAssign(target=ast.Name(name), value=ast.Constant(str(value)))
                        ):
                            found[f"{owner.name}.{name}" if owner else name] = value
        return found

    @cached_property
    def strings(self) -> tuple[set[str], list[re.Pattern[str]]]:
        """All that the code says: its texts, and those with parts put in, as patterns."""
        exact: set[str] = set()
        patterns = set()
        for tree in self.modules.values():
            for node in ast.walk(tree):
                match node:
                    case ast.Constant(str(value)):
                        exact.add(value)
                    case ast.JoinedStr(values):
                        parts = [v.value if isinstance(v, ast.Constant) else None for v in values]
                        if any(parts):
                            patterns.add("".join(re.escape(str(p)) if p else r"[a-z0-9_]+" for p in parts))
        return exact, [re.compile(pattern) for pattern in sorted(patterns)]

    def mentions(self, key: str) -> bool:
        exact, patterns = self.strings
        return key in exact or any(pattern.fullmatch(key) for pattern in patterns)

    def value(self, node: ast.expr | None) -> str | None:
        """Its text, when it's known without running the code."""
        match node:
            case ast.Constant(str(value)):
                return value
            case ast.Name(name):
                return self.constants.get(name)
            case ast.Attribute(ast.Name(owner), name):
                return self.constants.get(f"{owner}.{name}") or self.constants.get(name)
        return None


def leaves(tree: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


# -- manifest.json, hacs.json, brand -----------------------------------------------------------------------------------


def version(value: str) -> str:
    kinds = [Strategy.CALVER, Strategy.SEMVER, Strategy.SIMPLEVER, Strategy.BUILDVER, Strategy.PEP440]
    try:
        AwesomeVersion(value, ensure_strategy=kinds)
    except AwesomeVersionException as err:
        raise vol.Invalid("no version that Home Assistant understands") from err
    return value


def documentation(value: str) -> str:
    if not value.startswith("https://") or value.startswith("https://www.home-assistant.io/integrations"):
        raise vol.Invalid("has to be an https address of the project's own")
    return value


def slugs(name: str) -> Callable[[Any], Any]:
    """Of a list that comes with Home Assistant 2026.11 and newer; parts of a category are named category.part."""
    file = HOME_ASSISTANT / "generated" / name
    if not file.exists():
        return str
    known = set()
    for item in json.loads(file.read_text("utf-8")):
        known |= {item["slug"], *(f"{item['slug']}.{part['slug']}" for part in item.get("subcategories", []))}
    return vol.In(sorted(known))


MANIFEST = vol.Schema(
    {
        vol.Required("domain"): str,
        vol.Required("name"): str,
        vol.Required("codeowners"): [vol.Match(r"^@[\w-]+")],
        vol.Required("documentation"): vol.All(str, documentation),
        vol.Required("integration_type"): vol.In(
            ["device", "entity", "hardware", "helper", "hub", "service", "system"]
        ),
        vol.Required("iot_class"): vol.In(
            ["assumed_state", "calculated", "cloud_polling", "cloud_push", "local_polling", "local_push"]
        ),
        vol.Required("issue_tracker"): vol.Url(),
        vol.Required("version"): vol.All(str, version),
        vol.Optional("after_dependencies"): [str],
        vol.Optional("categories"): [slugs("integration_categories.json")],
        vol.Optional("config_flow"): bool,
        vol.Optional("connectivity"): [slugs("integration_connectivity.json")],
        vol.Optional("dependencies"): [str],
        vol.Optional("loggers"): [str],
        vol.Optional("requirements"): [str],
        vol.Optional("single_config_entry"): bool,
    }
)

# Usable without being declared: entity platforms, and what looks for a platform in an integration by itself
UNDECLARED = {
    "backup", "binary_sensor", "button", "calendar", "diagnostics", "event", "image", "llm", "logbook", "media_source",
    "notify", "number", "persistent_notification", "recorder", "repairs", "select", "sensor", "switch", "system_health",
    "text", "todo", "update",
}  # fmt: skip


def check_manifest(it: Integration, problems: Problems) -> None:
    manifest, where = it.manifest, "manifest.json"
    try:
        MANIFEST(manifest)
    except vol.Invalid as err:
        problems.add(where, humanize_error(manifest, err))
    if manifest.get("domain") != it.domain:
        problems.add(where, f"the domain has to be the folder's name, {it.domain}")
    first = [key for key in ("domain", "name") if key in manifest]
    if list(manifest) != first + sorted(set(manifest) - set(first)):
        problems.add(where, "keys have to be in order: domain, name, then the alphabet")
    declared = {*manifest.get("dependencies", []), *manifest.get("after_dependencies", [])}
    for name in sorted(declared):
        if not (HOME_ASSISTANT / "components" / name).is_dir():
            problems.add(where, f"depends on {name}, which isn't there")
    for module, tree in it.modules.items():
        for name in sorted(imported_components(tree) - declared - UNDECLARED):
            problems.add(module, f"uses the integration {name}, no dependency in the manifest")


def imported_components(tree: ast.Module) -> set[str]:
    prefix = "homeassistant.components."
    modules = []
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom("homeassistant.components", names, 0):
                modules += [prefix + alias.name for alias in names]
            case ast.ImportFrom(str(module), _, 0):
                modules.append(module)
            case ast.Import(names):
                modules += [alias.name for alias in names]
    return {module.removeprefix(prefix).split(".")[0] for module in modules if module.startswith(prefix)}


def check_requirements(it: Integration, problems: Problems) -> None:
    """A pin that no Home Assistant under test can install with its own constraints takes the integration away."""
    for file in constraints_files():
        constraints: dict[str, list[Requirement]] = {}
        for line in file.read_text("utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                requirement = Requirement(line)
                constraints.setdefault(normal(requirement.name), []).append(requirement)
        for text in it.manifest.get("requirements", []):
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                problems.add("manifest.json", f"requirement {text} can't be read")
                continue
            pins = [s.version for s in requirement.specifier if s.operator == "=="]
            for constraint in constraints.get(normal(requirement.name), []):
                if any(not constraint.specifier.contains(pin, prereleases=True) for pin in pins):
                    problems.add("manifest.json", f"requirement {text} against {constraint} in {file}")


def constraints_files() -> Iterable[Path]:
    """Of each Home Assistant that scripts/setup has made an environment with."""
    return sorted(ROOT.glob(".venv*/lib/python3*/site-packages/homeassistant/package_constraints.txt"))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def check_hacs(problems: Problems) -> None:
    hacs = json.loads((ROOT / "hacs.json").read_text("utf-8"))
    known = {"content_in_root", "country", "filename", "hide_default_branch", "homeassistant", "name"}
    for key in sorted(set(hacs) - known - {"persistent_directory", "render_readme", "zip_release"}):
        problems.add("hacs.json", f"{key} isn't known")
    if not hacs.get("name"):
        problems.add("hacs.json", "name is missing")
    if hacs.get("zip_release") and not hacs.get("filename"):
        problems.add("hacs.json", "zip_release needs filename")


def check_brand(it: Integration, problems: Problems) -> None:
    for name, side in (("icon.png", 256), ("icon@2x.png", 512)):
        file = it.path / "brand" / name
        head = file.read_bytes()[:24] if file.exists() else b""
        if not head.startswith(b"\x89PNG") or struct.unpack(">II", head[16:24]) != (side, side):
            problems.add(f"brand/{name}", f"has to be a PNG of {side} x {side}")


# -- translations ------------------------------------------------------------------------------------------------------

KEY = re.compile(r"(?!.*[_-]{2})[a-z0-9]([a-z0-9_-]*[a-z0-9])?")
ADDRESS = re.compile(r"\b(https?|ftp|wss?|socks5)://|\bwww\.[a-z0-9]", re.IGNORECASE)
MARKUP = re.compile(r"<[a-z/][^>]*>", re.IGNORECASE)


def key(value: str) -> str:
    if not KEY.fullmatch(value):
        raise vol.Invalid("is no key for a translation")
    return value


def text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise vol.Invalid("has to be a text")
    if value != value.strip():
        raise vol.Invalid("blanks around it")
    if MARKUP.search(value):
        raise vol.Invalid("HTML isn't allowed")
    if ADDRESS.search(value):
        raise vol.Invalid("addresses belong into placeholders")
    if "[%key:" in value:
        raise vol.Invalid("references work in Home Assistant's own integrations only")
    if re.search(r"'\{\w+\}'", value):
        raise vol.Invalid("a placeholder in single quotes isn't filled")
    try:
        names = placeholders(value)
    except ValueError as err:
        raise vol.Invalid(f"placeholders: {err}") from err
    if any(not name.isidentifier() for name in names):
        raise vol.Invalid("a placeholder has to have a name")
    return value


def plain(value: Any) -> str:
    if placeholders(text(value)):
        raise vol.Invalid("placeholders aren't filled here")
    return str(value)


def per_key(value: Any) -> vol.Schema:
    return vol.Schema({key: value})


FIELD = {vol.Required("name"): text, vol.Required("description"): text, vol.Optional("example"): text}
SECTION = {
    vol.Optional("name"): text,
    vol.Optional("description"): text,
    vol.Optional("data"): per_key(text),
    vol.Optional("data_description"): per_key(text),
}
STEP = {
    vol.Optional("title"): text,
    vol.Optional("description"): text,
    vol.Optional("data"): per_key(text),
    vol.Optional("data_description"): per_key(text),
    vol.Optional("menu_options"): per_key(text),
    vol.Optional("menu_option_descriptions"): per_key(text),
    vol.Optional("sections"): per_key(SECTION),
    vol.Optional("submit"): text,
}


def described_fields(flow: dict[str, Any]) -> dict[str, Any]:
    for name, step in flow.get("step", {}).items():
        for part in (step, *step.get("sections", {}).values()):
            for field in set(part.get("data_description", {})) - set(part.get("data", {})):
                raise vol.Invalid(f"step {name}: data_description of {field}, which isn't in data")
    return flow


def flow(extra: dict[Any, Any] | None = None) -> Any:
    schema = {
        vol.Optional("abort"): per_key(text),
        vol.Optional("create_entry"): per_key(text),
        vol.Optional("error"): per_key(text),
        vol.Optional("flow_title"): text,
        vol.Optional("progress"): per_key(text),
        vol.Required("step"): per_key(STEP),
    }
    return vol.All(vol.Schema(schema | (extra or {})), described_fields)


SUBENTRY_FLOW = flow(
    {vol.Required("entry_type"): text, vol.Required("initiate_flow"): {vol.Required("user"): text, str: text}}
)
AUTOMATION = per_key(
    {vol.Required("name"): text, vol.Required("description"): text, vol.Optional("fields"): per_key(FIELD)}
)
TRANSLATIONS = vol.Schema(
    {
        vol.Optional("title"): text,
        vol.Optional("common"): per_key(text),
        vol.Optional("conditions"): AUTOMATION,
        vol.Optional("config"): flow(),
        vol.Optional("config_panel"): dict,
        vol.Optional("config_subentries"): per_key(SUBENTRY_FLOW),
        vol.Optional("device"): per_key({vol.Optional("name"): text}),
        vol.Optional("entity"): per_key(
            per_key(
                {
                    vol.Optional("name"): text,
                    vol.Optional("state"): per_key(plain),
                    vol.Optional("state_attributes"): per_key(
                        {vol.Optional("name"): plain, vol.Optional("state"): per_key(plain)}
                    ),
                    vol.Optional("unit_of_measurement"): plain,
                }
            )
        ),
        vol.Optional("exceptions"): per_key({vol.Required("message"): text}),
        vol.Optional("issues"): per_key(
            vol.Any(
                {vol.Required("title"): text, vol.Required("description"): text},
                {vol.Required("title"): text, vol.Required("fix_flow"): flow()},
            )
        ),
        vol.Optional("options"): flow(),
        vol.Optional("selector"): per_key(
            {
                vol.Optional("options"): per_key(text),
                vol.Optional("choices"): per_key(text),
                vol.Optional("unit_of_measurement"): per_key(text),
                vol.Optional("fields"): dict,
            }
        ),
        vol.Optional("services"): per_key(
            {
                vol.Required("name"): text,
                vol.Required("description"): text,
                vol.Optional("fields"): per_key(FIELD),
                vol.Optional("sections"): per_key(
                    {vol.Required("name"): text, vol.Optional("description"): text}
                ),
            }
        ),
        vol.Optional("system_health"): {vol.Optional("info"): per_key(text)},
        vol.Optional("triggers"): AUTOMATION,
    }
)


def check_translations(it: Integration, problems: Problems) -> None:
    if (it.path / "strings.json").exists():
        problems.add("strings.json", "isn't read for a custom integration; translations/*.json are")
    if SOURCE_LANGUAGE not in it.languages:
        problems.add("translations", f"{SOURCE_LANGUAGE}.json is missing")
    source = dict(leaves(it.texts))
    for language, translations in it.languages.items():
        where = f"translations/{language}.json"
        try:
            TRANSLATIONS(translations)
        except vol.MultipleInvalid as err:
            for each in err.errors:
                problems.add(where, humanize_error(translations, each))
            continue
        own = dict(leaves(translations))
        for path in source.keys() - own.keys():
            problems.add(where, f"{'.'.join(path)} is missing")
        for path in own.keys() - source.keys():
            problems.add(where, f"{'.'.join(path)} isn't in {SOURCE_LANGUAGE}.json")
        for path in own.keys() & source.keys():
            if placeholders(own[path]) != placeholders(source[path]):
                problems.add(where, f"{'.'.join(path)}: other placeholders than in {SOURCE_LANGUAGE}.json")


# -- services, triggers, conditions, icons -----------------------------------------------------------------------------

FIELD_OF_AUTOMATION = vol.Schema(
    {
        vol.Optional("advanced"): bool,
        vol.Optional("context"): dict,
        vol.Optional("default"): object,
        vol.Optional("example"): object,
        vol.Optional("filter"): dict,
        vol.Optional("required"): bool,
        vol.Required("selector"): validate_selector,
    }
)
AUTOMATIONS = vol.Schema(
    {
        vol.Match(r"^[a-z0-9_]+$"): vol.Any(
            None,
            {
                vol.Optional("target"): object,
                vol.Optional("fields"): {
                    str: vol.Any(
                        {vol.Optional("collapsed"): bool, vol.Required("fields"): {str: FIELD_OF_AUTOMATION}},
                        FIELD_OF_AUTOMATION,
                    )
                },
            },
        )
    }
)


def check_automations(kind: str, it: Integration, problems: Problems) -> None:
    """services.yaml, triggers.yaml, conditions.yaml against the texts, the icons and the code."""
    where = f"{kind}.yaml"
    declared = {name: value for name, value in it.yaml(where).items() if not name.startswith(".")}
    try:
        AUTOMATIONS(declared)
    except vol.MultipleInvalid as err:
        for each in err.errors:
            problems.add(where, humanize_error(declared, each))
        return
    texts, icons = it.texts.get(kind, {}), it.icons.get(kind, {})
    for name in sorted(set(texts) - set(declared)):
        problems.add(f"translations/{SOURCE_LANGUAGE}.json", f"{kind}.{name} isn't in {where}")
    for name, value in declared.items():
        if not it.mentions(name):
            problems.add(where, f"{name} isn't in the code")
        if name not in icons:
            problems.add("icons.json", f"{kind}.{name} is missing")
        if name not in texts:
            problems.add(where, f"{name} has no text")
            continue
        fields = {}
        for field, content in ((value or {}).get("fields") or {}).items():
            if "fields" in content:
                fields |= content["fields"]
                if field not in texts[name].get("sections", {}):
                    problems.add(where, f"{name}: section {field} has no text")
            else:
                fields[field] = content
        for field in sorted(set(fields) ^ set(texts[name].get("fields", {}))):
            problems.add(where, f"{name}: field {field} isn't both here and in the texts")
        for field, content in fields.items():
            check_options(it, problems, f"{where}: {name}.{field}", content)


def check_options(it: Integration, problems: Problems, where: str, field: dict[str, Any]) -> None:
    select = field["selector"].get("select") or {}
    if not (name := select.get("translation_key")):
        return
    known = it.texts.get("selector", {}).get(name, {}).get("options", {})
    for option in select.get("options", []):
        if (option["value"] if isinstance(option, dict) else option) not in known:
            problems.add(where, f"option {option} isn't in selector.{name}")


ICON = vol.Match(r"^mdi:[a-z0-9]+(-[a-z0-9]+)*$")
ICON_OF_ATTRIBUTE = {vol.Required("default"): ICON, vol.Optional("state"): {str: ICON}}
ICONS = vol.Schema(
    {
        vol.Optional("conditions"): per_key({vol.Required("condition"): ICON}),
        vol.Optional("config"): dict,
        vol.Optional("entity"): per_key(
            per_key(
                {
                    vol.Optional("default"): ICON,
                    vol.Optional("range"): {vol.Match(r"^-?\d+(\.\d+)?$"): ICON},
                    vol.Optional("state"): {str: ICON},
                    vol.Optional("state_attributes"): per_key(ICON_OF_ATTRIBUTE),
                }
            )
        ),
        vol.Optional("options"): dict,
        vol.Optional("services"): per_key(
            {vol.Required("service"): ICON, vol.Optional("sections"): per_key(ICON)}
        ),
        vol.Optional("triggers"): per_key({vol.Required("trigger"): ICON}),
    }
)


def check_icons(it: Integration, problems: Problems) -> None:
    try:
        ICONS(it.icons)
    except vol.MultipleInvalid as err:
        for each in err.errors:
            problems.add("icons.json", humanize_error(it.icons, each))
        return
    for kind in ("services", "triggers", "conditions"):
        for name in sorted(set(it.icons.get(kind, {})) - set(it.yaml(f"{kind}.yaml"))):
            problems.add("icons.json", f"{kind}.{name} isn't in {kind}.yaml")
    for platform, entities in it.icons.get("entity", {}).items():
        for name in sorted(set(entities) - set(it.texts.get("entity", {}).get(platform, {}))):
            problems.add("icons.json", f"entity.{platform}.{name} isn't in the translations")


# -- texts that the code asks for --------------------------------------------------------------------------------------


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
                yield name, node


def given_placeholders(node: ast.expr | None) -> set[str] | None:
    """The names in a literal dict; None when they can't be known."""
    if node is None:
        return set()
    if not isinstance(node, ast.Dict):
        return None
    names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    return {str(name) for name in names} if len(names) == len(node.keys) else None


def check_messages(it: Integration, problems: Problems) -> None:
    """Exceptions and issues raised in the code have texts, whose placeholders they fill; no text is left over."""
    exceptions, issues = it.texts.get("exceptions", {}), it.texts.get("issues", {})
    for module, tree in it.modules.items():
        for function, call in calls(tree):
            given = keywords(call)
            name = it.value(given.get("translation_key"))
            if name is None or not ("translation_domain" in given or "issue" in function):
                continue
            where = f"{module}:{call.lineno}"
            if "issue" in function:
                entry, kind = issues.get(name), "issues"
            else:
                entry, kind = exceptions.get(name), "exceptions"
            if entry is None:
                problems.add(where, f"{kind}.{name} has no text")
                continue
            if (filled := given_placeholders(given.get("translation_placeholders"))) is None:
                continue
            needed = set().union(*(placeholders(value) for _, value in leaves(entry)))
            for missing in sorted(needed - filled):
                problems.add(where, f"{kind}.{name}: placeholder {missing} isn't given")
    for kind, texts in (("exceptions", exceptions), ("issues", issues)):
        for name in texts:
            if not it.mentions(name):
                problems.add(f"translations/{SOURCE_LANGUAGE}.json", f"{kind}.{name} isn't used")


def check_entities(it: Integration, problems: Problems) -> None:
    """Names of entities: translation keys in the modules of the platforms."""
    for platform in sorted({Path(module).parts[0].removesuffix(".py") for module in it.modules}):
        texts = it.texts.get("entity", {}).get(platform, {})
        if platform not in UNDECLARED or platform in {"diagnostics", "backup", "llm", "logbook", "repairs"}:
            continue
        for module, tree in it.modules.items():
            if Path(module).parts[0].removesuffix(".py") != platform:
                continue
            for line, name in entity_keys(it, tree):
                if name not in texts:
                    problems.add(f"{module}:{line}", f"entity.{platform}.{name} has no text")
        for name in texts:
            if not it.mentions(name):
                problems.add(f"translations/{SOURCE_LANGUAGE}.json", f"entity.{platform}.{name} isn't used")


def entity_keys(it: Integration, tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                [ast.Name("_attr_translation_key") | ast.Attribute(_, "_attr_translation_key")], value
            ):
                if name := it.value(value):
                    yield node.lineno, name
    for function, call in calls(tree):
        if function.endswith("EntityDescription") and (
            name := it.value(keywords(call).get("translation_key"))
        ):
            yield call.lineno, name


FLOW_BASES = {"ConfigFlow", "OptionsFlow", "OptionsFlowWithReload", "ConfigSubentryFlow"}
# Where the core has texts of its own for
CORE_ABORTS = {"already_configured", "reauth_successful", "reconfigure_successful", "single_instance_allowed"}


def check_flows(it: Integration, problems: Problems) -> None:
    """Steps, errors, aborts and the like of the flows have texts; no step's text is left over."""
    texts = it.texts
    flows = [texts.get("config", {}), texts.get("options", {}), *texts.get("config_subentries", {}).values()]
    fixes = [issue["fix_flow"] for issue in texts.get("issues", {}).values() if "fix_flow" in issue]

    def known(part: str) -> set[str]:
        return {name for each in (*flows, *fixes) for name in each.get(part, {})}

    steps, errors, aborts, progress = (
        known("step"),
        known("error"),
        known("abort") | CORE_ABORTS,
        known("progress"),
    )
    menu = {
        name
        for each in flows
        for step in each.get("step", {}).values()
        for name in step.get("menu_options", {})
    }
    methods = set()
    for module, tree in it.modules.items():
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        methods |= {
            node.name.removeprefix("async_step_")
            for each in classes
            for node in each.body
            if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("async_step_")
        }
        if not any(FLOW_BASES & base_names(node) for node in classes):
            continue
        for function, call in calls(tree):
            given, where = keywords(call), f"{module}:{call.lineno}"
            step = it.value(given.get("step_id"))
            if step and function in {"async_show_form", "async_show_menu"} and step not in steps:
                problems.add(where, f"step {step} has no text")
            action = it.value(given.get("progress_action"))
            if action and action not in progress:
                problems.add(where, f"progress {action} has no text")
            reason = it.value(given.get("reason"))
            if reason and function == "async_abort" and reason not in aborts:
                problems.add(where, f"abort {reason} has no text")
            match given.get("menu_options"):
                case ast.List(options):
                    for option in options:
                        if (name := it.value(option)) and name not in menu:
                            problems.add(where, f"menu option {name} has no text")
            match given.get("errors"):
                case ast.Dict(_, values):
                    for node in values:
                        if (name := it.value(node)) and name not in errors:
                            problems.add(where, f"error {name} has no text")
        for node in ast.walk(tree):
            match node:
                case ast.Assign([ast.Subscript(ast.Name("errors"))], value):
                    if (name := it.value(value)) and name not in errors:
                        problems.add(f"{module}:{node.lineno}", f"error {name} has no text")
    for name in sorted(steps - methods - {"confirm"}):  # the core's step of an issue's simple fix
        problems.add(f"translations/{SOURCE_LANGUAGE}.json", f"step {name} isn't in the code")


def base_names(node: ast.ClassDef) -> set[str]:
    return {
        base.id if isinstance(base, ast.Name) else base.attr
        for base in node.bases
        if isinstance(base, ast.Name | ast.Attribute)
    }


def check_setup(it: Integration, problems: Problems) -> None:
    tree = it.modules["__init__.py"]
    names = {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)}
    if "async_setup" in names and "CONFIG_SCHEMA" not in it.constants | module_names(tree):
        problems.add("__init__.py", "async_setup needs a CONFIG_SCHEMA")
    if it.manifest.get("config_flow") and "config_flow.py" not in it.modules:
        problems.add("config_flow.py", "is missing")


def module_names(tree: ast.Module) -> dict[str, str]:
    return {
        target.id: ""
        for node in tree.body
        for target in (node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)])
        if isinstance(target, ast.Name)
    }


def check_quality_scale(it: Integration, problems: Problems) -> None:
    states = ("done", "todo", "exempt")
    for rule, value in it.yaml("quality_scale.yaml").get("rules", {}).items():
        state, comment = (
            (value.get("status"), value.get("comment")) if isinstance(value, dict) else (value, None)
        )
        if state not in states:
            problems.add("quality_scale.yaml", f"{rule}: has to be one of {', '.join(states)}")
        elif state == "exempt" and not comment:
            problems.add("quality_scale.yaml", f"{rule}: exempt needs a comment")


def main() -> int:
    it = Integration(ROOT / "custom_components" / "reelay")
    problems = Problems()
    check_hacs(problems)
    for check in (
        check_manifest, check_requirements, check_brand, check_translations, check_icons, check_messages,
        check_entities, check_flows, check_setup, check_quality_scale,
    ):  # fmt: skip
        check(it, problems)
    for kind in ("services", "triggers", "conditions"):
        check_automations(kind, it, problems)
    for problem in sorted(set(problems)):
        print(problem)
    print(f"{it.domain}: {len(set(problems))} problems, {', '.join(it.languages)}")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
