// Tables of sessions.
import type { CustomerId, PersonId, SessionId } from '../platform/base/ids.ts';
import type { World } from '../platform/base/world.ts';
import {
  bindList,
  bindPath,
  bytes,
  DELETED_WITH,
  defineTable,
  integer,
  nullable,
  PERSON_STAYS,
  rowSeal,
  type SchemaRows,
  text,
} from '../platform/database/table.ts';
import { HANDOFF_CODE_TTL_MS, WALLET_LINK_TTL_MS } from './limits.ts';

const SESSION_STAYS = 'until the session ends and `RETENTION_HOURS` have passed';
const WITH_SESSION = 'until the session ends';

/** Proof that a device or a passkey belongs to a person: 0 the face alone, 1 the enrollment that created it, 2 the host. */
export type VouchingLevel = 0 | 1 | 2;

export const tables = {
  sessions: defineTable({
    about: 'Age and verification sessions.',
    stays: SESSION_STAYS,
    deletedBy: DELETED_WITH.session,
    key: ['id'],
    columns: {
      id: text<SessionId>('pseudonym', 'also in the launch link'),
      kind: text<'age' | 'verification'>('nothing'),
      token_lookup: bytes('digest', 'of the token'),
      customer: text<CustomerId>('readable', 'the name you gave a customer'),
      world: text<World>('nothing'),
      /** Key that created the session; its value signs the webhook. */
      api_key_id: text('nothing'),
      state: text<'created' | 'opened' | 'capturing' | 'completed' | 'cancelled' | 'expired'>('pseudonym'),
      created_at: integer('pseudonym'),
      expires_at: integer('pseudonym'),
      ended_at: nullable(integer('pseudonym')),
      purge_at: nullable(integer('pseudonym')),
      sealed: bytes('sealed', 'token, settings, callback, metadata'),
      outcome: nullable(bytes('sealed', 'the result, with an age if one was asked for')),
      person_id: nullable(text<PersonId>('pseudonym')),
      /** Final state; written once and indexed, unlike `state`. Null until the session ends. */
      end_state: nullable(text<'completed' | 'cancelled' | 'expired'>('pseudonym')),
    },
    places: {
      // Every column that never changes.
      sealed: bindList('sessions/sealed', 'id', 'kind', 'customer', 'world', 'api_key_id', 'created_at', 'expires_at'),
      // Every column that the end writes.
      outcome: bindList('sessions/outcome', 'id', 'state', 'ended_at', 'purge_at', 'person_id'),
    },
  }),
  device_channels: defineTable({
    about:
      'The plan that a session’s device must follow; the plan and its private key are kept only until the session ends.',
    stays: SESSION_STAYS,
    deletedBy: DELETED_WITH.session,
    key: ['session_id'],
    columns: {
      session_id: text<SessionId>('pseudonym'),
      revision: integer('nothing'),
      sealed: bytes('sealed', 'device keys, plan, step log'),
    },
    places: { sealed: bindPath('device_channels/sealed', 'session_id') },
  }),
  handoff_boxes: defineTable({
    about: 'Results that one device hands to the next, sealed; the service cannot read them.',
    stays: `until the next device has it, at most ${HANDOFF_CODE_TTL_MS / 60_000} minutes`,
    deletedBy: DELETED_WITH.session,
    key: ['session_id'],
    columns: {
      session_id: text<SessionId>('pseudonym'),
      expires_at: integer('nothing'),
      sealed: bytes('sealed', 'also encrypted under a key that only the QR code has'),
    },
    places: { sealed: bindPath('handoff_boxes/sealed', 'session_id') },
  }),
  passkeys: defineTable({
    about: 'People’s passkeys.',
    stays: PERSON_STAYS,
    deletedBy: DELETED_WITH.person,
    key: ['credential_id'],
    columns: {
      credential_id: text('pseudonym'),
      customer: text<CustomerId>('readable', 'the name you gave a customer'),
      world: text<World>('nothing'),
      person_id: text<PersonId>('pseudonym'),
      public_key: bytes('pseudonym'),
      counter: integer('nothing'),
      transports: text('readable', 'how the passkey is reached: usb, internal and the like'),
      vouched: integer<VouchingLevel>('nothing'),
      created_at: integer('pseudonym'),
      last_used_at: integer('pseudonym'),
      mac: rowSeal(),
    },
  }),
  person_devices: defineTable({
    about: 'Devices known to belong to a person.',
    stays: `${PERSON_STAYS}, or has the device forget them`,
    deletedBy: DELETED_WITH.person,
    key: ['id'],
    columns: {
      id: text('pseudonym'),
      customer: text<CustomerId>('readable', 'the name you gave a customer'),
      world: text<World>('nothing'),
      person_id: text<PersonId>('pseudonym'),
      public_key: bytes('pseudonym'),
      /** Local sign-ins since the last match on the server. */
      local_uses: integer('nothing'),
      vouched: integer<VouchingLevel>('nothing'),
      /** Open session; if it ends well, the device becomes the person's. */
      provisional_session: nullable(text<SessionId>('pseudonym')),
      created_at: integer('pseudonym'),
      last_used_at: integer('pseudonym'),
      mac: rowSeal(),
    },
  }),
  session_evidence: defineTable({
    about: 'Evidence from a session’s calls so far.',
    stays: WITH_SESSION,
    deletedBy: DELETED_WITH.session,
    key: ['session_id'],
    columns: {
      session_id: text<SessionId>('pseudonym'),
      sealed: bytes('sealed', 'who was recognized, and how; in age sessions, how often a proof was tried'),
    },
    places: { sealed: bindPath('session_evidence/sealed', 'session_id') },
  }),
  session_selfies: defineTable({
    about: 'The picture that an enrollment takes for its host, if the host asked for one.',
    stays: `${WITH_SESSION}; then it goes out with the webhook`,
    deletedBy: DELETED_WITH.session,
    key: ['session_id'],
    columns: {
      session_id: text<SessionId>('pseudonym'),
      nonce: text('nothing'),
      sealed: bytes('sealed', 'a JPEG of the face'),
    },
    places: { sealed: bindPath('session_selfies/sealed', 'session_id', 'nonce') },
  }),
  wallet_links: defineTable({
    about:
      'Links and QR codes that a wallet has not answered yet, and what one on the session’s own device showed until the person is back from it.',
    stays: `until the answer or the end of the session, at most ${WALLET_LINK_TTL_MS / 60_000} minutes each; the row goes within a minute more`,
    deletedBy: DELETED_WITH.session,
    key: ['id'],
    columns: {
      id: text('digest', 'of the address that the answer goes to, or of the code that leads back'),
      session_id: text<SessionId>('pseudonym'),
      expires_at: integer('nothing'),
      sealed: bytes(
        'sealed',
        'what was asked, the key for the answer, the device that asked, what its browser showed; of an answer its profile and the issuer’s country',
      ),
    },
    places: { sealed: bindPath('wallet_links/sealed', 'id') },
  }),
  age_keys: defineTable({
    about:
      'Age keys: passkeys with which people prove an earlier age check. Nothing leads from one to a session or a name.',
    stays: 'one year from the first of the month of the check',
    deletedBy: 'the person, at `/launch/my-age-key`; the operator, with `limen age-keys revoke`',
    key: ['id'],
    columns: {
      /** HMAC of the credential id and the world, base64url; nothing else finds the key. */
      id: text('digest', 'of the passkey’s id'),
      revision: integer('nothing', 'random, drawn again with every change'),
      ends_at: integer('pseudonym', 'says the month of the check'),
      minted: text(
        'digest',
        'of the API key that the session was created with and the month: the operator, who holds the master key, can find and delete all keys that one API key made in a month. Hosts never see it',
      ),
      sealed: bytes(
        'sealed',
        'the passkey’s public key and counter, the age proven, by which method, the month, the steps required and whether light was seen; a digest of the customer, and the one beside; uses of the last day',
      ),
    },
    places: { sealed: bindPath('age_keys/sealed', 'id') },
  }),
  age_key_making: defineTable({
    about: 'How many age keys were made in an hour, so that making them is limited.',
    stays: 'until the hour is over; the row goes within an hour more',
    deletedBy: 'nothing',
    key: ['id'],
    columns: {
      id: text('digest', 'of the hour and of an API key, or of the hour and of a client address'),
      made: integer('nothing'),
      ends_at: integer('nothing'),
    },
  }),
  session_marks: defineTable({
    about: 'Search keys for sessions in the console: outcome, recommendation, flags, transaction id.',
    stays: SESSION_STAYS,
    deletedBy: DELETED_WITH.session,
    key: ['mark', 'created_at', 'session_id'],
    columns: {
      mark: bytes('digest', 'of what it says'),
      /** Creation of the session: marks have the order of the list. */
      created_at: integer('pseudonym'),
      session_id: text<SessionId>('pseudonym'),
    },
  }),
  recent_checks: defineTable({
    about: 'How many checks finished from one address with one API key, to notice bursts.',
    stays: 'a day at most',
    deletedBy: 'nothing: nothing leads from it to a session',
    key: ['digest', 'seen_at'],
    columns: {
      digest: bytes('digest', 'of the API key’s id and the IPv4 address or IPv6 /64'),
      seen_at: integer('pseudonym'),
      checks: integer('nothing'),
    },
  }),
  recent_logs: defineTable({
    about: 'Step logs of finished checks, to notice one that is sent again.',
    stays: 'a day at most',
    deletedBy: 'nothing: nothing leads from it to a session',
    key: ['digest'],
    columns: {
      digest: bytes('digest', 'of the customer and the rounded times between steps'),
      seen_at: integer('pseudonym'),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
