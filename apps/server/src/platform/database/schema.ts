// The tables as Kysely sees them. Times are milliseconds since 1970, UTC; `Uint8Array` columns are raw bytes.

import type { CustomerId, OperatorId, PersonId, Puid, SessionId, WatchedSubjectId } from '../base/ids.ts';
import type { Role } from '../base/roles.ts';
import type { World } from '../base/world.ts';

export interface Schema {
  schema_migrations: SchemaMigrationsTable;
  processes: ProcessesTable;
  clock: ClockTable;
  data_keys: DataKeysTable;
  api_keys: ApiKeysTable;
  api_key_uses: ApiKeyUsesTable;
  api_key_traits: ApiKeyTraitsTable;
  recent_checks: RecentChecksTable;
  recent_logs: RecentLogsTable;
  jobs: JobsTable;
  idempotency_keys: IdempotencyKeysTable;
  strings: StringsTable;
  galleries: GalleriesTable;
  people: PeopleTable;
  embeddings: EmbeddingsTable;
  gallery_removals: GalleryRemovalsTable;
  sessions: SessionsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  device_channels: DeviceChannelsTable;
  handoff_boxes: HandoffBoxesTable;
  tokens: TokensTable;
  token_blocks: TokenBlocksTable;
  passkeys: PasskeysTable;
  person_devices: PersonDevicesTable;
  session_evidence: SessionEvidenceTable;
  session_selfies: SessionSelfiesTable;
  wallet_links: WalletLinksTable;
  age_keys: AgeKeysTable;
  age_key_making: AgeKeyMakingTable;
  enrolling_sessions: EnrollingSessionsTable;
  person_keys: PersonKeysTable;
  key_holder: KeyHolderTable;
  watched_subjects: WatchedSubjectsTable;
  watched_hits: WatchedHitsTable;
  screening_alerts: ScreeningAlertsTable;
  watched_lists: WatchedListsTable;
  signing_keys: SigningKeysTable;
  operators: OperatorsTable;
  operator_invites: OperatorInvitesTable;
  operator_identities: OperatorIdentitiesTable;
  operator_passkeys: OperatorPasskeysTable;
  operator_sessions: OperatorSessionsTable;
  session_marks: SessionMarksTable;
  audit_lines: AuditLinesTable;
  audit_segments: AuditSegmentsTable;
  review_cases: ReviewCasesTable;
  review_notes: ReviewNotesTable;
  review_tokens: ReviewTokensTable;
  activity_counts: ActivityCountsTable;
  activity_totals: ActivityTotalsTable;
  shared_lists: SharedListsTable;
  shared_list_parts: SharedListPartsTable;
}

/**
 * Of a migration. `expand` adds what the version before this one can live with: it is applied at start, while processes of that version go
 * on. `contract` takes away what only that version needs: `limen migrate --contract` applies it, once none of them is left.
 */
export type Phase = 'expand' | 'contract';

interface SchemaMigrationsTable {
  name: string;
  applied_at: number;
  phase: Phase;
}

interface ProcessesTable {
  id: string;
  version: string;
  /** The last migration that it knows of. */
  knows: string;
  /** Ids of data keys: the newest that it can open with, and the one that it seals with. Null until it has read them. */
  opens_with: string | null;
  seals_with: string | null;
  host: string;
  pid: number;
  started_at: number;
  seen_at: number;
}

interface ClockTable {
  /** 1: there is one row. */
  id: number;
  /** Time of the last heartbeat of a service whose clock was right, or of its confirmation. */
  seen_at: number;
  /** Start of the machine by which that was, as its system names it; null if it does not. */
  boot: string | null;
  /** Time from that start to the heartbeat. */
  uptime_ms: number;
}

interface DataKeysTable {
  id: string;
  /** `seal` keys encrypt values, `row` keys seal whole rows, the `lookup` key makes HMACs that are searched for. */
  purpose: 'seal' | 'row' | 'lookup';
  /** The key itself, encrypted under the master key. */
  wrapped: Uint8Array;
  created_at: number;
}

interface ApiKeysTable {
  id: string;
  /** HMAC of the key: found by this, never by the key. */
  lookup: Uint8Array;
  sealed_key: Uint8Array;
  kind: 'live' | 'test' | 'development';
  label: string | null;
  customer_id: string | null;
  api_id: string | null;
  usage_plan_id: string | null;
  product_code: string | null;
  status: string;
  client_id: string | null;
  client_secret_digest: Uint8Array | null;
  when_created: number;
  last_updated: number;
  /** JSON: the sites that may embed its pages; null where the service's settings decide. */
  embed_origins: string | null;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

/** When keys were last used, to the hour. */
interface ApiKeyUsesTable {
  key_id: string;
  used_at: number;
}

/** Exemptions of a key; a key without a row has none. */
interface ApiKeyTraitsTable {
  key_id: string;
  /** 1: its sessions run in an app, which has no browser data. */
  native_app: number;
  /** 1: many people use one device or address, so bursts are normal. */
  kiosk: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

/** Finished checks of the last minutes, counted per API key and client address. */
interface RecentChecksTable {
  digest: Uint8Array;
  seen_at: number;
  checks: number;
}

/** Rhythms of the step logs of the last day. */
interface RecentLogsTable {
  digest: Uint8Array;
  seen_at: number;
}

interface JobsTable {
  id: string;
  kind: string;
  /** Sealed JSON. */
  payload: Uint8Array;
  state: 'ready' | 'running' | 'dead';
  attempts: number;
  run_at: number;
  /** Names the one run that may finish this job; a run that lost its lease no longer matches. */
  lease_token: string | null;
  lease_until: number | null;
  /** At most one job that is not dead per kind and unique key. */
  unique_key: string | null;
  /** Class or code of the last failure, never its text. */
  last_error: string | null;
  created_at: number;
}

interface IdempotencyKeysTable {
  scope: string;
  key_digest: Uint8Array;
  request_digest: Uint8Array;
  /** The first reply, sealed. */
  reply: Uint8Array;
  /** What the reply created (`strings/<id>`); purged together with it. */
  resource: string;
  expires_at: number;
}

interface StringsTable {
  /** Name of the owner whose key wrote it where the area is closed; empty where it is open. */
  owner: string;
  id: string;
  value: string;
  created_at: number;
  /** Size of the value in UTF-8. */
  bytes: number;
}

interface GalleriesTable {
  id: string;
  customer: CustomerId;
  world: World;
  model_version: string;
  dimensions: number;
  /** Names the gallery in replies. */
  guid: string;
  /** Counts the changes of this gallery, each embedding or token added or removed being one. Writers take turns at this row. */
  version: number;
  /** Removals up to this change have left the log; an index that is older must be loaded anew. */
  log_floor: number;
  /** Without those whose enrolment has not ended yet. */
  people: number;
  embeddings: number;
  /** Face tokens, those of people whose enrolment has not ended yet among them. */
  tokens: number;
  /** The key of the newest tokens; an enrolment under an older one is refused. */
  token_epoch: string | null;
  created_at: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

interface PeopleTable {
  id: PersonId;
  gallery_id: string;
  /** Names the person in replies. */
  puid: Puid;
  /** HMAC of the caller's own name for the person; the name itself is not kept. */
  identifier_digest: Uint8Array | null;
  enroll_level: number;
  created_at: number;
  /** The session that made them and has not ended yet; until then they count for nothing but other enrolments. */
  provisional_session: SessionId | null;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

interface EmbeddingsTable {
  gallery_id: string;
  /** The change of the gallery that added it. */
  seq: number;
  id: string;
  person_id: PersonId;
  /** The unit vector, sealed for its id. */
  sealed: Uint8Array;
  /** Seal over all other columns but the vector. */
  mac: Uint8Array;
}

/** Tells every index what to forget. Holds numbers only: nothing in it leads back to a row that is gone. */
interface GalleryRemovalsTable {
  gallery_id: string;
  version: number;
  /** Of the embedding or token that was removed. */
  seq: number;
  removed_at: number;
}

interface WebhookDeliveriesTable {
  /** Sent as `webhook-id` with every attempt. */
  id: string;
  customer: CustomerId;
  world: World;
  /** The key whose value signs it. */
  api_key_id: string;
  /** What it is about: those of one session or one subject go out in their order. */
  session_id: SessionId | WatchedSubjectId;
  /** The origin of the address alone: its path may be a secret. */
  target: string;
  state: 'pending' | 'delivered' | 'dead';
  /** Grows with every resend; what an earlier round still has under way changes nothing any more. */
  round: number;
  attempts: number;
  /** Attempts of earlier rounds: the waits between attempts begin anew with each round. */
  attempts_before: number;
  next_attempt_at: number | null;
  last_attempt_at: number | null;
  /** HTTP status of the last attempt that got one. */
  last_status: number | null;
  /** A code, never a text. */
  last_error: string | null;
  created_at: number;
  ended_at: number | null;
  purge_at: number;
  /** Address, headers and body; null once they are removed. */
  sealed: Uint8Array | null;
  /** When it was tried and what came of each try; null before the first. */
  tries: Uint8Array | null;
}

interface SessionsTable {
  /** What the launch page knows the session by. */
  id: SessionId;
  kind: 'age' | 'verification';
  /** HMAC of the token: found by this, never by the token. */
  token_lookup: Uint8Array;
  customer: CustomerId;
  world: World;
  /** The key that made it, whose value signs its webhook. */
  api_key_id: string;
  state: 'created' | 'opened' | 'capturing' | 'completed' | 'cancelled' | 'expired';
  created_at: number;
  expires_at: number;
  ended_at: number | null;
  /** When the row is deleted; null until the end. */
  purge_at: number | null;
  /** Token, settings, callback and metadata. */
  sealed: Uint8Array;
  /** The result, sealed; null until the end. */
  outcome: Uint8Array | null;
  /** Whom the session was about, once it ended well. */
  person_id: PersonId | null;
  /** How it ended; written once and indexed, which `state` is not. Null until then. */
  end_state: 'completed' | 'cancelled' | 'expired' | null;
}

interface DeviceChannelsTable {
  session_id: SessionId;
  /** Grows with every change; a writer names the one it read, so that of two at once the second finds no row. */
  revision: number;
  /** Devices, plan, private key, step log, counts. */
  sealed: Uint8Array;
}

interface HandoffBoxesTable {
  session_id: SessionId;
  expires_at: number;
  /** A box that the service cannot open, with whose it is. */
  sealed: Uint8Array;
}

/** Four tokens of one gallery, folded into one ciphertext; gone as soon as one of them is. */
interface TokenBlocksTable {
  gallery_id: string;
  /** The change of the gallery that added it. */
  seq: number;
  id: string;
  /** Names the key that its own is made with: that of its tokens. */
  epoch: string;
  /** The packed ciphertext with its nonce, sealed for its id and for its tokens and people in their order. */
  sealed: Uint8Array;
  created_at: number;
  /** The tokens by their `seq`, and whose they are. */
  token_0: number;
  token_1: number;
  token_2: number;
  token_3: number;
  person_0: PersonId;
  person_1: PersonId;
  person_2: PersonId;
  person_3: PersonId;
}

interface TokensTable {
  gallery_id: string;
  /** The change of the gallery that added it; a renewed token is removed and added. */
  seq: number;
  id: string;
  person_id: PersonId;
  /** Names the key it is encrypted under. */
  epoch: string;
  /** The packed ciphertext without its header, sealed for its id and its person. */
  sealed: Uint8Array;
  created_at: number;
}

/** Who speaks for a device or a passkey of a person: 0 nobody but the face, 1 the enrolment that made them, 2 the host. */
export type Vouched = 0 | 1 | 2;

interface PasskeysTable {
  /** Base64url, as the browser names it. */
  credential_id: string;
  customer: CustomerId;
  world: World;
  person_id: PersonId;
  /** COSE. */
  public_key: Uint8Array;
  counter: number;
  /** JSON. */
  transports: string;
  vouched: Vouched;
  created_at: number;
  last_used_at: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

interface PersonDevicesTable {
  id: string;
  customer: CustomerId;
  world: World;
  person_id: PersonId;
  /** Uncompressed P-256 point, 65 bytes. */
  public_key: Uint8Array;
  /** Local sign-ins since the last match on the server. */
  local_uses: number;
  vouched: Vouched;
  /** The session after whose good end it becomes the person's. */
  provisional_session: SessionId | null;
  created_at: number;
  last_used_at: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

/** What the calls of a session have shown so far; gone with its end. */
interface SessionEvidenceTable {
  session_id: SessionId;
  sealed: Uint8Array;
}

/** One row for each link that a wallet may still answer. */
interface WalletLinksTable {
  /** SHA-256 of the id in the address that the answer goes to, base64url. */
  id: string;
  session_id: SessionId;
  expires_at: number;
  sealed: Uint8Array;
}

/** Passkeys that remember the outcome of an age check; of no customer, and of no session. */
interface AgeKeysTable {
  /** HMAC of the credential id and the world, base64url: found by this, and by nothing else. */
  id: string;
  /** Random, drawn again with every change: an update names the revision that it read. */
  revision: number;
  /** When the row is deleted. */
  ends_at: number;
  /** HMAC of the API key's id and the month, base64url. */
  minted: string;
  sealed: Uint8Array;
}

/** How many age keys an API key or a client address has made in one hour. */
interface AgeKeyMakingTable {
  /** HMAC of the limit, the maker and the hour, base64url. */
  id: string;
  made: number;
  /** End of the hour, when the row is deleted. */
  ends_at: number;
}

/** The selfie that a session has for its host, until the end. */
interface SessionSelfiesTable {
  session_id: SessionId;
  /** Of the plan under which it came. */
  nonce: string;
  sealed: Uint8Array;
}

/** Open sessions that enrol one person: the one that made them, and those that showed the same face meanwhile. */
interface EnrollingSessionsTable {
  person_id: PersonId;
  session_id: SessionId;
  joined_at: number;
}

/** By which the key-holder knows a person; it goes with them. */
interface PersonKeysTable {
  person_id: PersonId;
  sealed: Uint8Array;
}

/** The one key-holder whose keys the tokens are encrypted under. */
interface KeyHolderTable {
  one: 1;
  /** Its public key. */
  identity: Uint8Array;
  /** The process that has it as a thread; null for a key-holder of its own, or when that process has ended. */
  thread: string | null;
  recorded_at: number;
}

interface WatchedSubjectsTable {
  id: WatchedSubjectId;
  customer: CustomerId;
  world: World;
  /** The key that last wrote it, whose value signs its webhooks. */
  api_key_id: string;
  /** HMAC of whose it is and the customer's own name for it. */
  reference_digest: Uint8Array;
  /** Grows with every change of it or of its hits: what was found for an earlier one is not written. */
  revision: number;
  /** `no_list` where none is behind its dataset: it waits for one. */
  state: 'due' | 'screened' | 'no_list';
  created_at: number;
  changed_at: number;
  screened_at: number | null;
  /** Whether it has hits, and whether one of them is still to be decided. */
  hit_state: 'none' | 'open' | 'decided';
  /** Number of the engine that last screened it against everything; 0 where there is none. */
  engine: number;
  /** 1 where more match than are kept. */
  more_hits: number;
  /** What is known of it, what it is watched against, and where alerts go. */
  sealed: Uint8Array;
}

interface WatchedHitsTable {
  id: string;
  subject_id: WatchedSubjectId;
  /** HMAC of the listed entity's id: by it the hits of an entry that changed are found. */
  entity_digest: Uint8Array;
  found_at: number;
  changed_at: number;
  /** 1 until it is decided, and again when the decision has lapsed. */
  is_open: number;
  /** The entity as listed, score, explanation, versions, decision. */
  sealed: Uint8Array;
}

/** Every change of an outcome, told or not, and every decision. */
interface ScreeningAlertsTable {
  id: string;
  customer: CustomerId;
  world: World;
  subject_id: WatchedSubjectId;
  kind: 'new' | 'changed' | 'removed' | 'refreshed' | 'decision' | 'withdrawal' | 'subject_changed';
  created_at: number;
  sealed: Uint8Array;
}

/** Up to which version of each list the subjects have been screened. */
interface WatchedListsTable {
  name: string;
  version: string;
  /** Checksum of the index: what has the same is the same list. */
  content: string;
  /** When that version was built: an older one is not gone back to. */
  built_at: number;
  worked_at: number;
  /** Checksum of the version that is being worked through; empty where that is done. */
  begun: string;
  /** When a process last had the version that `built_at` is of. */
  seen_at: number;
  /** When everybody was last screened against it, and not only those whom a change may concern. */
  everybody_at: number;
}

/** What signs results and receipts. All columns are bound to what is sealed: an edited row does not open. */
interface SigningKeysTable {
  /** The JWTs' `kid`: its world and its RFC 7638 thumbprint. */
  id: string;
  world: World;
  /** Counts the keys of one world: two processes that make the next one at once make one. */
  number: number;
  created_at: number;
  /** It is published before. */
  signs_from: number;
  /** The JWK; without its private part once it signs no more. */
  sealed: Uint8Array;
}

/** Who may use the console. */
interface OperatorsTable {
  id: OperatorId;
  /** By which the command line and the audit log call them; no two have the same. */
  name: string;
  role: Role;
  created_at: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

/** Links that are good for one passkey each. */
interface OperatorIdentitiesTable {
  /** HMAC of issuer and subject, base64url. */
  id: string;
  operator_id: OperatorId;
  created_at: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

interface OperatorInvitesTable {
  /** HMAC of what is in the link, base64url. */
  id: string;
  operator_id: OperatorId;
  expires_at: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

interface OperatorPasskeysTable {
  /** Base64url, as the browser names it. */
  credential_id: string;
  operator_id: OperatorId;
  /** COSE. */
  public_key: Uint8Array;
  counter: number;
  /** When the newest challenge that it answered was given out: an older one is not taken any more. */
  answered_at: number;
  created_at: number;
  /** Seal over all other columns. */
  mac: Uint8Array;
}

interface OperatorSessionsTable {
  id: string;
  /** HMAC of what is in the cookie. */
  token_lookup: Uint8Array;
  operator_id: OperatorId;
  created_at: number;
  /** When the row is deleted; whether it still counts, what is sealed says. */
  ends_at: number;
  /** When it was last used, from which address and by which browser. */
  sealed: Uint8Array;
}

/** What sessions are found by beside their own columns: outcome, recommendation, flags, and ids that hosts chose. */
interface SessionMarksTable {
  /** HMAC of what it says. */
  mark: Uint8Array;
  /** Of the session, so that its marks are in the order of the list. */
  created_at: number;
  session_id: SessionId;
}

/** What operators did and looked at, each line linked to the one before. */
interface AuditLinesTable {
  /** Without gaps. */
  seq: number;
  at: number;
  operator_id: OperatorId;
  act: string;
  /** The line itself. */
  sealed: Uint8Array;
}

/** A day of the audit log; once it is over, its checkpoint, which stays when the lines' time is over. */
interface AuditSegmentsTable {
  /** UTC, as 2026-01-31. */
  day: string;
  first_seq: number;
  lines: number;
  /** What its first line is linked to, and the hash of its last. */
  start: string;
  hash: string;
  pruned: 0 | 1;
  /** Ed25519 over all that. */
  signature: Uint8Array;
}

/** What the service left to a reviewer to decide. */
interface ReviewCasesTable {
  id: string;
  kind: 'session' | 'hit';
  customer: CustomerId;
  world: World;
  /** Its value signs the webhook that tells the decision. */
  api_key_id: string;
  about: SessionId | WatchedSubjectId;
  /** Of a watched subject's hit. */
  hit_id: string | null;
  person_id: PersonId | null;
  /** `proposed`: one pair of eyes has seen it, and another is wanted. */
  state: 'open' | 'proposed' | 'decided';
  assignee_id: OperatorId | null;
  created_at: number;
  due_at: number;
  decided_at: number | null;
  /** Null while it waits for as long as its hit is there. */
  purge_at: number | null;
  sealed: Uint8Array;
}

/** Tokens of age sessions that have a case. */
interface ReviewTokensTable {
  /** Digest of the token, as in `sessions`. */
  token_lookup: Uint8Array;
  case_id: string;
}

/** What was done to a case and said about it. */
interface ReviewNotesTable {
  id: string;
  case_id: string;
  at: number;
  sealed: Uint8Array;
}

/** What happened, for the console's overview. */
interface ActivityCountsTable {
  /** `2026-03-01`, in UTC. */
  day: string;
  api_key_id: string;
  /** Such as `age/recommendation/ALLOW`. */
  name: string;
  count: number;
}

/** The sums of `activity_counts` over all keys of a world. */
interface ActivityTotalsTable {
  day: string;
  world: World;
  name: string;
  count: number;
}

/** Which version of a list all processes screen against. */
interface SharedListsTable {
  name: string;
  /** Of its index, which the parts carry; null where it was removed. */
  sum: string | null;
  /** What is known of it, or when it was removed. */
  sealed: Uint8Array;
}

interface SharedListPartsTable {
  sum: string;
  number: number;
  created_at: number;
  contents: Uint8Array;
}
