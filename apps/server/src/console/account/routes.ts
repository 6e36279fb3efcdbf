// Calls for sign-in and sign-out, and on sessions and passkeys of the operator.
import { oneOf } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError, invalid } from '../../platform/base/errors.ts';
import type { Act, Operator } from '../../records/audit/acts.ts';
import { recordAs } from '../../records/audit/log.ts';
import { Answer, type Console, type DoorParts, passkeyRefused } from '../door/console.ts';
import { readAddress, requireOperator } from '../door/guard.ts';
import type { InviteView, MeView, MyPasskeysView, QuestionView } from '../door/views.ts';
import { INVITE_MINUTES, MAX_ABOUT_LENGTH, MAX_LINKS, MAX_TOKEN_LENGTH, SESSION_IDLE_MINUTES } from '../limits.ts';
import { REINVITE_ACT } from '../operators/operators.ts';
import { CONFIRMABLE_ACTS, listPermissions } from '../operators/permissions.ts';

const Invite = Type.Object({ invite: Type.String({ minLength: 1, maxLength: MAX_TOKEN_LENGTH }) });
const InviteAnswer = Type.Object({ ...Invite.properties, ...Answer.properties });
const ActQuestion = Type.Object({ act: oneOf(CONFIRMABLE_ACTS), about: Type.String({ maxLength: MAX_ABOUT_LENGTH }) });
const PROVIDED = 'You sign in to this console with your organization’s account; the passkey is asked for later.';
/** Removing a passkey requires another one at hand. */
const CONFIRMED_BY_ITSELF =
  'is the passkey that confirms it, or the only one; use another of yours, or ask for a new link first';
const IdPath = Type.Object({ id: Type.String() });

export function registerSignInRoutes(
  { add }: Pick<Console, 'add'>,
  { signIn, operators, beginSession, audit, noteRefusedEntry }: DoorParts,
): void {
  add('POST /console/api/invite/question', { body: Invite }, async ({ body, request }): Promise<InviteView> => {
    const opened = await signIn.openInvite(body.invite);
    if (!opened) throw await inviteRefused(request);
    const { ticket, options, operator } = opened;
    return { ticket, options, name: operator.name, role: operator.role };
  });

  add('POST /console/api/invite', { body: InviteAnswer }, async ({ body, request, reply }) => {
    const operator = await signIn.register(body.invite, body, (found) => recordOf(found, request, 'passkey.register'));
    if (!operator) throw await inviteRefused(request);
    if (await operators.isProvided(operator.id)) return {};
    return reply.header('set-cookie', await beginSession(operator, request)).send({});
  });

  add('POST /console/api/sign-in/question', {}, (): Promise<QuestionView> => signIn.ask());

  add('POST /console/api/sign-in', { body: Answer }, async ({ body, request, reply }) => {
    const { state, operator } = await signIn.signIn(body);
    if (state !== 'in') {
      await noteRefusedEntry(operator, request, 'sign-in');
      throw state === 'provided' ? new AppError('passkey_refused', PROVIDED) : passkeyRefused();
    }
    await recordOf(operator, request, 'sign-in');
    return reply.header('set-cookie', await beginSession(operator, request)).send({});
  });

  function recordOf(operator: Operator, request: FastifyRequest, act: Act): Promise<void> {
    return recordAs(audit, { operator, from: readAddress(request) })(act);
  }

  async function inviteRefused(request: FastifyRequest): Promise<AppError> {
    await noteRefusedEntry(undefined, request, 'invite');
    return new AppError(
      'invite_refused',
      `This link has expired or was used: it works for one passkey and ${INVITE_MINUTES} minutes.`,
    );
  }
}

export function registerAccountRoutes(
  { add, record, recordWith, confirm }: Console,
  { signIn, operators, sessions, cookie, audit }: DoorParts,
  hasScreening: boolean,
): void {
  add('GET /console/api/me', {}, async ({ request }): Promise<MeView> => {
    const { operator, id } = requireOperator(request);
    const all = await sessions.list(operator);
    return {
      name: operator.name,
      role: operator.role,
      permissions: listPermissions(operator.role),
      sessions: all.map(({ operator: _, ...session }) => ({ ...session, isThis: session.id === id })),
      idleMinutes: SESSION_IDLE_MINUTES,
      hasScreening,
    };
  });

  add('POST /console/api/sign-out', {}, async ({ request, reply }) => {
    const { operator, id } = requireOperator(request);
    await record(request, 'sign-out');
    await sessions.end(operator.id, id);
    return reply.header('set-cookie', cookie().clear).send({});
  });

  add('POST /console/api/my-sessions/:id/end', { params: IdPath }, async ({ params, request }) => {
    const { operator } = requireOperator(request);
    const isOpen = (await sessions.list(operator)).some(({ id }) => id === params.id);
    if (!isOpen) throw new AppError('not_found', 'The session has already ended.');
    await record(request, 'sign-out', params.id);
    await sessions.end(operator.id, params.id);
    return {};
  });

  add('GET /console/api/my-passkeys', {}, async ({ request }): Promise<MyPasskeysView> => {
    const { id, name } = requireOperator(request).operator;
    const lines = await audit.list({ act: REINVITE_ACT, limit: MAX_LINKS });
    const links = lines.flatMap(({ line }) =>
      line?.about === name ? [{ at: Date.parse(line.time), by: line.operator.name }] : [],
    );
    return { passkeys: await operators.passkeysOf(id), links };
  });

  add(
    'POST /console/api/my-passkeys/:id/remove',
    { params: IdPath, body: Answer },
    async ({ params, body, request }) => {
      const { operator, id: ownSession } = requireOperator(request);
      const known = await operators.passkeysOf(operator.id);
      if (!known.some(({ id }) => id === params.id)) throw noSuchPasskey();
      // Otherwise its owner could be locked out.
      if ((body.response as { id?: unknown }).id === params.id) throw invalid('path.id', CONFIRMED_BY_ITSELF);
      await confirm(request, 'passkey.remove', params.id, body);
      const writeAudit = recordWith(request, 'passkey.remove', operator.name);
      const outcome = await operators.removePasskey(operator.id, params.id, { keepsOne: true, writeAudit });
      if (outcome === 'nobody') throw noSuchPasskey();
      if (outcome !== 'removed') throw invalid('path.id', CONFIRMED_BY_ITSELF);
      for (const { id } of await sessions.list(operator)) if (id !== ownSession) await sessions.end(operator.id, id);
      return {};
    },
  );

  add('POST /console/api/question', { body: ActQuestion }, ({ body, request }): Promise<QuestionView> => {
    const { operator, id } = requireOperator(request);
    return signIn.ask({ sessionId: id, operatorId: operator.id, act: body.act, about: body.about });
  });
}

export function noSuchPasskey(): AppError {
  return new AppError('not_found', 'There is no such passkey; it may have been removed.');
}
