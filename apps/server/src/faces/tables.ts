// The tables of faces.
import type { CustomerId, PersonId, Puid, SessionId } from '../platform/base/ids.ts';
import type { World } from '../platform/base/world.ts';
import {
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

export const tables = {
  galleries: defineTable({
    about: 'Sets of people: one for each customer, world and face model.',
    stays: 'for ever',
    deletedBy: 'nothing, unlike the people in it',
    key: ['id'],
    columns: {
      id: text('nothing'),
      customer: text<CustomerId>('readable', 'the name you gave a customer'),
      world: text<World>('nothing'),
      model_version: text('nothing'),
      dimensions: integer('nothing'),
      /** Names the gallery in replies. */
      guid: text('nothing'),
      /** Number of changes: each added or removed embedding or token is one. Writers lock this row. */
      version: integer('nothing'),
      /** Removals up to this change are no longer in the log: older indexes must be loaded again. */
      log_floor: integer('nothing'),
      /** Excludes people whose enrollment has not ended. */
      people: integer('nothing'),
      embeddings: integer('nothing'),
      /** Includes the tokens of people whose enrollment has not ended. */
      tokens: integer('nothing'),
      /** Key of the newest tokens. Enrollments under an older key are refused. */
      token_epoch: nullable(text('nothing')),
      created_at: integer('nothing'),
      mac: rowSeal(),
    },
  }),
  people: defineTable({
    about: 'People who were enrolled.',
    stays: `${PERSON_STAYS}; someone whose enrollment never ended, as long as its session`,
    deletedBy: DELETED_WITH.person,
    key: ['id'],
    columns: {
      id: text<PersonId>('pseudonym'),
      gallery_id: text('pseudonym'),
      /** Names the person in replies. */
      puid: text<Puid>('pseudonym', 'the id that hosts know the person by'),
      /** The name itself is not kept. */
      identifier_digest: nullable(bytes('digest', 'of the host’s own name for them')),
      enroll_level: integer('nothing'),
      created_at: integer('pseudonym'),
      /** Open session that enrolled the person. Until it ends, only other enrollments see the person. */
      provisional_session: nullable(text<SessionId>('pseudonym')),
      mac: rowSeal(),
    },
  }),
  embeddings: defineTable({
    about: 'Face vectors of the biometric node.',
    stays: PERSON_STAYS,
    deletedBy: DELETED_WITH.person,
    key: ['gallery_id', 'seq'],
    columns: {
      gallery_id: text('nothing'),
      /** Change of the gallery that added the row. */
      seq: integer('nothing'),
      id: text('pseudonym'),
      person_id: text<PersonId>('pseudonym'),
      sealed: bytes('sealed', 'the face vector: biometric data'),
      mac: rowSeal({ except: ['sealed'] }),
    },
    places: { sealed: bindPath('embeddings/sealed', 'id') },
  }),
  gallery_removals: defineTable({
    about: 'Numbers that tell each process what to forget after a deletion.',
    stays: 'for a day',
    deletedBy: 'nothing',
    key: ['gallery_id', 'version'],
    columns: {
      gallery_id: text('nothing'),
      version: integer('nothing'),
      /** Change that added the removed embedding or token. */
      seq: integer('nothing'),
      removed_at: integer('nothing'),
    },
  }),
  enrolling_sessions: defineTable({
    about: 'Which open sessions enroll whom.',
    stays: 'until the session ends',
    deletedBy: DELETED_WITH.session,
    key: ['person_id', 'session_id'],
    columns: {
      person_id: text<PersonId>('pseudonym'),
      session_id: text<SessionId>('pseudonym'),
      joined_at: integer('pseudonym'),
    },
  }),
  person_keys: defineTable({
    about: 'The key by which the audit names a person.',
    stays: PERSON_STAYS,
    deletedBy: DELETED_WITH.person,
    key: ['person_id'],
    columns: {
      person_id: text<PersonId>('pseudonym'),
      sealed: bytes('sealed', 'the key; without it, audit lines lead nowhere'),
    },
    places: { sealed: bindPath('person_keys/sealed', 'person_id') },
  }),
  tokens: defineTable({
    about: 'Face tokens: face vectors that the service compares without being able to read them.',
    stays: PERSON_STAYS,
    deletedBy: DELETED_WITH.person,
    key: ['gallery_id', 'seq'],
    columns: {
      gallery_id: text('nothing'),
      /** Change of the gallery that added the token; a renewed token is removed and added. */
      seq: integer('nothing'),
      id: text('pseudonym'),
      person_id: text<PersonId>('pseudonym'),
      /** Key that the token is encrypted under. */
      epoch: text('nothing'),
      /** Packed ciphertext without its header. */
      sealed: bytes('sealed', 'also encrypted for the key-holder: biometric data'),
      created_at: integer('pseudonym'),
    },
    places: { sealed: bindPath('tokens/sealed', 'id', 'person_id') },
  }),
  token_blocks: defineTable({
    about: 'Four face tokens each, put together so that searches take less time; deleted with any of them.',
    stays: PERSON_STAYS,
    deletedBy: DELETED_WITH.person,
    key: ['gallery_id', 'seq'],
    columns: {
      gallery_id: text('nothing'),
      /** Change of the gallery that added the row. */
      seq: integer('nothing'),
      id: text('pseudonym'),
      /** Key of the four tokens. */
      epoch: text('nothing'),
      /** Packed ciphertext with its nonce. */
      sealed: bytes('sealed', 'also encrypted for the key-holder: biometric data'),
      created_at: integer('pseudonym'),
      /** The `seq` of each token, and its person. */
      token_0: integer('nothing'),
      token_1: integer('nothing'),
      token_2: integer('nothing'),
      token_3: integer('nothing'),
      person_0: text<PersonId>('pseudonym'),
      person_1: text<PersonId>('pseudonym'),
      person_2: text<PersonId>('pseudonym'),
      person_3: text<PersonId>('pseudonym'),
    },
    places: {
      // Binds the people in order, so that a block with two people exchanged does not open. Binds the tokens, with which the database
      // deletes the block, so that it cannot outlive a face. Binds the epoch: under another key, every score would be random.
      sealed: bindPath(
        'token_blocks/sealed',
        ...(['gallery_id', 'id', 'epoch'] as const),
        ...(['token_0', 'person_0', 'token_1', 'person_1', 'token_2', 'person_2', 'token_3', 'person_3'] as const),
      ),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
