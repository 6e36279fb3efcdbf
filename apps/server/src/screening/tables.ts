// The tables of screening.
import type { CustomerId, WatchedSubjectId } from '../platform/base/ids.ts';
import type { World } from '../platform/base/world.ts';
import {
  type BoundColumns,
  bindList,
  bindPath,
  bytes,
  DELETED_WITH,
  defineTable,
  integer,
  nullable,
  type SchemaRows,
  text,
} from '../platform/database/table.ts';

const SUBJECT_STAYS = 'until the subject is deleted';

export const tables = {
  watched_subjects: defineTable({
    about: 'People and organizations that a customer has watched against the lists.',
    stays: SUBJECT_STAYS,
    deletedBy: DELETED_WITH.subject,
    key: ['id'],
    columns: {
      id: text<WatchedSubjectId>('pseudonym'),
      customer: text<CustomerId>('readable', 'the name you gave a customer'),
      world: text<World>('nothing'),
      /** Key that last wrote the subject. Its secret signs the webhooks. */
      api_key_id: text('nothing'),
      reference_digest: bytes('digest', 'of the customer’s own name for them'),
      /** Optimistic lock over the subject and its hits. */
      revision: integer('nothing'),
      state: text<'due' | 'screened' | 'no_list'>('nothing'),
      created_at: integer('pseudonym'),
      changed_at: integer('pseudonym'),
      screened_at: nullable(integer('pseudonym')),
      hit_state: text<'none' | 'open' | 'decided'>('pseudonym'),
      /** Engine of the last complete screening; 0 before the first. */
      engine: integer('nothing'),
      more_hits: integer('pseudonym'),
      sealed: bytes('sealed', 'names, dates, identifiers, addresses, callback'),
    },
    places: { sealed: bindList('watched_subjects/sealed', 'id', 'customer', 'world') },
  }),
  watched_hits: defineTable({
    about: 'Listed entities that a watched subject may be.',
    stays: 'until the entity is no longer listed or no longer matches',
    deletedBy: DELETED_WITH.subject,
    key: ['id'],
    columns: {
      id: text('pseudonym'),
      subject_id: text<WatchedSubjectId>('pseudonym'),
      /** Finds the hits of an entry that changed. */
      entity_digest: bytes('digest', 'of the listed entity’s id'),
      found_at: integer('pseudonym'),
      changed_at: integer('pseudonym'),
      is_open: integer('pseudonym'),
      sealed: bytes('sealed', 'entity, score, explanation, decision'),
    },
    places: {
      sealed: ({ id }: BoundColumns<'id'>, subject: BoundColumns<'id' | 'customer' | 'world'>) =>
        `watched_hits/sealed/${JSON.stringify([id, subject.id, subject.customer, subject.world])}`,
    },
    beside: { table: 'watched_subjects', by: 'subject_id' },
  }),
  screening_alerts: defineTable({
    about: 'Every change of what was found for a watched subject, of the subject itself, and every decision on it.',
    stays: SUBJECT_STAYS,
    deletedBy: DELETED_WITH.subject,
    key: ['id'],
    columns: {
      id: text('pseudonym'),
      customer: text<CustomerId>('readable', 'the name you gave a customer'),
      world: text<World>('nothing'),
      subject_id: text<WatchedSubjectId>('pseudonym'),
      kind: text<'new' | 'changed' | 'removed' | 'refreshed' | 'decision' | 'withdrawal' | 'subject_changed'>(
        'pseudonym',
        'whether a hit is new, changed, refreshed, removed, decided or to be decided again, or the subject was changed',
      ),
      created_at: integer('pseudonym'),
      sealed: bytes(
        'sealed',
        'entity, score, explanation, decision with its reason and author, what was changed of the subject',
      ),
    },
    places: { sealed: bindList('screening_alerts/sealed', 'id', 'customer', 'world', 'subject_id', 'kind') },
  }),
  watched_lists: defineTable({
    about: 'Up to which version of each list the subjects have been screened.',
    stays: 'until the list is removed',
    deletedBy: 'nothing',
    key: ['name'],
    columns: {
      name: text('nothing'),
      version: text('nothing'),
      /** Checksum of the index. */
      content: text('nothing'),
      /** Build time of that version. Older versions are ignored. */
      built_at: integer('nothing'),
      worked_at: integer('nothing'),
      /** Checksum of the version that is being screened, or empty. */
      begun: text('nothing'),
      /** When a process last had the version of `built_at`. */
      seen_at: integer('nothing'),
      /** Last screening of all subjects. */
      everybody_at: integer('nothing'),
    },
  }),
  shared_lists: defineTable({
    about: 'Which version of a sanctions list all processes screen against.',
    stays: 'until the next version of the list',
    deletedBy: '`limen datasets remove`',
    key: ['name'],
    columns: {
      name: text('nothing'),
      /** Checksum of the index in the parts; null after the list is removed. */
      sum: nullable(text('nothing')),
      sealed: bytes('sealed', 'source, version and size of the list'),
    },
    places: { sealed: bindPath('shared_lists/sealed', 'name') },
  }),
  shared_list_parts: defineTable({
    about: 'The published list itself, on its way from one machine to the others.',
    stays: 'until an hour after the next version of the list',
    deletedBy: '`limen datasets remove`',
    key: ['sum', 'number'],
    columns: {
      sum: text('nothing'),
      number: integer('nothing'),
      created_at: integer('nothing'),
      contents: bytes('readable', 'what the publisher of the list made public'),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
