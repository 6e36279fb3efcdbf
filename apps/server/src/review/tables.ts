// The tables of review.
import type { CustomerId, OperatorId, PersonId, SessionId, WatchedSubjectId } from '../platform/base/ids.ts';
import type { World } from '../platform/base/world.ts';
import {
  type BoundColumns,
  bindList,
  bytes,
  DELETED_WITH,
  defineTable,
  integer,
  nullable,
  type SchemaRows,
  text,
} from '../platform/database/table.ts';

export const tables = {
  review_cases: defineTable({
    about: 'Cases for reviewers: sessions that ended with REVIEW, and hits of watched subjects.',
    stays: 'until decided and `RETENTION_HOURS` more, of a session at most `REVIEW_DAYS`; of a hit, while it waits',
    deletedBy: `${DELETED_WITH.session}; ${DELETED_WITH.subject}`,
    key: ['id'],
    columns: {
      id: text('nothing'),
      kind: text<'session' | 'hit'>('nothing'),
      customer: text<CustomerId>('nothing'),
      world: text<World>('nothing'),
      /** Key whose value signs the webhook with the decision. */
      api_key_id: text('nothing'),
      about: text<SessionId | WatchedSubjectId>('pseudonym', 'the session or the watched subject'),
      hit_id: nullable(text('pseudonym')),
      person_id: nullable(text<PersonId>('pseudonym')),
      /** `proposed`: a second reviewer has to agree. */
      state: text<'open' | 'proposed' | 'decided'>('nothing'),
      assignee_id: nullable(text<OperatorId>('pseudonym')),
      created_at: integer('pseudonym'),
      due_at: integer('pseudonym'),
      decided_at: nullable(integer('pseudonym')),
      /** Null while the case waits with its hit. */
      purge_at: nullable(integer('pseudonym')),
      sealed: bytes(
        'sealed',
        'outcome, flags, signals, timeline, webhook attempts, transaction id and callback of the session, and the decision; no age',
      ),
    },
    places: {
      // Every other column: a row that was edited does not open.
      sealed: ({ sealed: _, ...row }: BoundColumns<'sealed'>) => {
        const columns = Object.entries(row).sort(([first], [second]) => (first < second ? -1 : 1));
        return `review_cases/sealed/${JSON.stringify(columns)}`;
      },
    },
  }),
  review_notes: defineTable({
    about: 'Actions and notes of reviewers on a case.',
    stays: 'as long as the case',
    deletedBy: `${DELETED_WITH.session}; ${DELETED_WITH.subject}`,
    key: ['id'],
    columns: {
      id: text('nothing'),
      case_id: text('pseudonym'),
      at: integer('pseudonym'),
      sealed: bytes('sealed', 'the reviewer’s name, and what they did and wrote'),
    },
    places: { sealed: bindList('review_notes/sealed', 'id', 'case_id', 'at') },
  }),
  review_tokens: defineTable({
    about: 'Tokens by which hosts delete the cases of sessions that are gone.',
    stays: 'as long as the case',
    deletedBy: DELETED_WITH.session,
    key: ['token_lookup'],
    columns: {
      /** As in `sessions`. */
      token_lookup: bytes('digest', 'of the session’s token'),
      case_id: text('pseudonym'),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
