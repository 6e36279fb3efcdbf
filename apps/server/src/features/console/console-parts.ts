// What the rooms of the console share.

import type { FastifyRequest } from 'fastify';
import type { Activity } from '../../core/activity/activity.ts';
import type { Act } from '../../core/audit/acts.ts';
import type { AuditLog } from '../../core/audit/audit-log.ts';
import type { ChannelStore } from '../../core/device-channel/store.ts';
import type { OperatorSessions } from '../../core/operators/operator-sessions.ts';
import type { Operator, Operators } from '../../core/operators/operators.ts';
import type { Answer, SignIn } from '../../core/operators/sign-in.ts';
import type { ReviewDesk } from '../../core/review/review-desk.ts';
import type { Sessions } from '../../core/sessions/sessions.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import type { KeyUses } from '../../platform/api-keys/key-uses.ts';
import type { Clock } from '../../platform/clock.ts';
import type { InTransaction } from '../../platform/database/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { AddRoute, AddUpload } from './add-route.ts';
import type { ConsoleCookie } from './cookie.ts';
import type { NoteLook } from './note-look.ts';
import type { Refusals } from './refusals.ts';
import type { ConfirmableAct } from './views.ts';

export interface ConsoleParts {
  add: AddRoute;
  addUpload: AddUpload;
  signIn: SignIn;
  /** Of operators. */
  sessions: OperatorSessions;
  cookie: () => ConsoleCookie;
  /** Signs somebody in: the cookie to send. A new token each time, so that one from before counts for nothing. */
  beginSession(operator: Operator, request: FastifyRequest): Promise<string>;
  /** Of people. */
  browsedSessions: Sessions;
  channels: ChannelStore;
  webhooks: Webhooks;
  desk: ReviewDesk;
  activity: Activity;
  operators: Operators;
  clock: Clock;
  apiKeys: ApiKeys;
  keyUses: KeyUses;
  audit: AuditLog;
  ids: Ids;
  /** For the record of what somebody searched for. */
  digest(purpose: string, what: string | Uint8Array): string;
  /** On disk before anything is shown. The act `refused` is for what comes to nothing, and throws after too many. */
  record(request: FastifyRequest, act: Act, about?: string): Promise<void>;
  /** For what is done: put into its transaction, so that what is refused there leaves no line that says it was done. */
  recordWith(request: FastifyRequest, act: Act, about: string): InTransaction;
  /** That somebody was not let in. */
  noteRefusedEntry: Refusals['noteEntry'];
  /** The same for a look, once for as long as the page looks again by itself. */
  noteLook: NoteLook;
  /** Throws unless the operator's own passkey has just said yes to this very act. */
  confirm(request: FastifyRequest, act: ConfirmableAct, about: string, answer: Answer): Promise<void>;
}
