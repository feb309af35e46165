"""The named points of a transfer at which a crash must be survivable. Tests stop or kill the process there."""

from enum import StrEnum


class Point(StrEnum):
    """Before and after each commit and each write to the drive, in the order of a task's way."""

    BEFORE_PREPARE_COMMIT = "before_prepare_commit"
    AFTER_PREPARE_COMMIT = "after_prepare_commit"
    BEFORE_STAGING_FOLDER = "before_staging_folder"
    AFTER_STAGING_FOLDER = "after_staging_folder"
    BEFORE_CHECKPOINT_COMMIT = "before_checkpoint_commit"
    AFTER_CHECKPOINT_COMMIT = "after_checkpoint_commit"
    BEFORE_SEND = "before_send"
    AFTER_SEND = "after_send"
    BEFORE_ANSWER_COMMIT = "before_answer_commit"
    AFTER_ANSWER_COMMIT = "after_answer_commit"
    BEFORE_RECEIPT_COMMIT = "before_receipt_commit"
    AFTER_RECEIPT_COMMIT = "after_receipt_commit"
    BEFORE_DESTINATION_FOLDER = "before_destination_folder"
    AFTER_DESTINATION_FOLDER = "after_destination_folder"
    BEFORE_RENAME = "before_rename"
    AFTER_RENAME = "after_rename"
    BEFORE_MOVE = "before_move"
    AFTER_MOVE = "after_move"
    BEFORE_DELETION_COMMIT = "before_deletion_commit"
    AFTER_DELETION_COMMIT = "after_deletion_commit"
    BEFORE_TRASH = "before_trash"
    AFTER_TRASH = "after_trash"
    BEFORE_PLACED_COMMIT = "before_placed_commit"
    AFTER_PLACED_COMMIT = "after_placed_commit"
    BEFORE_DONE_COMMIT = "before_done_commit"
    AFTER_DONE_COMMIT = "after_done_commit"
