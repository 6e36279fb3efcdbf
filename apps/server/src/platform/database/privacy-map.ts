// What each column and file can hold of a person, how it is protected, how long it stays and what deletes it. A column
// without an entry does not compile; docs/privacy.md is written from here.
import type { Schema } from './schema.ts';

/**
 * `nothing`: says nothing about a person. `pseudonym`: a random id or a time that is about one person or session, and says
 * nothing by itself. `digest`: an HMAC, of use only to somebody with the master key. `sealed`: encrypted under the master
 * key. `readable`: may be personal, and can be read by whoever reads the database.
 */
export type Protection = 'nothing' | 'pseudonym' | 'digest' | 'sealed' | 'readable';

/** What the column holds, beside how it is protected; said only where its name does not say it. */
export type ColumnEntry = Protection | readonly [Protection, string];

export interface TableEntry<Columns> {
  /** Whose rows these are. */
  about: string;
  stays: string;
  /** What deletes a row before its time. */
  deletedBy: string;
  columns: Record<keyof Columns, ColumnEntry>;
}

const SESSION_STAYS = 'until the session ends and `RETENTION_HOURS` have passed';
const SESSION_DELETED = '`DELETE` of the session; `deleteUser` of its person';
const WITH_SESSION = 'until the session ends';
/** An HMAC over all other columns. */
const ROW_SEAL: ColumnEntry = ['digest', 'of the row, so that edits are noticed'];
const PERSON_STAYS = 'until the person is deleted';
const SUBJECT_STAYS = 'until the subject is deleted';
const SUBJECT_DELETED = '`DELETE /v2/screening/subjects/:id`';
const OPERATOR_REMOVED = '`limen operators remove`';
const PERSON_DELETED = '`deleteUser`, `limen people delete`';

export const PRIVACY_MAP: { [Table in keyof Schema]: TableEntry<Schema[Table]> } = {
  schema_migrations: {
    about: 'Which schema migrations have run.',
    stays: 'for ever',
    deletedBy: 'nothing',
    columns: { name: 'nothing', applied_at: 'nothing', phase: 'nothing' },
  },
  processes: {
    about: 'Which processes work on the database, of which version.',
    stays: 'until the process ends, or an hour after it was last seen',
    deletedBy: 'the end of the process',
    columns: {
      id: 'nothing',
      version: 'nothing',
      knows: 'nothing',
      opens_with: 'nothing',
      seals_with: 'nothing',
      host: 'nothing',
      pid: 'nothing',
      started_at: 'nothing',
      seen_at: 'nothing',
    },
  },
  clock: {
    about: 'When a service last ran.',
    stays: 'as long as the database',
    deletedBy: 'nothing',
    columns: { id: 'nothing', seen_at: 'nothing', boot: 'nothing', uptime_ms: 'nothing' },
  },
  data_keys: {
    about: 'The keys that everything else is sealed with.',
    stays: 'for ever',
    deletedBy: 'nothing',
    columns: {
      id: 'nothing',
      purpose: 'nothing',
      wrapped: ['sealed', 'the key, under the master key'],
      created_at: 'nothing',
    },
  },
  api_keys: {
    about: 'Who may call the service.',
    stays: 'for ever, revoked keys included',
    deletedBy: 'nothing',
    columns: {
      id: 'nothing',
      lookup: ['digest', 'of the key'],
      sealed_key: ['sealed', 'the key, which also signs webhooks'],
      kind: 'nothing',
      label: ['readable', 'the name shown to people as the one who asks'],
      customer_id: ['readable', 'the name you gave a customer'],
      api_id: 'nothing',
      usage_plan_id: 'nothing',
      product_code: 'nothing',
      status: 'nothing',
      client_id: 'nothing',
      client_secret_digest: ['digest', 'of the secret'],
      when_created: 'nothing',
      last_updated: 'nothing',
      embed_origins: ['readable', 'sites that may embed the key’s pages'],
      mac: ROW_SEAL,
    },
  },
  api_key_uses: {
    about: 'When each API key was last used, to the hour.',
    stays: 'for ever, of revoked keys too',
    deletedBy: 'nothing',
    columns: { key_id: 'nothing', used_at: 'nothing' },
  },
  api_key_traits: {
    about: 'Exemptions of API keys: native apps and kiosks.',
    stays: 'permanently, also for revoked keys',
    deletedBy: 'nothing',
    columns: { key_id: 'nothing', native_app: 'nothing', kiosk: 'nothing', mac: ROW_SEAL },
  },
  recent_checks: {
    about: 'How many checks finished from one address with one API key, to notice bursts.',
    stays: 'a day at most',
    deletedBy: 'nothing: nothing leads from it to a session',
    columns: {
      digest: ['digest', 'of the API key’s id and the IPv4 address or IPv6 /64'],
      seen_at: 'pseudonym',
      checks: 'nothing',
    },
  },
  recent_logs: {
    about: 'Step logs of finished checks, to notice one that is sent again.',
    stays: 'a day at most',
    deletedBy: 'nothing: nothing leads from it to a session',
    columns: { digest: ['digest', 'of the customer and the rounded times between steps'], seen_at: 'pseudonym' },
  },
  jobs: {
    about: 'Work in progress: webhooks, enrolments, timers.',
    stays: 'until it is done; if it fails for good, for 30 days, except that a failed enrolment is deleted at once',
    deletedBy: 'deletion of what it is about',
    columns: {
      id: 'pseudonym',
      kind: 'nothing',
      payload: ['sealed', 'ids, and for an enrolment the face vector'],
      state: 'nothing',
      attempts: 'nothing',
      run_at: 'nothing',
      lease_token: 'nothing',
      lease_until: 'nothing',
      unique_key: 'pseudonym',
      last_error: ['nothing', 'a class or code, never free text'],
      created_at: 'pseudonym',
    },
  },
  idempotency_keys: {
    about: 'Replies that are repeated when a request comes twice.',
    stays: 'for 24 hours',
    deletedBy: 'deletion of what the reply created',
    columns: {
      scope: ['pseudonym', 'part of the API, customer and world'],
      key_digest: 'digest',
      request_digest: ['digest', 'of the body'],
      reply: ['sealed', 'the first reply'],
      resource: 'pseudonym',
      expires_at: 'nothing',
    },
  },
  strings: {
    about: 'Strings in the string store.',
    stays: 'until they are deleted',
    deletedBy: '`DELETE /strings/:id`',
    columns: {
      owner: ['readable', 'the customer, if the store is closed'],
      id: 'nothing',
      value: ['readable', 'whatever you store: keep nothing personal in it'],
      created_at: 'nothing',
      bytes: 'nothing',
    },
  },
  galleries: {
    about: 'Sets of people: one for each customer, world and face model.',
    stays: 'for ever',
    deletedBy: 'nothing, unlike the people in it',
    columns: {
      id: 'nothing',
      customer: ['readable', 'the name you gave a customer'],
      world: 'nothing',
      model_version: 'nothing',
      dimensions: 'nothing',
      guid: 'nothing',
      version: 'nothing',
      log_floor: 'nothing',
      people: 'nothing',
      embeddings: 'nothing',
      tokens: 'nothing',
      token_epoch: 'nothing',
      created_at: 'nothing',
      mac: ROW_SEAL,
    },
  },
  people: {
    about: 'People who were enrolled.',
    stays: `${PERSON_STAYS}; someone whose enrolment never ended, as long as its session`,
    deletedBy: PERSON_DELETED,
    columns: {
      id: 'pseudonym',
      gallery_id: 'pseudonym',
      puid: ['pseudonym', 'the id that hosts know the person by'],
      identifier_digest: ['digest', 'of the host’s own name for them'],
      enroll_level: 'nothing',
      created_at: 'pseudonym',
      provisional_session: 'pseudonym',
      mac: ROW_SEAL,
    },
  },
  embeddings: {
    about: 'Face vectors of the biometric node.',
    stays: PERSON_STAYS,
    deletedBy: PERSON_DELETED,
    columns: {
      gallery_id: 'nothing',
      seq: 'nothing',
      id: 'pseudonym',
      person_id: 'pseudonym',
      sealed: ['sealed', 'the face vector: biometric data'],
      mac: ROW_SEAL,
    },
  },
  gallery_removals: {
    about: 'Numbers that tell each process what to forget after a deletion.',
    stays: 'for a day',
    deletedBy: 'nothing',
    columns: { gallery_id: 'nothing', version: 'nothing', seq: 'nothing', removed_at: 'nothing' },
  },
  sessions: {
    about: 'Age and verification sessions.',
    stays: SESSION_STAYS,
    deletedBy: SESSION_DELETED,
    columns: {
      id: ['pseudonym', 'also in the launch link'],
      kind: 'nothing',
      token_lookup: ['digest', 'of the token'],
      customer: ['readable', 'the name you gave a customer'],
      world: 'nothing',
      api_key_id: 'nothing',
      state: 'pseudonym',
      created_at: 'pseudonym',
      expires_at: 'pseudonym',
      ended_at: 'pseudonym',
      purge_at: 'pseudonym',
      sealed: ['sealed', 'token, settings, callback, metadata'],
      outcome: ['sealed', 'the result, with an age if one was asked for'],
      person_id: 'pseudonym',
      end_state: 'pseudonym',
    },
  },
  webhook_deliveries: {
    about: 'The delivery log.',
    stays:
      'for `DELIVERY_LOG_DAYS`; the sealed part as long as its session, of an alert for 7 days, a selfie in it until it is delivered',
    deletedBy: `${SESSION_DELETED}; ${SUBJECT_DELETED}`,
    columns: {
      id: 'pseudonym',
      customer: ['readable', 'the name you gave a customer'],
      world: 'nothing',
      api_key_id: 'nothing',
      session_id: ['pseudonym', 'the session or watched subject it is about'],
      target: ['readable', 'scheme, host and port of the receiver'],
      state: 'nothing',
      round: 'nothing',
      attempts: 'nothing',
      attempts_before: 'nothing',
      next_attempt_at: 'nothing',
      last_attempt_at: 'pseudonym',
      last_status: 'nothing',
      last_error: ['nothing', 'a code, never free text'],
      created_at: 'pseudonym',
      ended_at: 'pseudonym',
      purge_at: 'nothing',
      sealed: ['sealed', 'address, headers and body'],
      tries: ['sealed', 'when it was tried, with the status or what failed'],
    },
  },
  device_channels: {
    about: 'What a session’s device must keep to; the plan and its private key only until the session ends.',
    stays: SESSION_STAYS,
    deletedBy: SESSION_DELETED,
    columns: {
      session_id: 'pseudonym',
      revision: 'nothing',
      sealed: ['sealed', 'device keys, plan, step log'],
    },
  },
  handoff_boxes: {
    about: 'What one device found and hands to the next; the service cannot read it.',
    stays: 'until the next device has it, at most 5 minutes',
    deletedBy: SESSION_DELETED,
    columns: {
      session_id: 'pseudonym',
      expires_at: 'nothing',
      sealed: ['sealed', 'also encrypted under a key that only the QR code has'],
    },
  },
  tokens: {
    about: 'Face tokens: face vectors that the service compares without being able to read them.',
    stays: PERSON_STAYS,
    deletedBy: PERSON_DELETED,
    columns: {
      gallery_id: 'nothing',
      seq: 'nothing',
      id: 'pseudonym',
      person_id: 'pseudonym',
      epoch: 'nothing',
      sealed: ['sealed', 'also encrypted for the key-holder: biometric data'],
      created_at: 'pseudonym',
    },
  },
  token_blocks: {
    about: 'Four face tokens each, put together so that searches take less time; deleted with any of them.',
    stays: PERSON_STAYS,
    deletedBy: PERSON_DELETED,
    columns: {
      gallery_id: 'nothing',
      seq: 'nothing',
      id: 'pseudonym',
      epoch: 'nothing',
      sealed: ['sealed', 'also encrypted for the key-holder: biometric data'],
      created_at: 'pseudonym',
      token_0: 'nothing',
      token_1: 'nothing',
      token_2: 'nothing',
      token_3: 'nothing',
      person_0: 'pseudonym',
      person_1: 'pseudonym',
      person_2: 'pseudonym',
      person_3: 'pseudonym',
    },
  },
  passkeys: {
    about: 'People’s passkeys.',
    stays: PERSON_STAYS,
    deletedBy: PERSON_DELETED,
    columns: {
      credential_id: 'pseudonym',
      customer: ['readable', 'the name you gave a customer'],
      world: 'nothing',
      person_id: 'pseudonym',
      public_key: 'pseudonym',
      counter: 'nothing',
      transports: ['readable', 'how the passkey is reached: usb, internal and the like'],
      vouched: 'nothing',
      created_at: 'pseudonym',
      last_used_at: 'pseudonym',
      mac: ROW_SEAL,
    },
  },
  person_devices: {
    about: 'Devices known to belong to a person.',
    stays: `${PERSON_STAYS}, or has the device forget them`,
    deletedBy: PERSON_DELETED,
    columns: {
      id: 'pseudonym',
      customer: ['readable', 'the name you gave a customer'],
      world: 'nothing',
      person_id: 'pseudonym',
      public_key: 'pseudonym',
      local_uses: 'nothing',
      vouched: 'nothing',
      provisional_session: 'pseudonym',
      created_at: 'pseudonym',
      last_used_at: 'pseudonym',
      mac: ROW_SEAL,
    },
  },
  session_evidence: {
    about: 'What the calls of a session have shown so far.',
    stays: WITH_SESSION,
    deletedBy: SESSION_DELETED,
    columns: {
      session_id: 'pseudonym',
      sealed: ['sealed', 'who was recognised, and how; in age sessions, how often a proof was tried'],
    },
  },
  wallet_links: {
    about:
      'Links and QR codes that a wallet has not answered yet, and what one on the session’s own device showed until the person is back from it.',
    stays: 'until the answer or the end of the session, at most 5 minutes each; the row goes within a minute more',
    deletedBy: SESSION_DELETED,
    columns: {
      id: ['digest', 'of the address that the answer goes to, or of the code that leads back'],
      session_id: 'pseudonym',
      expires_at: 'nothing',
      sealed: [
        'sealed',
        'what was asked, the key for the answer, the device that asked, what its browser showed; of an answer its profile and the issuer’s country',
      ],
    },
  },
  age_keys: {
    about:
      'Age keys: passkeys with which people prove an earlier age check. Nothing leads from one to a session or a name.',
    stays: 'one year from the first of the month of the check',
    deletedBy: 'the person, at `/launch/my-age-key`; the operator, with `limen age-keys revoke`',
    columns: {
      id: ['digest', 'of the passkey’s id'],
      revision: ['nothing', 'random, drawn again with every change'],
      ends_at: ['pseudonym', 'says the month of the check'],
      minted: [
        'digest',
        'of the API key that the session was created with and the month: the operator, who holds the master key, can find and delete all keys that one API key made in a month. Hosts never see it',
      ],
      sealed: [
        'sealed',
        'the passkey’s public key and counter, the age proven, by which method, the month, the steps required and whether light was seen; a digest of the customer, and the one beside; uses of the last day',
      ],
    },
  },
  age_key_making: {
    about: 'How many age keys were made in an hour, so that making them is limited.',
    stays: 'until the hour is over; the row goes within an hour more',
    deletedBy: 'nothing',
    columns: {
      id: ['digest', 'of the hour and of an API key, or of the hour and of a client address'],
      made: 'nothing',
      ends_at: 'nothing',
    },
  },
  session_selfies: {
    about: 'The picture that an enrolment takes for its host, if the host asked for one.',
    stays: `${WITH_SESSION}; then it goes out with the webhook`,
    deletedBy: SESSION_DELETED,
    columns: {
      session_id: 'pseudonym',
      nonce: 'nothing',
      sealed: ['sealed', 'a JPEG of the face'],
    },
  },
  enrolling_sessions: {
    about: 'Which open sessions enrol whom.',
    stays: WITH_SESSION,
    deletedBy: SESSION_DELETED,
    columns: { person_id: 'pseudonym', session_id: 'pseudonym', joined_at: 'pseudonym' },
  },
  person_keys: {
    about: 'The key by which the audit names a person.',
    stays: PERSON_STAYS,
    deletedBy: PERSON_DELETED,
    columns: { person_id: 'pseudonym', sealed: ['sealed', 'the key; without it, audit lines lead nowhere'] },
  },
  key_holder: {
    about: 'Which key-holder belongs to this database.',
    stays: 'for ever',
    deletedBy: 'nothing',
    columns: { one: 'nothing', identity: 'nothing', thread: 'nothing', recorded_at: 'nothing' },
  },
  watched_subjects: {
    about: 'People and organisations that a customer has watched against the lists.',
    stays: SUBJECT_STAYS,
    deletedBy: SUBJECT_DELETED,
    columns: {
      id: 'pseudonym',
      customer: ['readable', 'the name you gave a customer'],
      world: 'nothing',
      api_key_id: 'nothing',
      reference_digest: ['digest', 'of the customer’s own name for them'],
      revision: 'nothing',
      state: 'nothing',
      created_at: 'pseudonym',
      changed_at: 'pseudonym',
      screened_at: 'pseudonym',
      hit_state: 'pseudonym',
      engine: 'nothing',
      more_hits: 'pseudonym',
      sealed: ['sealed', 'names, dates, identifiers, addresses, callback'],
    },
  },
  watched_hits: {
    about: 'Listed entities that a watched subject may be.',
    stays: 'until the entity is no longer listed or no longer matches',
    deletedBy: SUBJECT_DELETED,
    columns: {
      id: 'pseudonym',
      subject_id: 'pseudonym',
      entity_digest: ['digest', 'of the listed entity’s id'],
      found_at: 'pseudonym',
      changed_at: 'pseudonym',
      is_open: 'pseudonym',
      sealed: ['sealed', 'entity, score, explanation, decision'],
    },
  },
  screening_alerts: {
    about: 'Every change of what was found for a watched subject, of the subject itself, and every decision on it.',
    stays: SUBJECT_STAYS,
    deletedBy: SUBJECT_DELETED,
    columns: {
      id: 'pseudonym',
      customer: ['readable', 'the name you gave a customer'],
      world: 'nothing',
      subject_id: 'pseudonym',
      kind: [
        'pseudonym',
        'whether a hit is new, changed, refreshed, removed, decided or to be decided again, or the subject was changed',
      ],
      created_at: 'pseudonym',
      sealed: [
        'sealed',
        'entity, score, explanation, decision with its reason and author, what was changed of the subject',
      ],
    },
  },
  watched_lists: {
    about: 'Up to which version of each list the subjects have been screened.',
    stays: 'until the list is removed',
    deletedBy: 'nothing',
    columns: {
      name: 'nothing',
      version: 'nothing',
      content: 'nothing',
      built_at: 'nothing',
      worked_at: 'nothing',
      begun: 'nothing',
      seen_at: 'nothing',
      everybody_at: 'nothing',
    },
  },
  signing_keys: {
    about: 'The keys that sign results and receipts.',
    stays: 'until everything it signed has expired',
    deletedBy: '`limen signing-keys remove`',
    columns: {
      id: 'nothing',
      world: 'nothing',
      number: 'nothing',
      created_at: 'nothing',
      signs_from: 'nothing',
      sealed: ['sealed', 'the key; its private part until another signs'],
    },
  },
  operators: {
    about: 'Who may use the console.',
    stays: 'until they are removed',
    deletedBy: OPERATOR_REMOVED,
    columns: {
      id: 'pseudonym',
      name: ['readable', 'the name you gave them'],
      role: 'nothing',
      created_at: 'pseudonym',
      mac: ROW_SEAL,
    },
  },
  operator_identities: {
    about: 'Which operators sign in with an identity provider.',
    stays: 'until the operator is removed',
    deletedBy: OPERATOR_REMOVED,
    columns: {
      id: ['digest', 'of the provider’s address and what it calls the operator'],
      operator_id: 'pseudonym',
      created_at: 'pseudonym',
      mac: ROW_SEAL,
    },
  },
  operator_invites: {
    about: 'Links with which operators register a passkey.',
    stays: 'until it is used, at most 15 minutes',
    deletedBy: OPERATOR_REMOVED,
    columns: {
      id: ['digest', 'of what is in the link'],
      operator_id: 'pseudonym',
      expires_at: 'nothing',
      mac: ROW_SEAL,
    },
  },
  operator_passkeys: {
    about: 'Operators’ passkeys.',
    stays: 'until the operator is removed',
    deletedBy: OPERATOR_REMOVED,
    columns: {
      credential_id: 'pseudonym',
      operator_id: 'pseudonym',
      public_key: 'pseudonym',
      counter: 'nothing',
      answered_at: 'pseudonym',
      created_at: 'pseudonym',
      mac: ROW_SEAL,
    },
  },
  operator_sessions: {
    about: 'Who is signed in to the console.',
    stays: 'until sign-out, at most 12 hours',
    deletedBy: `${OPERATOR_REMOVED}; \`limen operators sign-out\``,
    columns: {
      id: 'pseudonym',
      token_lookup: ['digest', 'of what is in the cookie'],
      operator_id: 'pseudonym',
      created_at: 'pseudonym',
      ends_at: 'pseudonym',
      sealed: ['sealed', 'when it was last used, from which address and by which browser'],
    },
  },
  session_marks: {
    about: 'What the console finds sessions by: outcome, recommendation, flags, transaction id.',
    stays: SESSION_STAYS,
    deletedBy: SESSION_DELETED,
    columns: {
      mark: ['digest', 'of what it says'],
      created_at: 'pseudonym',
      session_id: 'pseudonym',
    },
  },
  review_cases: {
    about: 'What the service left to a reviewer: sessions that ended with REVIEW, and hits of watched subjects.',
    stays: 'until decided and `RETENTION_HOURS` more, of a session at most `REVIEW_DAYS`; of a hit, while it waits',
    deletedBy: `${SESSION_DELETED}; ${SUBJECT_DELETED}`,
    columns: {
      id: 'nothing',
      kind: 'nothing',
      customer: 'nothing',
      world: 'nothing',
      api_key_id: 'nothing',
      about: ['pseudonym', 'the session or the watched subject'],
      hit_id: 'pseudonym',
      person_id: 'pseudonym',
      state: 'nothing',
      assignee_id: 'pseudonym',
      created_at: 'pseudonym',
      due_at: 'pseudonym',
      decided_at: 'pseudonym',
      purge_at: 'pseudonym',
      sealed: [
        'sealed',
        'outcome, flags, signals, timeline, webhook attempts, transaction id and callback of the session, and the decision; no age',
      ],
    },
  },
  review_notes: {
    about: 'What reviewers did to a case and said about it.',
    stays: 'as long as the case',
    deletedBy: `${SESSION_DELETED}; ${SUBJECT_DELETED}`,
    columns: {
      id: 'nothing',
      case_id: 'pseudonym',
      at: 'pseudonym',
      sealed: ['sealed', 'the reviewer’s name, and what they did and wrote'],
    },
  },
  review_tokens: {
    about: 'Tokens by which hosts delete the cases of sessions that are gone.',
    stays: 'as long as the case',
    deletedBy: SESSION_DELETED,
    columns: { token_lookup: ['digest', 'of the session’s token'], case_id: 'pseudonym' },
  },
  activity_counts: {
    about: 'How often what happened on a day, by key; numbers alone.',
    stays: '400 days',
    deletedBy: 'nothing',
    columns: { day: 'nothing', api_key_id: 'nothing', name: 'nothing', count: 'nothing' },
  },
  activity_totals: {
    about: 'The same of all keys of a world together.',
    stays: '400 days',
    deletedBy: 'nothing',
    columns: { day: 'nothing', world: 'nothing', name: 'nothing', count: 'nothing' },
  },
  audit_lines: {
    about: 'What operators did and looked at in the console.',
    stays: 'for `AUDIT_DAYS`, a day at a time',
    deletedBy: 'nothing',
    columns: {
      seq: 'nothing',
      at: 'pseudonym',
      operator_id: 'pseudonym',
      act: 'nothing',
      sealed: ['sealed', 'operator’s name, address, and the ids of what it was about; no search text'],
    },
  },
  audit_segments: {
    about: 'A checkpoint for each day of that log.',
    stays: 'for ever',
    deletedBy: 'nothing',
    columns: {
      day: 'nothing',
      first_seq: 'nothing',
      lines: 'nothing',
      start: 'nothing',
      hash: 'nothing',
      pruned: 'nothing',
      signature: 'nothing',
    },
  },
  shared_lists: {
    about: 'Which version of a sanctions list all processes screen against.',
    stays: 'until the next version of the list',
    deletedBy: '`limen datasets remove`',
    columns: { name: 'nothing', sum: 'nothing', sealed: ['sealed', 'source, version and size of the list'] },
  },
  shared_list_parts: {
    about: 'The published list itself, on its way from one machine to the others.',
    stays: 'until an hour after the next version of the list',
    deletedBy: '`limen datasets remove`',
    columns: {
      sum: 'nothing',
      number: 'nothing',
      created_at: 'nothing',
      contents: ['readable', 'what the publisher of the list made public'],
    },
  },
};

interface FileEntry {
  path: string;
  holds: string;
  protection: string;
  stays: string;
}

/** Beside the database. */
export const FILES: readonly FileEntry[] = [
  {
    path: 'the table `gallery_half_vectors` (before: `gallery_vectors`), in PostgreSQL with `VECTOR_STORE=pgvector` only',
    holds: 'a copy of every face vector of the biometric node, for searching: biometric data',
    protection: 'rotated by a key of its gallery, which hides it from a glance and is not encryption (docs/node.md)',
    stays: 'as long as the embedding it is a copy of',
  },
  {
    path: '`limen.db.reserve`',
    holds: 'nothing: room that a full disk gives back for deletions',
    protection: 'none needed',
    stays: 'for ever',
  },
  {
    path: '`limen.db`, `limen.db-wal`, `limen.db-shm`',
    holds: 'the tables above, unless `DATABASE_URL` is set',
    protection: 'as for the columns; deleted values are overwritten',
    stays: 'as for the rows',
  },
  {
    path: '`master.key`',
    holds: 'the master key, in development only',
    protection: 'readable only by its owner (0600); production refuses it',
    stays: 'for ever',
  },
  {
    path: '`keyholder/keyholder.sqlite`, with `-wal` and `-shm`',
    holds:
      'secret keys of the face tokens, by customer; counts of attempts, enrolments and locks, by digests of addresses, devices and people',
    protection: 'keys sealed, digests keyed',
    stays: 'keys for ever; counts as long as a throttle looks back, at most a day',
  },
  {
    path: '`keyholder/audit.jsonl`, `keyholder/audit-<day>.<number>.jsonl`',
    holds: 'what the key-holder decided, without a score, a face or a name',
    protection: 'people named by a digest under a key that is deleted with them; facts about the camera sealed',
    stays: '`AUDIT_DAYS`',
  },
  {
    path: '`datasets/`',
    holds: 'sanctions lists as they were published: public data about people',
    protection: 'none',
    stays: 'until the list is removed or replaced',
  },
  { path: '`models/`', holds: 'face models', protection: 'none', stays: 'for ever' },
  {
    path: 'standard output',
    holds: 'the log: request ids, route patterns, statuses, codes',
    protection: 'nothing personal is logged',
    stays: 'as long as you keep it',
  },
];
