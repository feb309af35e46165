import sqlite3
from dataclasses import replace

import pytest

from custom_components.reelay.core.model.share import Phase
from custom_components.reelay.core.store import batches

from .rows import add_batch, add_task, add_work, file


def test_batches_come_back_by_number_without_those_given_up(tx: sqlite3.Connection) -> None:
    task = add_task(tx)
    second, first = add_batch(tx, task, 2), add_batch(tx, task, 1)
    gone = add_batch(tx, task, 3)
    [ended] = [batch for batch in batches.of_task(tx, task) if batch.id == gone]
    batches.save(tx, replace(ended, phase=Phase.ENDED))

    assert [batch.id for batch in batches.of_task(tx, task)] == [first, second]
    assert [batch.id for batch in batches.of_task(tx, task, ended=True)] == [first, second, gone]


def test_what_can_change_about_a_batch_is_written(tx: sqlite3.Connection) -> None:
    number = add_batch(tx, add_task(tx))
    [batch] = batches.of_task(tx, 1)
    assert (batch.id, batch.provider, batch.root, batch.share) == (number, "demo", "/Reelay", "share:abc")
    new = replace(
        batch,
        phase=Phase.UNKNOWN,
        staging_name="other",
        staging_id="77",
        answer="words",
        looks=3,
        unchanged=2,
        sent=9,
    )

    batches.save(tx, new)

    assert batches.of_task(tx, 1) == [new]
    assert batches.in_flight(tx) == [new]


def test_a_number_is_free_again_once_its_batch_has_ended(tx: sqlite3.Connection) -> None:
    task = add_task(tx)
    add_batch(tx, task)
    with pytest.raises(sqlite3.IntegrityError):
        add_batch(tx, task)
    batches.save(tx, replace(batches.of_task(tx, task)[0], phase=Phase.ENDED))
    add_batch(tx, task)


def test_a_file_fills_up_from_manifest_to_receipt_to_plan(tx: sqlite3.Connection) -> None:
    batch = add_batch(tx, add_task(tx))
    work = add_work(tx)
    made = [
        file(batch, "b", work, path="2.mkv", season=1, episode=3, episode_last=4, part="cd1", sha1="AB"),
        file(batch, "a", work, path="1.mkv"),
    ]
    batches.add_files(tx, batch, made)
    assert batches.files(tx, batch) == made[::-1]

    placed = replace(made[0], received_id="r", folder="Series/X", name="x.mkv", placed="placed")
    batches.save_files(tx, [placed])

    assert batches.files(tx, batch) == [made[1], placed]


def test_drafts_are_dropped_with_their_files(tx: sqlite3.Connection) -> None:
    task, work = add_task(tx), add_work(tx)
    draft, kept = add_batch(tx, task, 1, Phase.DRAFT), add_batch(tx, task, 2)
    for batch in (draft, kept):
        batches.add_files(tx, batch, [file(batch, "a", work)])

    assert batches.drop_drafts(tx, task) == 1

    assert batches.files(tx, draft) == []
    assert [one.batch for one in batches.files_of_task(tx, task)] == [kept]


def test_only_files_that_landed_from_a_share_count_as_manifested(tx: sqlite3.Connection) -> None:
    work = add_work(tx)
    cases = [("a", Phase.LANDED, "s1"), ("b", Phase.UNKNOWN, "s1"), ("c", Phase.LANDED, "s2")]
    for number, (source_id, phase, share) in enumerate(cases):
        batch = add_batch(tx, add_task(tx, number), phase=phase, share=share)
        missing = replace(file(batch, f"missing {source_id}", work), path="missing.mkv")
        batches.add_files(tx, batch, [file(batch, source_id, work), missing])
        batches.save_files(tx, [replace(file(batch, source_id, work), received_id=f"here {source_id}")])

    assert batches.manifested(tx, "demo", "/Reelay", "s1") == {"a"}
    assert batches.manifested(tx, "demo", "/elsewhere", "s1") == set()


def test_files_of_ended_batches_are_history(tx: sqlite3.Connection) -> None:
    task, work = add_task(tx), add_work(tx)
    batch = add_batch(tx, task)
    batches.add_files(tx, batch, [file(batch, "a", work)])
    batches.save(tx, replace(batches.of_task(tx, task)[0], phase=Phase.ENDED))
    assert batches.files_of_task(tx, task) == []
    assert len(batches.files(tx, batch)) == 1
