"""The database: SQL lives in this room only, rows go no further, and no rule of business is decided here."""
