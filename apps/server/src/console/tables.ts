// The tables of the console.
import type { OperatorId } from '../platform/base/ids.ts';
import type { Role } from '../platform/base/roles.ts';
import { bindList, bytes, defineTable, integer, rowSeal, type SchemaRows, text } from '../platform/database/table.ts';
import { INVITE_MINUTES, MAX_SESSION_HOURS } from './limits.ts';

const OPERATOR_REMOVED = '`limen operators remove`';

export const tables = {
  operators: defineTable({
    about: 'Operators of the console.',
    stays: 'until they are removed',
    deletedBy: OPERATOR_REMOVED,
    key: ['id'],
    columns: {
      id: text<OperatorId>('pseudonym'),
      name: text('readable', 'the name you gave them'),
      role: text<Role>('nothing'),
      created_at: integer('pseudonym'),
      mac: rowSeal(),
    },
  }),
  operator_invites: defineTable({
    about: 'Links with which operators register a passkey.',
    stays: `until it is used, at most ${INVITE_MINUTES} minutes`,
    deletedBy: OPERATOR_REMOVED,
    key: ['id'],
    columns: {
      id: text('digest', 'of what is in the link'),
      operator_id: text<OperatorId>('pseudonym'),
      expires_at: integer('nothing'),
      mac: rowSeal(),
    },
  }),
  operator_identities: defineTable({
    about: 'Which operators sign in with an identity provider.',
    stays: 'until the operator is removed',
    deletedBy: OPERATOR_REMOVED,
    key: ['id'],
    columns: {
      id: text('digest', 'of the provider’s address and what it calls the operator'),
      operator_id: text<OperatorId>('pseudonym'),
      created_at: integer('pseudonym'),
      mac: rowSeal(),
    },
  }),
  operator_passkeys: defineTable({
    about: 'Operators’ passkeys.',
    stays: 'until the operator is removed',
    deletedBy: OPERATOR_REMOVED,
    key: ['credential_id'],
    columns: {
      credential_id: text('pseudonym'),
      operator_id: text<OperatorId>('pseudonym'),
      public_key: bytes('pseudonym'),
      counter: integer('nothing'),
      /** Issue time of the newest answered challenge; older ones are refused */
      answered_at: integer('pseudonym'),
      created_at: integer('pseudonym'),
      mac: rowSeal(),
    },
  }),
  operator_sessions: defineTable({
    about: 'Open sessions of operators in the console.',
    stays: `until sign-out, at most ${MAX_SESSION_HOURS} hours`,
    deletedBy: `${OPERATOR_REMOVED}; \`limen operators sign-out\``,
    key: ['id'],
    columns: {
      id: text('pseudonym'),
      token_lookup: bytes('digest', 'of what is in the cookie'),
      operator_id: text<OperatorId>('pseudonym'),
      created_at: integer('pseudonym'),
      /** Deletion time of the row. The sealed value decides on validity. */
      ends_at: integer('pseudonym'),
      sealed: bytes('sealed', 'when it was last used, from which address and by which browser'),
    },
    places: { sealed: bindList('operator_sessions/sealed', 'id', 'token_lookup', 'operator_id', 'created_at') },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
