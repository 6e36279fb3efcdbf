// Calls that manage operators: list, invite, sign out, remove.
import { oneOf } from '@limen/contract';
import { Type } from 'typebox';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { ROLES } from '../../platform/base/roles.ts';
import { Answer, type Console, type DoorParts } from '../door/console.ts';
import { requireOperator } from '../door/guard.ts';
import type { InvitedView, OperatorView } from '../door/views.ts';
import { MAX_OPERATOR_NAME_LENGTH } from '../limits.ts';
import { inviteLink, type ListedOperator } from '../operators/operators.ts';
import { noSuchPasskey } from './routes.ts';

const NewOperator = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_OPERATOR_NAME_LENGTH }),
  role: oneOf(ROLES),
  ...Answer.properties,
});
const IdPath = Type.Object({ id: Type.String() });
const PasskeyPath = Type.Object({ id: Type.String(), passkeyId: Type.String() });

export function registerOperatorRoutes(
  { add, record, recordWith, noteLook, confirm }: Console,
  { operators, sessions, audit }: Pick<DoorParts, 'operators' | 'sessions' | 'audit'>,
  consoleUrl: () => string,
): void {
  add('GET /console/api/operators', {}, async ({ request }) => {
    await noteLook(request, 'operators.view');
    const { operator: own, id: ownSession } = requireOperator(request);
    const views = (await operators.list()).map(async (operator): Promise<OperatorView> => {
      const signedIn = (await sessions.list(operator)).map(({ operator: _, ...session }) => ({
        ...session,
        isThis: session.id === ownSession,
      }));
      const { id, name, role, createdAt, isProvided } = operator;
      const seenAt = Math.max(...signedIn.map((session) => session.seenAt), await findLastAct(operator)) || null;
      const passkeys = await operators.passkeysOf(id);
      const isYou = id === own.id;
      return { id, name, role, createdAt, isProvided, passkeys, seenAt, sessions: signedIn, isYou };
    });
    return { operators: await Promise.all(views) };
  });

  add('POST /console/api/operators/invite', { body: NewOperator }, async ({ body, request, reply }) => {
    const name = body.name.trim();
    const act = await operators.inviteActOf(name);
    await confirm(request, 'operator.invite', `${body.role} ${body.name}`, body);
    const invite = await operators.invite(name, body.role, recordWith(request, act, name));
    if (!invite)
      throw invalid('body.role', 'differs from the operator’s role; remove the operator first, then invite them again');
    const { operator, expiresAt } = invite;
    const invited: InvitedView = { name, role: operator.role, link: inviteLink(consoleUrl(), invite), expiresAt };
    return reply.code(201).send(invited);
  });

  add('POST /console/api/operators/:id/sign-out', { params: IdPath }, async ({ params, request }) => {
    const { name } = await find(params.id);
    await record(request, 'operator.sign-out', name);
    return { ended: (await operators.signOut(name)) ?? 0 };
  });

  add('POST /console/api/operators/:id/remove', { params: IdPath, body: Answer }, async ({ params, body, request }) => {
    const { id, name } = await find(params.id);
    if (id === requireOperator(request).operator.id) {
      throw invalid('path.id', 'is your own; another admin can remove you, or limen operators remove');
    }
    await confirm(request, 'operator.remove', id, body);
    const outcome = await operators.removeUnlessLast(id, recordWith(request, 'operator.remove', name));
    if (outcome === 'last admin') throw invalid('path.id', 'is the last admin who can sign in; invite another first');
    if (outcome === 'nobody') throw notFound();
    return {};
  });

  add(
    'POST /console/api/operators/:id/passkeys/:passkeyId/remove',
    { params: PasskeyPath, body: Answer },
    async ({ params, body, request }) => {
      const { id, name } = await find(params.id);
      if (id === requireOperator(request).operator.id)
        throw invalid('path.id', 'is your own; your account has your passkeys');
      if (!(await operators.passkeysOf(id)).some((passkey) => passkey.id === params.passkeyId)) throw noSuchPasskey();
      await confirm(request, 'passkey.remove', params.passkeyId, body);
      const writeAudit = recordWith(request, 'passkey.remove', name);
      const outcome = await operators.removePasskey(id, params.passkeyId, { writeAudit });
      if (outcome === 'last admin') {
        throw invalid('path.passkeyId', 'is of the last admin who can sign in; invite another first');
      }
      if (outcome !== 'removed') throw noSuchPasskey();
      return { ended: (await operators.signOut(name)) ?? 0 };
    },
  );

  async function find(id: string): Promise<ListedOperator> {
    const found = (await operators.list()).find((operator) => operator.id === id);
    if (!found) throw notFound();
    return found;
  }

  async function findLastAct({ id }: ListedOperator): Promise<number> {
    // A refused sign-in with their passkey may be someone else's.
    const [last] = await audit.list({ operatorId: id, except: 'refused', limit: 1 });
    return last?.line ? Date.parse(last.line.time) : 0;
  }
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such operator; another admin may have removed it.');
}
