"""Sentences: complete in both languages, built from data, and harmless whatever that data says."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from homeassistant.core import HomeAssistant

import custom_components.reelay as integration
from custom_components.reelay import texts as module
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.states import State
from custom_components.reelay.notifiers.answers import BUTTONS, Answer
from custom_components.reelay.texts import Texts, async_texts, markdown, plain, size

FOLDER = Path(integration.__file__).parent
LANGUAGES = {
    file.stem: json.loads(file.read_text("utf-8"))
    for file in sorted((FOLDER / "translations").glob("*.json"))
}
PARTS = ("happened", "did", "can")

FACTS: dict[str, Any] = {
    "id": 7,
    "state": "pending_approval",
    "round": 2,
    "title": "Dune",
    "year": 2021,
    "kind": "series",
    "seasons": [1, 2],
    "episodes": "1-8,10",
    "source": "demo",
    "reasons": ["low_confidence", "source_always_asks"],
    "confidence": 0.616,
    "actions": ["approve", "ignore"],
    "share": {"files": 9, "videos": 8, "size": 18 * 1024**3, "title": ""},
}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def errors_of_the_core() -> Iterator[tuple[str, set[str], str]]:
    """Key, given placeholders and place of each CommandError and StoreError that the code makes."""
    for file in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(
                    ast.Name("CommandError" | "StoreError"), [ast.Constant(str(key)), *_], keywords
                ):
                    yield key, {keyword.arg or "" for keyword in keywords}, f"{file.name}:{node.lineno}"


def texts(language: str = "en") -> Texts:
    common = LANGUAGES[language]["common"]
    return Texts({f"component.reelay.common.{key}": value for key, value in common.items()})


def test_both_languages_are_there() -> None:
    assert set(LANGUAGES) == {"en", "zh-Hans"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_says_what_happened_what_reelay_did_and_what_the_owner_can_do(language: str) -> None:
    common = LANGUAGES[language]["common"]
    wanted = {f"reason_{code}_{part}" for code in Code for part in PARTS}
    assert {key for key in common if key.startswith("reason_")} == wanted
    for code in Code:
        assert len({common[f"reason_{code}_{part}"] for part in PARTS}) == len(PARTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_has_a_name(language: str) -> None:
    common = LANGUAGES[language]["common"]
    assert {key for key in common if key.startswith("state_")} == {f"state_{state}" for state in State}


def test_both_languages_use_the_same_data() -> None:
    for section in ("common", "exceptions"):
        english, chinese = (LANGUAGES[language][section] for language in ("en", "zh-Hans"))
        assert english.keys() == chinese.keys()
        for key in english:
            assert fields(str(english[key])[1:-1] if section == "exceptions" else english[key]) == fields(
                str(chinese[key])[1:-1] if section == "exceptions" else chinese[key]
            ), key


def test_every_refusal_of_the_core_has_a_sentence_whose_gaps_it_fills() -> None:
    found = list(errors_of_the_core())
    assert found
    for language in LANGUAGES.values():
        for key, given, place in found:
            assert key in language["exceptions"], f"{key} at {place}"
            assert fields(language["exceptions"][key]["message"]) <= given, f"{key} at {place}"


def test_everything_the_code_says_is_written() -> None:
    common = LANGUAGES["en"]["common"]
    said = set()
    for file in (FOLDER / "texts.py", FOLDER / "approvals.py", *(FOLDER / "notifiers").glob("*.py")):
        said |= set(re.findall(r"\bsay\(\"([a-z_]+)\"", file.read_text("utf-8")))
    said |= {f"button_{verb}" for verb in BUTTONS} | {f"answer_{verb}" for verb in BUTTONS}
    assert said
    assert said <= set(common)


def test_an_approval_shows_what_how_much_and_why() -> None:
    told = texts().approval(FACTS, {})
    assert told.title == "Shall Reelay fetch Dune (2021)?"
    for part in (
        "Season 1, 2",
        "Episode 1-8,10",
        "18.0 GB",
        "62 %",
        "not sure enough",
        "without your approval",
    ):
        assert part in told.message


def test_what_is_unknown_is_left_out_or_said() -> None:
    bare = FACTS | {"title": "", "year": None, "kind": None, "seasons": [], "episodes": "", "share": None}
    told = texts().approval(bare | {"confidence": None, "reasons": []}, {})
    assert told.title == "Shall Reelay fetch #7?"
    assert "not been looked into" in told.message
    assert "None" not in told.message


def test_attention_says_all_three_and_names_the_files() -> None:
    data = {"code": "landed_partly", "detail": {"missing": ["a/01.mkv", "a/02.mkv"], "files": 9}}
    told = texts().attention(FACTS, data)
    for part in PARTS:
        assert LANGUAGES["en"]["common"][f"reason_landed_partly_{part}"] in told.message
    assert "a/01.mkv, a/02.mkv" in told.message


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        ({"category": "drive", "state": "bad", "reason": "login_dead", "since": 0}, ["login", "Since"]),
        ({"category": "drive", "state": "good", "reason": None, "since": 0}, ["can be used again"]),
        ({"category": "source:demo", "state": "bad", "reason": "x", "since": 0}, ["The source demo"]),
        ({"category": "teapot", "state": "bad"}, ["teapot"]),
    ],
)
def test_alerts_name_what_and_since_when(data: dict[str, Any], parts: list[str]) -> None:
    told = texts().alert(data)
    for part in parts:
        assert part in told.message


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("Dune\n\nApprove all\x00\x1b[31m", "Dune Approve all [31m"),
        ("\u202egnp.exe\u2066", "gnp.exe"),
        ("zero\u200bwidth\ufeff", "zero width"),
        ("<b>bold</b><img src=x onerror=alert(1)>", "‹b›bold‹/b›‹img src=x onerror=alert(1)›"),
        ("see https://115.com/s/abc?password=ab12 now", "see now"),
        ("magnet:?xt=urn:btih:abc ed2k://|file|a|1|b|/", ""),
        ("javascript://x tg://join?invite=1 www.example.com/x", ""),
        ("x" * 500, "x" * 119 + "…"),
        ("{title.__class__} {0} %s", "{title.__class__} {0} %s"),
    ],
)
def test_what_strangers_write_is_one_harmless_line(hostile: str, shown: str) -> None:
    assert plain(hostile) == shown
    told = texts().approval(FACTS | {"title": hostile, "source": hostile}, {})
    assert "\n" not in told.title
    assert "://" not in told.title + told.message


def test_a_title_of_a_megabyte_takes_no_time() -> None:
    assert len(plain("ｘ\u200b" * 1_000_000)) <= 120


def test_markdown_of_strangers_stays_text() -> None:
    said = Texts({"component.reelay.common.concerns": "{names}"}, markdown)
    shown = said.say("concerns", names="[click](x) **b** `c` # d")
    assert shown == r"\[click\]\(x\) \*\*b\*\* \`c\` \# d"


def test_data_with_any_name_fills_gaps_only() -> None:
    data = {"self": 1, "key": 2, "plugin": "p", "reason": "r"}
    assert texts().happened("plugin_asks", data) == "The plugin p wants you to decide: r"
    assert texts().happened("plugin_asks", {}) == "The plugin … wants you to decide: …"


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KB"), (700 * 1024**2, "700 MB"), (5 * 1024**4, "5.0 TB")],
)
def test_sizes_are_those_of_the_posts(count: int, shown: str) -> None:
    assert size(count) == shown


async def test_people_read_the_language_home_assistant_is_set_to(hass: HomeAssistant) -> None:
    hass.config.language = "zh-Hans"
    assert (await async_texts(hass)).approval(FACTS, {}).title == "是否转存 Dune (2021)？"
    hass.config.language = "fr"
    assert (await async_texts(hass)).state("done") == "Done"


def test_an_answer_comes_back_as_it_was_given() -> None:
    for verb in BUTTONS:
        answer = Answer(verb, 7, 0)
        assert Answer.parse(answer.action) == answer
        assert len(answer.action) < 64
    for nothing in (None, 7, [], "", "REELAY:", "REELAY:APPROVE:0:1", "XREELAY:APPROVE:1:1"):
        assert Answer.parse(nothing) is None


def test_sentences_are_made_in_one_place_only() -> None:
    """The face's other files hold no English sentence for people: they would have no Chinese one."""
    for file in (FOLDER / "approvals.py", FOLDER / "services.py", *(FOLDER / "notifiers").glob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        documented = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if _may_document(node)}
        logged = {
            call.args[0].value
            for call in ast.walk(tree)
            if isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == "_LOGGER"
            and isinstance(call.args[0], ast.Constant)
        }
        said = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        assert not [text for text in said - documented - logged if len(text.split()) > 3], file
    assert module.__doc__


def _may_document(node: ast.AST) -> bool:
    return isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
