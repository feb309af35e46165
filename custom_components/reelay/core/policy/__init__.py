"""The effective configuration of one source: its schema, how it is merged, and its snapshot by content."""
