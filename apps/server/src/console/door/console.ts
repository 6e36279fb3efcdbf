// The console as capabilities see it: they add calls here, which are guarded and on record.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../platform/base/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { createCeremony } from '../../platform/webauthn/ceremony.ts';
import type { Act, Operator } from '../../records/audit/acts.ts';
import { type AuditLog, createActRecorder, recordAs } from '../../records/audit/log.ts';
import { MAX_TOKEN_LENGTH } from '../limits.ts';
import type { Operators } from '../operators/operators.ts';
import type { ConfirmableAct } from '../operators/permissions.ts';
import { createOperatorSessions } from '../operators/sessions.ts';
import { OperatorSignIn, type PasskeyAnswer } from '../operators/sign-in.ts';
import type { OperatorStore } from '../operators/store.ts';
import { createAddRoute, createAddUpload } from './add-route.ts';
import { createSessionCookie } from './cookie.ts';
import { createGuard, createRefusals, isRefresh, readAddress, requireOperator } from './guard.ts';
import { mapKeyNames } from './key-names.ts';

export const Answer = Type.Object({
  ticket: Type.String({ maxLength: MAX_TOKEN_LENGTH }),
  response: Type.Unsafe<object>({ type: 'object' }),
});

export type Console = ReturnType<typeof createConsole>['console'];
export type DoorParts = ReturnType<typeof createConsole>['parts'];

interface ConsoleParts {
  http: HttpServer;
  store: OperatorStore;
  operators: Operators;
  audit: AuditLog;
  consoleUrl: () => string;
}

export function createConsole(context: Context, { http, store, operators, audit, consoleUrl }: ConsoleParts) {
  const { sealer, apiKeys } = context;
  const sessions = createOperatorSessions(store, context);
  const ceremony = createCeremony(() => {
    const { hostname, origin } = new URL(consoleUrl());
    return { id: hostname, origins: [origin] };
  });
  const signIn = new OperatorSignIn(store, ceremony, context);
  const cookie = () => createSessionCookie(consoleUrl().startsWith('https:'));
  http.decorateRequest('operatorSession', null);
  const refusals = createRefusals(audit);
  const guard = createGuard({ sessions, noteRefusedCall: refusals.noteCall, cookie, consoleUrl });
  const actorOf = (request: FastifyRequest) => ({
    operator: requireOperator(request).operator,
    from: readAddress(request),
  });

  /** Writes to disk before anything is shown. The act `refused` is for calls that fail, and throws after too many. */
  async function record(request: FastifyRequest, act: Act, about?: string): Promise<void> {
    const actor = actorOf(request);
    if (act === 'refused') await refusals.noteCall(actor.operator, request, about ?? '');
    else await recordAs(audit, actor)(act, about);
  }

  return {
    console: {
      add: createAddRoute(http, guard),
      addUpload: createAddUpload(http, guard),
      record,
      /** Records an act in its transaction, so that the log never claims an act that failed. */
      recordWith: (request: FastifyRequest, act: Act, about: string) =>
        createActRecorder(audit, actorOf(request), act, about),
      noteLook: createNoteLook(record),
      /** Throws unless the operator's own passkey has just confirmed this very act. */
      async confirm(request: FastifyRequest, act: ConfirmableAct, about: string, answer: PasskeyAnswer) {
        const { operator, id } = requireOperator(request);
        if (await signIn.confirmsAct({ sessionId: id, operatorId: operator.id, act, about }, answer)) return;
        // Records the act alone: `about` may name a person, or contain text that an operator typed.
        await record(request, 'refused', act);
        throw passkeyRefused();
      },
      /** Digests a search term, so that the audit log does not contain it. */
      digest: (purpose: string, term: string | Uint8Array) => sealer.digest(purpose, term).toString('base64url'),
      keyNames: async () => mapKeyNames(await apiKeys.list()),
    },
    parts: {
      signIn,
      sessions,
      operators,
      audit,
      cookie,
      /** Returns the cookie of a new session. Each has a new token, so that earlier tokens are worthless. */
      async beginSession(operator: Operator, request: FastifyRequest) {
        const from = { address: readAddress(request), agent: request.headers['user-agent'] ?? '' };
        return cookie().set((await sessions.begin(operator, from)).token);
      },
      noteRefusedEntry: refusals.noteEntry,
    },
  };
}

const MAX_REMEMBERED = 10_000;

/** Records a look once per session of an operator, if the page says that later calls are refreshes. */
function createNoteLook(record: (request: FastifyRequest, act: Act, about?: string) => Promise<void>) {
  const recorded = new Set<string>();
  return async (request: FastifyRequest, act: Act, id?: string) => {
    const look = `${requireOperator(request).id} ${act} ${id ?? ''}`;
    if (isRefresh(request) && recorded.has(look)) return;
    await record(request, act, id);
    if (recorded.size >= MAX_REMEMBERED) recorded.clear();
    recorded.add(look);
  };
}

export function passkeyRefused(): AppError {
  return new AppError('passkey_refused', 'The passkey was not accepted; try again.');
}
