"""Scores everything that lies in the shared data folder: messages, suites of names, reduced bug reports.

Prints rates, verdicts (right, wrong, refused) and, with `--misses`, whatever isn't right. Ends with 1 below a goal.
What isn't there is skipped. `--messages FILE` scores that file alone.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.evaluation import cases, messages, names, peers
from scripts.evaluation.conflicts import CONFLICTS
from scripts.evaluation.core import ROOT, core, rows

DATA = ROOT.parent / "shared" / "data"
#: Parts of one; `wrong` and `refused` are the most that may be.
GOALS = {"links": 1.0, "messages": 0.9, "numbers": 0.97, "wrong": 0.005, "refused": 0.05, "cases": 0.95}
MOST_CONFLICTS, MILLISECONDS = 0.01, 0.15
#: A single row of a small suite is more than the part that may be wrong.
ONE_ROW = 1


def evaluate(data: Path, only: Path | None, *, with_peers: bool) -> dict[str, Any]:
    """Everything in one report."""
    report: dict[str, Any] = {"below": []}
    lines = rows(only or data / "messages.jsonl")
    if lines:
        report["messages"] = messages.evaluate(lines)
        _goal(report, "links and codes", report["messages"]["links_and_codes"] >= GOALS["links"])
        _goal(report, "messages fully right", report["messages"]["media_fully_right"] >= GOALS["messages"])
    if only:
        return report
    report["suites"] = {}
    texts: list[str] = []
    readers = peers.installed() if with_peers else {}
    for suite in names.SUITES:
        given = rows(data / "corpora" / f"{suite}.jsonl")
        if given:
            texts += [row["input"] for row in given if isinstance(row["input"], str)]
            report["suites"][suite] = _suite(report, suite, given, readers)
    if texts:
        core("media.episodes").from_name("warm.S01E01.mkv")
        report["milliseconds_per_name"] = round(names.cold(list(dict.fromkeys(texts))), 4)
        _goal(report, "time per name", report["milliseconds_per_name"] <= MILLISECONDS)
    reported = rows(data / "cases.jsonl")
    if reported:
        report["cases"] = cases.score(reported)
        areas = [report["cases"]["areas"][area] for area in cases.AREAS if area in report["cases"]["areas"]]
        right, wrong = sum(each["right"] for each in areas), sum(each["wrong"] for each in areas)
        report["cases"]["rate"] = round(right / max(right + wrong, 1), 4)
        _goal(report, "cases", report["cases"]["rate"] >= GOALS["cases"])
    return report


def _suite(
    report: dict[str, Any], suite: str, given: list[dict[str, Any]], readers: dict[str, Any]
) -> dict[str, Any]:
    goals = names.goals(given)
    counts, misses = names.score(goals, names.reelay)
    conflicts = [row["id"] for row in given if row["id"] in CONFLICTS]
    numbered = counts.get("season+episode")
    if numbered:
        total = sum(numbered.values())
        _goal(report, f"{suite}: season and episode", numbered["right"] >= GOALS["numbers"] * total)
        _goal(report, f"{suite}: accepted wrong", numbered["wrong"] <= max(GOALS["wrong"] * total, ONE_ROW))
        _goal(report, f"{suite}: refused", numbered["refused"] <= GOALS["refused"] * total)
    refusing = counts.get("must refuse")
    if refusing:
        _goal(report, f"{suite}: must refuse", refusing["right"] == sum(refusing.values()))
    _goal(report, f"{suite}: label conflicts", len(conflicts) <= MOST_CONFLICTS * len(given))
    return {
        "counts": counts,
        "conflicts": {row: CONFLICTS[row] for row in conflicts},
        "misses": misses,
        "peers": {name: peers.score(goals, read) for name, read in readers.items()},
    }


def _goal(report: dict[str, Any], name: str, reached: bool) -> None:
    if not reached:
        report["below"].append(name)


def show(report: dict[str, Any], *, misses: bool) -> None:
    """The report for people."""
    if found := report.get("messages"):
        for each in found["wrong"]:
            print(f"{each['id']:8} {each['field']:15} got {each['got']!r}, expected {each['expected']!r}")
        for name, field in found["fields"].items():
            print(f"{name:15} {field['right']:5} of {field['of']:5}  {field['right'] / field['of']:7.1%}")
        print(
            f"links and codes {found['links_and_codes']:.1%}, media fully right {found['media_fully_right']:.1%}"
        )
    for suite, each in report.get("suites", {}).items():
        print(f"\n{suite} ({len(each['conflicts'])} label conflicts)")
        _counts("  reelay", each["counts"])
        for name, peer in each["peers"].items():
            _counts(f"  {name} ({peer['milliseconds']} ms)", peer["counts"])
        for miss in each["misses"] if misses else ():
            print(
                f"    {miss['verdict']:8} {miss['what']:15} {miss['id']} {miss['input'][:120]} {miss['got']}"
            )
    if "milliseconds_per_name" in report:
        print(f"\n{report['milliseconds_per_name']} ms per name, each read once")
    if found := report.get("cases"):
        for area, count in found["areas"].items():
            print(
                f"cases {area:10} right {count['right']:4} wrong {count['wrong']:4} other {count['other']:4}"
            )
        for miss in found["wrong"]:
            print(f"    {miss['id']} {'; '.join(miss['differs'])}")
        print(f"cases {found['rate']:.1%}")
    print("\nbelow a goal: " + (", ".join(report["below"]) or "nothing"))


def _counts(name: str, counts: dict[str, dict[str, int]]) -> None:
    for what, count in counts.items():
        total = sum(count.values())
        print(f"{name:26} {what:15} {count['right'] / total:7.1%} of {total:4}"
              f"  wrong {count['wrong']:3}  refused {count['refused']:3}")  # fmt: skip


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--messages", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true", help="print every row that isn't right")
    parser.add_argument("--no-peers", action="store_true", help="leave out guessit and PTT")
    arguments = parser.parse_args()
    report = evaluate(arguments.data, arguments.messages, with_peers=not arguments.no_peers)
    if arguments.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        show(report, misses=arguments.misses)
    return 1 if report["below"] else 0


if __name__ == "__main__":
    sys.exit(main())
