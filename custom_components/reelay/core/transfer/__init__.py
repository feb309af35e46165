"""Rules for transferring exactly once and filing: against a drive's verbs, in model values, without lanes."""
