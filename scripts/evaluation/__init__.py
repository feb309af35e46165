"""Scores what Reelay understands against everything that lies in the shared data folder; see `scripts/eval`."""
