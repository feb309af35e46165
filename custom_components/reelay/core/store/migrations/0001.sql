-- Times are ms since the epoch. Keys hold no NULL: a film has season and episode -1, specials are season 0.
-- Every table has its rowid as the last column of each index: (state) is an index on (state, id).

CREATE TABLE policies (
  key TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE marks (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  category TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  reason TEXT,
  told INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- An emptied body is what retention leaves of a message: its identity stays known.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  message_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  posted INTEGER NOT NULL,
  received INTEGER NOT NULL,
  facts_hash TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (source, message_id, revision)
) STRICT;

CREATE TABLE tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message INTEGER NOT NULL REFERENCES messages (id),
  source TEXT NOT NULL,
  offer TEXT NOT NULL,
  state TEXT NOT NULL,
  round INTEGER NOT NULL,
  lane TEXT,
  interactive INTEGER NOT NULL,
  due_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  retry_from TEXT,
  waits_for INTEGER,
  wanted_by TEXT,
  follows INTEGER REFERENCES tasks (id) ON DELETE SET NULL,
  policy TEXT NOT NULL,
  title TEXT NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  received INTEGER NOT NULL DEFAULT 0,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  context TEXT NOT NULL,
  UNIQUE (message, offer)
) STRICT;
CREATE INDEX tasks_ready ON tasks (lane, interactive, ifnull(due_at, 0)) WHERE lane IS NOT NULL;
CREATE INDEX tasks_state ON tasks (state);
CREATE INDEX tasks_source ON tasks (source, state);
CREATE INDEX tasks_recent ON tasks (state, updated);
CREATE INDEX tasks_offer ON tasks (offer);
CREATE INDEX tasks_waiting ON tasks (waits_for) WHERE waits_for IS NOT NULL;
CREATE INDEX tasks_follows ON tasks (follows) WHERE follows IS NOT NULL;
CREATE INDEX tasks_retrying ON tasks (due_at) WHERE state = 'failed' AND due_at IS NOT NULL;
CREATE INDEX tasks_prunable ON tasks (policy, updated) WHERE state IN ('skipped', 'rejected') AND sent = 0;

-- The id is the public id of the event: never given twice.
CREATE TABLE trace (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  actor TEXT NOT NULL,
  code TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX trace_task ON trace (task);

-- `told`: the notification is on a screen and its receipt still to be cleared, also while the row is open again.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  task INTEGER NOT NULL,
  round INTEGER NOT NULL,
  target TEXT NOT NULL,
  at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  data TEXT NOT NULL,
  told INTEGER NOT NULL DEFAULT 0,
  receipt TEXT,
  closed_at INTEGER,
  outcome TEXT,
  reason TEXT,
  UNIQUE (kind, task, round, target)
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE closed_at IS NULL;
CREATE INDEX outbox_closed ON outbox (outcome, closed_at) WHERE closed_at IS NOT NULL;

CREATE TABLE works (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  tmdb INTEGER,
  year INTEGER,
  title TEXT NOT NULL,
  titles TEXT NOT NULL,
  keys TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX works_tmdb ON works (tmdb, kind) WHERE tmdb IS NOT NULL;
CREATE UNIQUE INDEX works_keys ON works (keys, kind, ifnull(year, 0)) WHERE tmdb IS NULL;

CREATE TABLE work_titles (
  title_key TEXT NOT NULL,
  work INTEGER NOT NULL REFERENCES works (id),
  PRIMARY KEY (title_key, work)
) STRICT, WITHOUT ROWID;

CREATE TABLE batches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  phase TEXT NOT NULL,
  provider TEXT NOT NULL,
  root TEXT NOT NULL,
  share TEXT NOT NULL,
  staging_name TEXT NOT NULL,
  staging_id TEXT,
  answer TEXT,
  looks INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0,
  sent INTEGER
) STRICT;
CREATE INDEX batches_task ON batches (task, n);
CREATE UNIQUE INDEX batches_current ON batches (task, n) WHERE phase <> 'ended';
CREATE INDEX batches_share ON batches (share, provider, root);
CREATE INDEX batches_open ON batches (phase) WHERE phase IN ('draft', 'prepared', 'receiving', 'accepted', 'unknown');

-- Manifest, receipt and plan: one row that fills up.
CREATE TABLE files (
  batch INTEGER NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha1 TEXT,
  role TEXT NOT NULL,
  work INTEGER NOT NULL REFERENCES works (id),
  season INTEGER NOT NULL,
  episode INTEGER NOT NULL,
  episode_last INTEGER NOT NULL,
  part TEXT NOT NULL,
  received_id TEXT,
  folder TEXT,
  name TEXT,
  placed TEXT,
  PRIMARY KEY (batch, source_id)
) STRICT, WITHOUT ROWID;

-- The batch belongs to the key: two batches of one task may carry files of one episode, and each lets go by itself.
CREATE TABLE claims (
  provider TEXT NOT NULL,
  root TEXT NOT NULL,
  work INTEGER NOT NULL REFERENCES works (id),
  season INTEGER NOT NULL,
  episode INTEGER NOT NULL,
  share TEXT NOT NULL,
  batch INTEGER NOT NULL REFERENCES batches (id),
  PRIMARY KEY (provider, root, work, season, episode, share, batch)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_batch ON claims (batch);
CREATE INDEX claims_share ON claims (share);

-- `task` is no reference: what is stored outlives the record of how it came.
CREATE TABLE library (
  work INTEGER NOT NULL REFERENCES works (id),
  season INTEGER NOT NULL,
  episode INTEGER NOT NULL,
  provider TEXT NOT NULL,
  root TEXT NOT NULL,
  file_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  task INTEGER,
  release TEXT NOT NULL,
  folder TEXT,
  name TEXT,
  added INTEGER NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (work, season, episode, provider, root, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_task ON library (task) WHERE task IS NOT NULL;
CREATE INDEX library_file ON library (file_id);

CREATE TABLE resources (
  provider TEXT NOT NULL,
  root TEXT NOT NULL,
  key TEXT NOT NULL,
  task INTEGER NOT NULL,
  files_hash TEXT NOT NULL,
  PRIMARY KEY (provider, root, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE plugin_state (
  task INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  plugin TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (task, plugin)
) STRICT;
