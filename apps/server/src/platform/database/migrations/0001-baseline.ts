// All tables of the first release. Frozen: each later change of a table is a migration of its own.
// Columns that can be large stand last: SQLite reads a row from its start.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import { type ColumnTypes, columnTypes } from './column-types.ts';
import type { Migration } from './migration.ts';

export const baseline: Migration = { name: '0001-baseline', phase: 'expand', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  const types = columnTypes(engine);
  const statements = [
    ...platformTables(types),
    ...keyTables(types),
    ...peopleTables(types),
    ...sessionTables(types, engine),
    ...screeningTables(types),
    ...consoleTables(types, engine),
  ];
  for (const statement of statements) await statement.execute(trx);
}

const platformTables = ({ id, integer, bytes }: ColumnTypes) => [
  sql`create table data_keys (
    id ${id} primary key,
    purpose text not null,
    wrapped ${bytes} not null,
    created_at ${integer} not null
  )`,
  sql`create table processes (
    id ${id} primary key,
    version text not null,
    knows ${id} not null,
    opens_with ${id},
    seals_with ${id},
    host text not null,
    pid ${integer} not null,
    started_at ${integer} not null,
    seen_at ${integer} not null
  )`,
  sql`create table clock (
    id ${integer} primary key,
    seen_at ${integer} not null,
    boot text,
    uptime_ms ${integer} not null
  )`,
  sql`create table jobs (
    id ${id} primary key,
    kind text not null,
    state text not null,
    attempts ${integer} not null,
    run_at ${integer} not null,
    lease_token text,
    lease_until ${integer},
    unique_key text,
    last_error text,
    created_at ${integer} not null,
    payload ${bytes} not null
  )`,
  sql`create index jobs_leased on jobs (kind, state, lease_until)`,
  sql`create index jobs_ready on jobs (kind, state, run_at)`,
  sql`create unique index jobs_unique on jobs (kind, unique_key) where state != 'dead'`,
  sql`create table idempotency_keys (
    scope text not null,
    key_digest ${bytes} not null,
    request_digest ${bytes} not null,
    resource ${id} not null,
    expires_at ${integer} not null,
    reply ${bytes} not null,
    constraint idempotency_keys_pk primary key (scope, key_digest)
  )`,
  sql`create index idempotency_keys_expiry on idempotency_keys (expires_at)`,
  sql`create index idempotency_keys_resource on idempotency_keys (resource)`,
  sql`create table strings (
    owner ${id} not null,
    id ${id} not null,
    created_at ${integer} not null,
    bytes ${integer} not null,
    value text not null,
    constraint strings_pk primary key (owner, id)
  )`,
  // Adds up the store without reading the values.
  sql`create index strings_sizes on strings (bytes, owner)`,
];

const keyTables = ({ id, integer, bytes }: ColumnTypes) => [
  sql`create table api_keys (
    id ${id} primary key,
    lookup ${bytes} not null unique,
    sealed_key ${bytes} not null,
    kind text not null,
    label text,
    customer_id text,
    api_id text,
    usage_plan_id text,
    product_code text,
    status text not null,
    client_id text unique,
    client_secret_digest ${bytes},
    when_created ${integer} not null,
    last_updated ${integer} not null,
    embed_origins text,
    mac ${bytes} not null
  )`,
  sql`create table api_key_uses (
    key_id ${id} primary key,
    used_at ${integer} not null
  )`,
  sql`create table api_key_traits (
    key_id ${id} primary key,
    native_app ${integer} not null,
    kiosk ${integer} not null,
    mac ${bytes} not null
  )`,
  sql`create table recent_checks (
    digest ${bytes} not null,
    seen_at ${integer} not null,
    checks ${integer} not null,
    constraint recent_checks_pk primary key (digest, seen_at)
  )`,
  sql`create index recent_checks_by_time on recent_checks (seen_at)`,
  sql`create table recent_logs (
    digest ${bytes} primary key,
    seen_at ${integer} not null
  )`,
  sql`create index recent_logs_by_time on recent_logs (seen_at)`,
  sql`create table signing_keys (
    id ${id} primary key,
    world text not null,
    number ${integer} not null,
    created_at ${integer} not null,
    signs_from ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create unique index signing_keys_number on signing_keys (world, number)`,
];

const peopleTables = ({ id, integer, bytes }: ColumnTypes) => [
  sql`create table galleries (
    id ${id} primary key,
    customer ${id} not null,
    world text not null,
    model_version ${id} not null,
    dimensions ${integer} not null,
    guid ${id} not null unique,
    version ${integer} not null,
    log_floor ${integer} not null,
    people ${integer} not null,
    embeddings ${integer} not null,
    tokens ${integer} not null,
    token_epoch ${id},
    created_at ${integer} not null,
    mac ${bytes} not null,
    constraint galleries_of_owner unique (customer, world, model_version, dimensions)
  )`,
  sql`create table people (
    id ${id} primary key,
    gallery_id ${id} not null references galleries (id),
    puid ${id} not null unique,
    identifier_digest ${bytes},
    enroll_level ${integer} not null,
    created_at ${integer} not null,
    provisional_session ${id},
    mac ${bytes} not null
  )`,
  sql`create index people_identifier on people (gallery_id, identifier_digest, id)`,
  sql`create index people_provisional on people (provisional_session) where provisional_session is not null`,
  // Lists the people of a gallery that a search leaves out.
  sql`create index people_provisional_gallery on people (gallery_id, id) where provisional_session is not null`,
  sql`create table embeddings (
    gallery_id ${id} not null references galleries (id),
    seq ${integer} not null,
    id ${id} not null,
    person_id ${id} not null references people (id) on delete cascade,
    mac ${bytes} not null,
    sealed ${bytes} not null,
    constraint embeddings_pk primary key (gallery_id, seq)
  )`,
  sql`create index embeddings_person on embeddings (person_id)`,
  sql`create table gallery_removals (
    gallery_id ${id} not null references galleries (id),
    version ${integer} not null,
    seq ${integer} not null,
    removed_at ${integer} not null,
    constraint gallery_removals_pk primary key (gallery_id, version)
  )`,
  sql`create index gallery_removals_age on gallery_removals (removed_at)`,
  sql`create table enrolling_sessions (
    person_id ${id} not null references people (id) on delete cascade,
    session_id ${id} not null,
    joined_at ${integer} not null,
    constraint enrolling_sessions_pk primary key (person_id, session_id)
  )`,
  sql`create index enrolling_sessions_session on enrolling_sessions (session_id)`,
  sql`create table person_keys (
    person_id ${id} primary key references people (id) on delete cascade,
    sealed ${bytes} not null
  )`,
  sql`create table key_holder (
    one ${integer} primary key,
    identity ${bytes} not null,
    thread ${id},
    recorded_at ${integer} not null
  )`,
  sql`create table tokens (
    gallery_id ${id} not null references galleries (id),
    seq ${integer} not null,
    id ${id} not null,
    person_id ${id} not null references people (id) on delete cascade,
    epoch ${id} not null,
    created_at ${integer} not null,
    sealed ${bytes} not null,
    constraint tokens_pk primary key (gallery_id, seq)
  )`,
  // Finds the tokens that still have the previous key.
  sql`create index tokens_epoch on tokens (gallery_id, epoch, seq)`,
  sql`create index tokens_person on tokens (person_id)`,
  // Deleting one of the four tokens deletes the block.
  sql`create table token_blocks (
    gallery_id ${id} not null references galleries (id),
    seq ${integer} not null,
    id ${id} not null,
    epoch ${id} not null,
    created_at ${integer} not null,
    token_0 ${integer} not null,
    token_1 ${integer} not null,
    token_2 ${integer} not null,
    token_3 ${integer} not null,
    person_0 ${id} not null,
    person_1 ${id} not null,
    person_2 ${id} not null,
    person_3 ${id} not null,
    sealed ${bytes} not null,
    constraint token_blocks_pk primary key (gallery_id, seq),
    constraint token_blocks_token_0 foreign key (gallery_id, token_0) references tokens (gallery_id, seq) on delete cascade,
    constraint token_blocks_token_1 foreign key (gallery_id, token_1) references tokens (gallery_id, seq) on delete cascade,
    constraint token_blocks_token_2 foreign key (gallery_id, token_2) references tokens (gallery_id, seq) on delete cascade,
    constraint token_blocks_token_3 foreign key (gallery_id, token_3) references tokens (gallery_id, seq) on delete cascade
  )`,
  sql`create index token_blocks_by_token_0 on token_blocks (gallery_id, token_0)`,
  sql`create index token_blocks_by_token_1 on token_blocks (gallery_id, token_1)`,
  sql`create index token_blocks_by_token_2 on token_blocks (gallery_id, token_2)`,
  sql`create index token_blocks_by_token_3 on token_blocks (gallery_id, token_3)`,
  sql`create table passkeys (
    credential_id ${id} primary key,
    customer ${id} not null,
    world text not null,
    person_id ${id} not null references people (id) on delete cascade,
    public_key ${bytes} not null,
    counter ${integer} not null,
    transports text not null,
    vouched ${integer} not null,
    created_at ${integer} not null,
    last_used_at ${integer} not null,
    mac ${bytes} not null
  )`,
  sql`create index passkeys_person on passkeys (person_id)`,
  sql`create table person_devices (
    id ${id} primary key,
    customer ${id} not null,
    world text not null,
    person_id ${id} not null references people (id) on delete cascade,
    public_key ${bytes} not null,
    local_uses ${integer} not null,
    vouched ${integer} not null,
    provisional_session ${id},
    created_at ${integer} not null,
    last_used_at ${integer} not null,
    mac ${bytes} not null
  )`,
  sql`create index person_devices_person on person_devices (person_id)`,
  sql`create index person_devices_provisional on person_devices (provisional_session) where provisional_session is not null`,
];

const sessionTables = ({ id, integer, bytes }: ColumnTypes, engine: Engine) => [
  // Fill factor: each page keeps room for the next versions of its rows.
  sql`create table sessions (
    id ${id} primary key,
    kind text not null,
    token_lookup ${bytes} not null unique,
    customer ${id} not null,
    world text not null,
    api_key_id ${id} not null,
    state text not null,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    ended_at ${integer},
    purge_at ${integer},
    person_id ${id},
    end_state text,
    sealed ${bytes} not null,
    outcome ${bytes}
  )${engine === 'postgres' ? sql` with (fillfactor = 85)` : sql``}`,
  sql`create index sessions_created on sessions (created_at, id)`,
  // The timer of ended sessions; the one of open sessions has an index of its own, `sessions_open`.
  sql`create index sessions_ended on sessions (purge_at, id) where purge_at is not null`,
  // Written once per session. An index on `state`, which changes with every step, would rule out heap-only updates.
  sql`create index sessions_ended_as on sessions (end_state, created_at, id) where end_state is not null`,
  sql`create index sessions_key on sessions (api_key_id, created_at, id)`,
  sql`create index sessions_kind on sessions (kind, created_at, id)`,
  sql`create index sessions_open on sessions (expires_at, id) where ended_at is null`,
  sql`create index sessions_person on sessions (person_id, purge_at, id) where person_id is not null`,
  sql`create index sessions_world on sessions (world, created_at, id)`,
  sql`create table session_marks (
    mark ${bytes} not null,
    created_at ${integer} not null,
    session_id ${id} not null,
    constraint session_marks_key primary key (mark, created_at, session_id)
  )`,
  sql`create index session_marks_session on session_marks (session_id)`,
  sql`create table device_channels (
    session_id ${id} primary key,
    revision ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create table handoff_boxes (
    session_id ${id} primary key,
    expires_at ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create index handoff_boxes_expiry on handoff_boxes (expires_at)`,
  sql`create table session_evidence (
    session_id ${id} primary key references sessions (id) on delete cascade,
    sealed ${bytes} not null
  )`,
  sql`create table session_selfies (
    session_id ${id} primary key references sessions (id) on delete cascade,
    nonce ${id} not null,
    sealed ${bytes} not null
  )`,
  sql`create table wallet_links (
    id ${id} primary key,
    session_id ${id} not null references sessions (id) on delete cascade,
    expires_at ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create index wallet_links_expiry on wallet_links (expires_at)`,
  sql`create index wallet_links_session on wallet_links (session_id)`,
  sql`create table age_keys (
    id ${id} primary key,
    revision ${integer} not null,
    ends_at ${integer} not null,
    minted ${id} not null,
    sealed ${bytes} not null
  )`,
  sql`create index age_keys_end on age_keys (ends_at)`,
  sql`create index age_keys_minted on age_keys (minted)`,
  sql`create table age_key_making (
    id ${id} primary key,
    made ${integer} not null,
    ends_at ${integer} not null
  )`,
  sql`create index age_key_making_end on age_key_making (ends_at)`,
  sql`create table webhook_deliveries (
    id ${id} primary key,
    customer ${id} not null,
    world text not null,
    api_key_id ${id} not null,
    session_id ${id} not null,
    target text not null,
    state text not null,
    round ${integer} not null,
    attempts ${integer} not null,
    attempts_before ${integer} not null,
    next_attempt_at ${integer},
    last_attempt_at ${integer},
    last_status ${integer},
    last_error text,
    created_at ${integer} not null,
    ended_at ${integer},
    purge_at ${integer} not null,
    sealed ${bytes},
    tries ${bytes}
  )`,
  // Partial, because with a long retention most old rows still have a body.
  sql`create index webhook_deliveries_bodiless on webhook_deliveries (created_at) where sealed is null`,
  sql`create index webhook_deliveries_dead on webhook_deliveries (id) where state = 'dead'`,
  sql`create index webhook_deliveries_owner on webhook_deliveries (customer, world, id)`,
  sql`create index webhook_deliveries_pending on webhook_deliveries (created_at) where state = 'pending'`,
  sql`create index webhook_deliveries_purge on webhook_deliveries (purge_at) where sealed is not null`,
  sql`create index webhook_deliveries_session on webhook_deliveries (session_id, id)`,
];

const screeningTables = ({ id, integer, bytes }: ColumnTypes) => [
  sql`create table watched_subjects (
    id ${id} primary key,
    customer ${id} not null,
    world text not null,
    api_key_id ${id} not null,
    reference_digest ${bytes} not null,
    revision ${integer} not null,
    state text not null,
    created_at ${integer} not null,
    changed_at ${integer} not null,
    screened_at ${integer},
    hit_state text not null,
    engine ${integer} not null,
    more_hits ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create index watched_subjects_by_hit_state on watched_subjects (customer, world, hit_state, id)`,
  sql`create index watched_subjects_by_state on watched_subjects (customer, world, state, id)`,
  // Small: nearly all subjects are screened nearly always.
  sql`create index watched_subjects_due on watched_subjects (id) where state = 'due'`,
  sql`create index watched_subjects_engine on watched_subjects (state, engine, id)`,
  sql`create index watched_subjects_hits on watched_subjects (hit_state, id)`,
  sql`create index watched_subjects_owner on watched_subjects (customer, world, id)`,
  sql`create index watched_subjects_progress on watched_subjects (customer, world, state, engine)`,
  // Covers the question asked of all subjects, whose rows are large.
  sql`create index watched_subjects_versions on watched_subjects (id, changed_at)`,
  sql`create index watched_subjects_world on watched_subjects (world, id)`,
  sql`create unique index watched_subjects_reference on watched_subjects (reference_digest)`,
  sql`create table watched_hits (
    id ${id} primary key,
    subject_id ${id} not null,
    entity_digest ${bytes} not null,
    found_at ${integer} not null,
    changed_at ${integer} not null,
    is_open ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create index watched_hits_entity on watched_hits (entity_digest)`,
  sql`create unique index watched_hits_subject on watched_hits (subject_id, entity_digest)`,
  sql`create table screening_alerts (
    id ${id} primary key,
    customer ${id} not null,
    world text not null,
    subject_id ${id} not null,
    kind text not null,
    created_at ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create index screening_alerts_by_kind on screening_alerts (customer, world, kind, id)`,
  sql`create index screening_alerts_kind on screening_alerts (kind, id)`,
  sql`create index screening_alerts_owner on screening_alerts (customer, world, id)`,
  sql`create index screening_alerts_subject on screening_alerts (subject_id, id)`,
  sql`create table watched_lists (
    name ${id} primary key,
    version text not null,
    content text not null,
    built_at ${integer} not null,
    worked_at ${integer} not null,
    begun text not null,
    seen_at ${integer} not null,
    everybody_at ${integer} not null
  )`,
  sql`create table shared_lists (
    name ${id} primary key,
    sum ${id},
    sealed ${bytes} not null
  )`,
  sql`create table shared_list_parts (
    sum ${id} not null,
    number ${integer} not null,
    created_at ${integer} not null,
    contents ${bytes} not null,
    constraint shared_list_parts_pk primary key (sum, number)
  )`,
];

const consoleTables = ({ id, integer, bytes }: ColumnTypes, engine: Engine) => [
  sql`create table review_cases (
    id ${id} primary key,
    kind text not null,
    customer ${id} not null,
    world text not null,
    api_key_id ${id} not null,
    about ${id} not null,
    hit_id ${id} unique,
    person_id ${id},
    state text not null,
    assignee_id ${id},
    created_at ${integer} not null,
    due_at ${integer} not null,
    decided_at ${integer},
    purge_at ${integer},
    sealed ${bytes} not null
  )`,
  sql`create index review_cases_about on review_cases (about)`,
  sql`create index review_cases_assignee on review_cases (assignee_id, state, due_at, id)`,
  // Covers every filter of the inbox.
  sql`create index review_cases_inbox on review_cases (state, due_at, id, kind, world, api_key_id, assignee_id)`,
  // Inbox of one kind: finds at once that no case of a kind waits.
  sql`create index review_cases_kind on review_cases (kind, state, due_at, id, world, api_key_id, assignee_id)`,
  sql`create index review_cases_person on review_cases (person_id) where person_id is not null`,
  sql`create index review_cases_purge on review_cases (purge_at) where purge_at is not null`,
  sql`create table review_notes (
    id ${id} primary key,
    case_id ${id} not null references review_cases (id) on delete cascade,
    at ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create index review_notes_case on review_notes (case_id, id)`,
  sql`create table review_tokens (
    token_lookup ${bytes} primary key,
    case_id ${id} not null references review_cases (id) on delete cascade
  )`,
  sql`create index review_tokens_case on review_tokens (case_id)`,
  sql`create table operators (
    id ${id} primary key,
    name ${id} not null unique,
    role text not null,
    created_at ${integer} not null,
    mac ${bytes} not null
  )`,
  sql`create table operator_invites (
    id ${id} primary key,
    operator_id ${id} not null,
    expires_at ${integer} not null,
    mac ${bytes} not null
  )`,
  sql`create table operator_identities (
    id ${id} primary key,
    operator_id ${id} not null unique,
    created_at ${integer} not null,
    mac ${bytes} not null
  )`,
  sql`create table operator_passkeys (
    credential_id ${id} primary key,
    operator_id ${id} not null,
    public_key ${bytes} not null,
    counter ${integer} not null,
    answered_at ${integer} not null,
    created_at ${integer} not null,
    mac ${bytes} not null
  )`,
  sql`create table operator_sessions (
    id ${id} primary key,
    token_lookup ${bytes} not null unique,
    operator_id ${id} not null,
    created_at ${integer} not null,
    ends_at ${integer} not null,
    sealed ${bytes} not null
  )`,
  sql`create table audit_lines (
    seq ${integer} primary key,
    at ${integer} not null,
    operator_id ${id} not null,
    act text not null,
    sealed ${bytes} not null
  )`,
  sql`create index audit_lines_act on audit_lines (act, seq)`,
  sql`create index audit_lines_operator on audit_lines (operator_id, seq)`,
  sql`create table audit_segments (
    day ${id} primary key,
    first_seq ${integer} not null,
    lines ${integer} not null,
    start text not null,
    hash text not null,
    pruned ${integer} not null,
    signature ${bytes} not null
  )`,
  sql`create table activity_counts (
    day ${id} not null,
    api_key_id ${id} not null,
    name ${id} not null,
    count ${integer} not null,
    constraint activity_counts_key primary key (day, api_key_id, name)
  )`,
  // Keeps the counts of one key in one place.
  sql`create index activity_counts_of_key on activity_counts (api_key_id, day, name, count)`,
  // Read by ranges of days: without a rowid, SQLite needs one lookup per row, not two.
  sql`create table activity_totals (
    day ${id} not null,
    world text not null,
    name ${id} not null,
    count ${integer} not null,
    constraint activity_totals_key primary key (day, world, name)
  )${engine === 'sqlite' ? sql` without rowid` : sql``}`,
];
