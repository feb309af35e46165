"""Rows of the suites whose label contradicts another source, each with that source; they are counted, not scored."""

CONFLICTS: dict[str, str] = {}
