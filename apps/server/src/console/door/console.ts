// The console as a capability sees it: it adds its calls here, guarded and on record.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { InTransaction } from '../../platform/database/database.ts';
import type { Act, Operator } from '../../records/audit/acts.ts';
import type { AuditLog } from '../../records/audit/log.ts';
import { MAX_TOKEN_LENGTH } from '../limits.ts';
import type { Operators } from '../operators/operators.ts';
import type { OperatorSessions } from '../operators/sessions.ts';
import type { OperatorSignIn, PasskeyAnswer } from '../operators/sign-in.ts';
import type { AddRoute, AddUpload } from './add-route.ts';
import type { ConsoleCookie } from './cookie.ts';
import type { Refusals } from './guard.ts';
import type { KeyNames } from './key-names.ts';
import type { ConfirmableAct } from './views.ts';

/** Answer of an authenticator; the ceremony reads the response. */
export const Answer = Type.Object({
  ticket: Type.String({ maxLength: MAX_TOKEN_LENGTH }),
  response: Type.Unsafe<object>({ type: 'object' }),
});

export interface Console {
  add: AddRoute;
  addUpload: AddUpload;
  /** Writes to the disk before anything is shown. The act `refused` is for calls that fail, and throws after too many. */
  record(request: FastifyRequest, act: Act, about?: string): Promise<void>;
  /** Records an act as part of its transaction, so that a refused act leaves no line that claims it was done. */
  recordWith(request: FastifyRequest, act: Act, about: string): InTransaction;
  /** Records a look, once for as long as the page refreshes by itself. */
  noteLook(request: FastifyRequest, act: Act, id?: string): Promise<void>;
  /** Throws unless the operator's own passkey has just confirmed this very act. */
  confirm(request: FastifyRequest, act: ConfirmableAct, about: string, answer: PasskeyAnswer): Promise<void>;
  /** Digests a search term, so that the record does not hold it. */
  digest(purpose: string, what: string | Uint8Array): string;
  keyNames(): Promise<KeyNames>;
}

/** Parts that only the console's own calls use: sign-in, accounts and operators. */
export interface DoorParts {
  signIn: OperatorSignIn;
  /** Sessions of operators. */
  sessions: OperatorSessions;
  operators: Operators;
  audit: AuditLog;
  cookie: () => ConsoleCookie;
  /** Returns the cookie of a new session. Each session gets a new token, so that an earlier token is worth nothing. */
  beginSession(operator: Operator, request: FastifyRequest): Promise<string>;
  /** Records that someone was not let in. */
  noteRefusedEntry: Refusals['noteEntry'];
}
