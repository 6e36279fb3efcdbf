-- All tables of the first release. Frozen: each later change of a table is a migration of its own. Words in capitals differ by engine:
-- migrations.ts. Columns that can be large stand last: SQLite reads a row from its start.

create table data_keys (
  id ID primary key,
  purpose text not null,
  wrapped BYTES not null,
  created_at INTEGER not null
);

create table processes (
  id ID primary key,
  version text not null,
  knows ID not null,
  opens_with ID,
  seals_with ID,
  host text not null,
  pid INTEGER not null,
  started_at INTEGER not null,
  seen_at INTEGER not null
);

create table clock (
  id INTEGER primary key,
  seen_at INTEGER not null,
  boot text,
  uptime_ms INTEGER not null
);

create table jobs (
  id ID primary key,
  kind text not null,
  state text not null,
  attempts INTEGER not null,
  run_at INTEGER not null,
  lease_token text,
  lease_until INTEGER,
  unique_key text,
  last_error text,
  created_at INTEGER not null,
  payload BYTES not null
);
create index jobs_leased on jobs (kind, state, lease_until);
create index jobs_ready on jobs (kind, state, run_at);
create unique index jobs_unique on jobs (kind, unique_key) where state != 'dead';

create table idempotency_keys (
  scope text not null,
  key_digest BYTES not null,
  request_digest BYTES not null,
  resource ID not null,
  expires_at INTEGER not null,
  reply BYTES not null,
  constraint idempotency_keys_pk primary key (scope, key_digest)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
create index idempotency_keys_resource on idempotency_keys (resource);

create table strings (
  owner ID not null,
  id ID not null,
  created_at INTEGER not null,
  bytes INTEGER not null,
  value text not null,
  constraint strings_pk primary key (owner, id)
);
-- Adds up the store without reading the values.
create index strings_sizes on strings (bytes, owner);

create table api_keys (
  id ID primary key,
  lookup BYTES not null unique,
  sealed_key BYTES not null,
  kind text not null,
  label text,
  customer_id text,
  api_id text,
  usage_plan_id text,
  product_code text,
  status text not null,
  client_id text unique,
  client_secret_digest BYTES,
  when_created INTEGER not null,
  last_updated INTEGER not null,
  embed_origins text,
  mac BYTES not null
);

create table api_key_uses (
  key_id ID primary key,
  used_at INTEGER not null
);

create table api_key_traits (
  key_id ID primary key,
  native_app INTEGER not null,
  kiosk INTEGER not null,
  mac BYTES not null
);

create table recent_checks (
  digest BYTES not null,
  seen_at INTEGER not null,
  checks INTEGER not null,
  constraint recent_checks_pk primary key (digest, seen_at)
);
create index recent_checks_by_time on recent_checks (seen_at);

create table recent_logs (
  digest BYTES primary key,
  seen_at INTEGER not null
);
create index recent_logs_by_time on recent_logs (seen_at);

create table signing_keys (
  id ID primary key,
  world text not null,
  number INTEGER not null,
  created_at INTEGER not null,
  signs_from INTEGER not null,
  sealed BYTES not null
);
create unique index signing_keys_number on signing_keys (world, number);

create table galleries (
  id ID primary key,
  customer ID not null,
  world text not null,
  model_version ID not null,
  dimensions INTEGER not null,
  guid ID not null unique,
  version INTEGER not null,
  log_floor INTEGER not null,
  people INTEGER not null,
  embeddings INTEGER not null,
  tokens INTEGER not null,
  token_epoch ID,
  created_at INTEGER not null,
  mac BYTES not null,
  constraint galleries_of_owner unique (customer, world, model_version, dimensions)
);

create table people (
  id ID primary key,
  gallery_id ID not null references galleries (id),
  puid ID not null unique,
  identifier_digest BYTES,
  enroll_level INTEGER not null,
  created_at INTEGER not null,
  provisional_session ID,
  mac BYTES not null
);
create index people_identifier on people (gallery_id, identifier_digest, id);
create index people_provisional on people (provisional_session) where provisional_session is not null;
-- Lists the people of a gallery that a search leaves out.
create index people_provisional_gallery on people (gallery_id, id) where provisional_session is not null;

create table embeddings (
  gallery_id ID not null references galleries (id),
  seq INTEGER not null,
  id ID not null,
  person_id ID not null references people (id) on delete cascade,
  mac BYTES not null,
  sealed BYTES not null,
  constraint embeddings_pk primary key (gallery_id, seq)
);
create index embeddings_person on embeddings (person_id);

create table gallery_removals (
  gallery_id ID not null references galleries (id),
  version INTEGER not null,
  seq INTEGER not null,
  removed_at INTEGER not null,
  constraint gallery_removals_pk primary key (gallery_id, version)
);
create index gallery_removals_age on gallery_removals (removed_at);

create table enrolling_sessions (
  person_id ID not null references people (id) on delete cascade,
  session_id ID not null,
  joined_at INTEGER not null,
  constraint enrolling_sessions_pk primary key (person_id, session_id)
);
create index enrolling_sessions_session on enrolling_sessions (session_id);

create table person_keys (
  person_id ID primary key references people (id) on delete cascade,
  sealed BYTES not null
);

create table key_holder (
  one INTEGER primary key,
  identity BYTES not null,
  thread ID,
  recorded_at INTEGER not null
);

create table tokens (
  gallery_id ID not null references galleries (id),
  seq INTEGER not null,
  id ID not null,
  person_id ID not null references people (id) on delete cascade,
  epoch ID not null,
  created_at INTEGER not null,
  sealed BYTES not null,
  constraint tokens_pk primary key (gallery_id, seq)
);
-- Finds the tokens that still have the previous key.
create index tokens_epoch on tokens (gallery_id, epoch, seq);
create index tokens_person on tokens (person_id);

-- Deleting one of the four tokens deletes the block.
create table token_blocks (
  gallery_id ID not null references galleries (id),
  seq INTEGER not null,
  id ID not null,
  epoch ID not null,
  created_at INTEGER not null,
  token_0 INTEGER not null,
  token_1 INTEGER not null,
  token_2 INTEGER not null,
  token_3 INTEGER not null,
  person_0 ID not null,
  person_1 ID not null,
  person_2 ID not null,
  person_3 ID not null,
  sealed BYTES not null,
  constraint token_blocks_pk primary key (gallery_id, seq),
  constraint token_blocks_token_0 foreign key (gallery_id, token_0) references tokens (gallery_id, seq) on delete cascade,
  constraint token_blocks_token_1 foreign key (gallery_id, token_1) references tokens (gallery_id, seq) on delete cascade,
  constraint token_blocks_token_2 foreign key (gallery_id, token_2) references tokens (gallery_id, seq) on delete cascade,
  constraint token_blocks_token_3 foreign key (gallery_id, token_3) references tokens (gallery_id, seq) on delete cascade
);
create index token_blocks_by_token_0 on token_blocks (gallery_id, token_0);
create index token_blocks_by_token_1 on token_blocks (gallery_id, token_1);
create index token_blocks_by_token_2 on token_blocks (gallery_id, token_2);
create index token_blocks_by_token_3 on token_blocks (gallery_id, token_3);

create table passkeys (
  credential_id ID primary key,
  customer ID not null,
  world text not null,
  person_id ID not null references people (id) on delete cascade,
  public_key BYTES not null,
  counter INTEGER not null,
  transports text not null,
  vouched INTEGER not null,
  created_at INTEGER not null,
  last_used_at INTEGER not null,
  mac BYTES not null
);
create index passkeys_person on passkeys (person_id);

create table person_devices (
  id ID primary key,
  customer ID not null,
  world text not null,
  person_id ID not null references people (id) on delete cascade,
  public_key BYTES not null,
  local_uses INTEGER not null,
  vouched INTEGER not null,
  provisional_session ID,
  created_at INTEGER not null,
  last_used_at INTEGER not null,
  mac BYTES not null
);
create index person_devices_person on person_devices (person_id);
create index person_devices_provisional on person_devices (provisional_session) where provisional_session is not null;

-- Fill factor: each page keeps room for the next versions of its rows.
create table sessions (
  id ID primary key,
  kind text not null,
  token_lookup BYTES not null unique,
  customer ID not null,
  world text not null,
  api_key_id ID not null,
  state text not null,
  created_at INTEGER not null,
  expires_at INTEGER not null,
  ended_at INTEGER,
  purge_at INTEGER,
  person_id ID,
  end_state text,
  sealed BYTES not null,
  outcome BYTES
) FILLFACTOR_85;
create index sessions_created on sessions (created_at, id);
-- The timer of ended sessions; the one of open sessions has an index of its own, `sessions_open`.
create index sessions_ended on sessions (purge_at, id) where purge_at is not null;
-- Written once per session. An index on `state`, which changes with every step, would rule out heap-only updates.
create index sessions_ended_as on sessions (end_state, created_at, id) where end_state is not null;
create index sessions_key on sessions (api_key_id, created_at, id);
create index sessions_kind on sessions (kind, created_at, id);
create index sessions_open on sessions (expires_at, id) where ended_at is null;
create index sessions_person on sessions (person_id, purge_at, id) where person_id is not null;
create index sessions_world on sessions (world, created_at, id);

create table session_marks (
  mark BYTES not null,
  created_at INTEGER not null,
  session_id ID not null,
  constraint session_marks_key primary key (mark, created_at, session_id)
);
create index session_marks_session on session_marks (session_id);

create table device_channels (
  session_id ID primary key,
  revision INTEGER not null,
  sealed BYTES not null
);

create table handoff_boxes (
  session_id ID primary key,
  expires_at INTEGER not null,
  sealed BYTES not null
);
create index handoff_boxes_expiry on handoff_boxes (expires_at);

create table session_evidence (
  session_id ID primary key references sessions (id) on delete cascade,
  sealed BYTES not null
);

create table session_selfies (
  session_id ID primary key references sessions (id) on delete cascade,
  nonce ID not null,
  sealed BYTES not null
);

create table wallet_links (
  id ID primary key,
  session_id ID not null references sessions (id) on delete cascade,
  expires_at INTEGER not null,
  sealed BYTES not null
);
create index wallet_links_expiry on wallet_links (expires_at);
create index wallet_links_session on wallet_links (session_id);

create table age_keys (
  id ID primary key,
  revision INTEGER not null,
  ends_at INTEGER not null,
  minted ID not null,
  sealed BYTES not null
);
create index age_keys_end on age_keys (ends_at);
create index age_keys_minted on age_keys (minted);

create table age_key_making (
  id ID primary key,
  made INTEGER not null,
  ends_at INTEGER not null
);
create index age_key_making_end on age_key_making (ends_at);

create table webhook_deliveries (
  id ID primary key,
  customer ID not null,
  world text not null,
  api_key_id ID not null,
  session_id ID not null,
  target text not null,
  state text not null,
  round INTEGER not null,
  attempts INTEGER not null,
  attempts_before INTEGER not null,
  next_attempt_at INTEGER,
  last_attempt_at INTEGER,
  last_status INTEGER,
  last_error text,
  created_at INTEGER not null,
  ended_at INTEGER,
  purge_at INTEGER not null,
  sealed BYTES,
  tries BYTES
);
-- Partial, because with a long retention most old rows still have a body.
create index webhook_deliveries_bodiless on webhook_deliveries (created_at) where sealed is null;
create index webhook_deliveries_dead on webhook_deliveries (id) where state = 'dead';
create index webhook_deliveries_owner on webhook_deliveries (customer, world, id);
create index webhook_deliveries_pending on webhook_deliveries (created_at) where state = 'pending';
create index webhook_deliveries_purge on webhook_deliveries (purge_at) where sealed is not null;
create index webhook_deliveries_session on webhook_deliveries (session_id, id);

create table watched_subjects (
  id ID primary key,
  customer ID not null,
  world text not null,
  api_key_id ID not null,
  reference_digest BYTES not null,
  revision INTEGER not null,
  state text not null,
  created_at INTEGER not null,
  changed_at INTEGER not null,
  screened_at INTEGER,
  hit_state text not null,
  engine INTEGER not null,
  more_hits INTEGER not null,
  sealed BYTES not null
);
create index watched_subjects_by_hit_state on watched_subjects (customer, world, hit_state, id);
create index watched_subjects_by_state on watched_subjects (customer, world, state, id);
-- Small: nearly all subjects are screened nearly always.
create index watched_subjects_due on watched_subjects (id) where state = 'due';
create index watched_subjects_engine on watched_subjects (state, engine, id);
create index watched_subjects_hits on watched_subjects (hit_state, id);
create index watched_subjects_owner on watched_subjects (customer, world, id);
create index watched_subjects_progress on watched_subjects (customer, world, state, engine);
-- Covers the question asked of all subjects, whose rows are large.
create index watched_subjects_versions on watched_subjects (id, changed_at);
create index watched_subjects_world on watched_subjects (world, id);
create unique index watched_subjects_reference on watched_subjects (reference_digest);

create table watched_hits (
  id ID primary key,
  subject_id ID not null,
  entity_digest BYTES not null,
  found_at INTEGER not null,
  changed_at INTEGER not null,
  is_open INTEGER not null,
  sealed BYTES not null
);
create index watched_hits_entity on watched_hits (entity_digest);
create unique index watched_hits_subject on watched_hits (subject_id, entity_digest);

create table screening_alerts (
  id ID primary key,
  customer ID not null,
  world text not null,
  subject_id ID not null,
  kind text not null,
  created_at INTEGER not null,
  sealed BYTES not null
);
create index screening_alerts_by_kind on screening_alerts (customer, world, kind, id);
create index screening_alerts_kind on screening_alerts (kind, id);
create index screening_alerts_owner on screening_alerts (customer, world, id);
create index screening_alerts_subject on screening_alerts (subject_id, id);

create table watched_lists (
  name ID primary key,
  version text not null,
  content text not null,
  built_at INTEGER not null,
  worked_at INTEGER not null,
  begun text not null,
  seen_at INTEGER not null,
  everybody_at INTEGER not null
);

create table shared_lists (
  name ID primary key,
  sum ID,
  sealed BYTES not null
);

create table shared_list_parts (
  sum ID not null,
  number INTEGER not null,
  created_at INTEGER not null,
  contents BYTES not null,
  constraint shared_list_parts_pk primary key (sum, number)
);

create table review_cases (
  id ID primary key,
  kind text not null,
  customer ID not null,
  world text not null,
  api_key_id ID not null,
  about ID not null,
  hit_id ID unique,
  person_id ID,
  state text not null,
  assignee_id ID,
  created_at INTEGER not null,
  due_at INTEGER not null,
  decided_at INTEGER,
  purge_at INTEGER,
  sealed BYTES not null
);
create index review_cases_about on review_cases (about);
create index review_cases_assignee on review_cases (assignee_id, state, due_at, id);
-- Covers every filter of the inbox.
create index review_cases_inbox on review_cases (state, due_at, id, kind, world, api_key_id, assignee_id);
-- Inbox of one kind: finds at once that no case of a kind waits.
create index review_cases_kind on review_cases (kind, state, due_at, id, world, api_key_id, assignee_id);
create index review_cases_person on review_cases (person_id) where person_id is not null;
create index review_cases_purge on review_cases (purge_at) where purge_at is not null;

create table review_notes (
  id ID primary key,
  case_id ID not null references review_cases (id) on delete cascade,
  at INTEGER not null,
  sealed BYTES not null
);
create index review_notes_case on review_notes (case_id, id);

create table review_tokens (
  token_lookup BYTES primary key,
  case_id ID not null references review_cases (id) on delete cascade
);
create index review_tokens_case on review_tokens (case_id);

create table operators (
  id ID primary key,
  name ID not null unique,
  role text not null,
  created_at INTEGER not null,
  mac BYTES not null
);

create table operator_invites (
  id ID primary key,
  operator_id ID not null,
  expires_at INTEGER not null,
  mac BYTES not null
);

create table operator_identities (
  id ID primary key,
  operator_id ID not null unique,
  created_at INTEGER not null,
  mac BYTES not null
);

create table operator_passkeys (
  credential_id ID primary key,
  operator_id ID not null,
  public_key BYTES not null,
  counter INTEGER not null,
  answered_at INTEGER not null,
  created_at INTEGER not null,
  mac BYTES not null
);

create table operator_sessions (
  id ID primary key,
  token_lookup BYTES not null unique,
  operator_id ID not null,
  created_at INTEGER not null,
  ends_at INTEGER not null,
  sealed BYTES not null
);

create table audit_lines (
  seq INTEGER primary key,
  at INTEGER not null,
  operator_id ID not null,
  act text not null,
  sealed BYTES not null
);
create index audit_lines_act on audit_lines (act, seq);
create index audit_lines_operator on audit_lines (operator_id, seq);

create table audit_segments (
  day ID primary key,
  first_seq INTEGER not null,
  lines INTEGER not null,
  start text not null,
  hash text not null,
  pruned INTEGER not null,
  signature BYTES not null
);

create table activity_counts (
  day ID not null,
  api_key_id ID not null,
  name ID not null,
  count INTEGER not null,
  constraint activity_counts_key primary key (day, api_key_id, name)
);
-- Keeps the counts of one key in one place.
create index activity_counts_of_key on activity_counts (api_key_id, day, name, count);

-- Read by ranges of days: without a rowid, SQLite needs one lookup per row, not two.
create table activity_totals (
  day ID not null,
  world text not null,
  name ID not null,
  count INTEGER not null,
  constraint activity_totals_key primary key (day, world, name)
) WITHOUT_ROWID;
