"""The vocabulary: immutable values that every other room speaks in. Nothing here does I/O."""
