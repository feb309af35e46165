-- One row per call of a language model, its retries included; kept for 90 days.
CREATE TABLE llm_calls (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  purpose TEXT NOT NULL,
  model TEXT NOT NULL,
  ms INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  rung TEXT NOT NULL,
  validated INTEGER NOT NULL,
  trouble TEXT
) STRICT;
CREATE INDEX llm_calls_at ON llm_calls (at);
