// How operators come in and go: invite, passkey, sign-in, sign-out, and the question before what destroys or creates.
import { oneOf } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { IDLE_MINUTES } from '../../core/operators/operator-sessions.ts';
import type { Operator } from '../../core/operators/operators.ts';
import { AppError } from '../../platform/errors.ts';
import { permissionsOf } from '../../platform/roles.ts';
import type { ConsoleParts } from './console-parts.ts';
import { addressOf, operatorOf } from './guard.ts';
import type { ConfirmableAct, InviteView, MeView, QuestionView } from './views.ts';

const MAX_TOKEN = 100;
/** Of a key's sites, which are the longest. */
const MAX_ABOUT = 20_000;
const MAX_RECORDED_ID = 300;

/** What came back from an authenticator; what is in it, the ceremony reads. */
export const Answer = Type.Object({
  ticket: Type.String({ maxLength: MAX_TOKEN }),
  response: Type.Unsafe<object>({ type: 'object' }),
});
const Invite = Type.Object({ invite: Type.String({ minLength: 1, maxLength: MAX_TOKEN }) });
const InviteAnswer = Type.Object({ ...Invite.properties, ...Answer.properties });
const ACTS = [
  'session.redact',
  'key.create',
  'key.revoke',
  'key.origins',
  'operator.invite',
  'operator.remove',
  'person.delete',
] as const satisfies readonly ConfirmableAct[];
const ActQuestion = Type.Object({ act: oneOf(ACTS), about: Type.String({ maxLength: MAX_ABOUT }) });
/** Their provider says whether they still belong here; a passkey of theirs only confirms what they do. */
const PROVIDED = 'You sign in to this console with your organisation’s account; the passkey is asked for later.';
const IdPath = Type.Object({ id: Type.String() });

export function registerAccountRoutes(
  { add, signIn, operators, sessions, cookie, beginSession, audit, record }: ConsoleParts,
  { hasScreening }: Pick<MeView, 'hasScreening'>,
): void {
  add('POST /console/api/invite/question', { body: Invite }, async ({ body }): Promise<InviteView> => {
    const opened = await signIn.openInvite(body.invite);
    if (!opened) throw inviteRefused();
    const { ticket, options, operator } = opened;
    return { ticket, options, name: operator.name, role: operator.role };
  });

  add('POST /console/api/invite', { body: InviteAnswer }, async ({ body, request, reply }) => {
    const operator = await signIn.register(body.invite, body, (found) => recordOf(found, request, 'passkey.register'));
    if (!operator) throw inviteRefused();
    // Only their identity provider signs them in, which it has done where the link came from there.
    if (await operators.isProvided(operator.id)) return {};
    return reply.header('set-cookie', await beginSession(operator, request)).send({});
  });

  add('POST /console/api/sign-in/question', {}, (): Promise<QuestionView> => signIn.ask());

  add('POST /console/api/sign-in', { body: Answer }, async ({ body, request, reply }) => {
    const operator = await signIn.signIn(body);
    if (operator === 'provided') throw new AppError('passkey_refused', PROVIDED);
    if (!operator) throw passkeyRefused();
    await recordOf(operator, request, 'sign-in');
    return reply.header('set-cookie', await beginSession(operator, request)).send({});
  });

  add('GET /console/api/me', {}, async ({ request }): Promise<MeView> => {
    const { operator, id } = operatorOf(request);
    const all = await sessions.list(operator);
    return {
      name: operator.name,
      role: operator.role,
      permissions: permissionsOf(operator.role),
      sessions: all.map(({ operator: _, ...session }) => ({ ...session, isThis: session.id === id })),
      idleMinutes: IDLE_MINUTES,
      hasScreening,
    };
  });

  add('POST /console/api/sign-out', {}, async ({ request, reply }) => {
    const { operator, id } = operatorOf(request);
    await record(request, 'sign-out');
    await sessions.end(operator.id, id);
    return reply.header('set-cookie', cookie().clear).send({});
  });

  add('POST /console/api/my-sessions/:id/end', { params: IdPath }, async ({ params, request }) => {
    const { operator } = operatorOf(request);
    await record(request, 'sign-out', params.id.slice(0, MAX_RECORDED_ID));
    if (!(await sessions.end(operator.id, params.id))) throw new AppError('not_found', 'That session is over already.');
    return {};
  });

  add('POST /console/api/question', { body: ActQuestion }, ({ body, request }): Promise<QuestionView> => {
    const { operator, id } = operatorOf(request);
    return signIn.askForAct({ sessionId: id, operatorId: operator.id, act: body.act, about: body.about });
  });

  /** Of somebody who is not signed in yet. */
  function recordOf(operator: Operator, request: FastifyRequest, act: string): Promise<void> {
    return audit.write({ operator, act, from: addressOf(request) });
  }
}

function inviteRefused(): AppError {
  return new AppError(
    'invite_refused',
    'This link does not work any more: it is good for one passkey and a quarter of an hour. Ask for a new one.',
  );
}

export function passkeyRefused(): AppError {
  return new AppError('passkey_refused', 'The passkey was not accepted; try again.');
}
