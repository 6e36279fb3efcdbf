// Sign-in with an identity provider: the way to it from the page, and back.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/base/clock.ts';
import { AppError } from '../../platform/base/errors.ts';
import { clientAddress } from '../../platform/http/limits/client-address.ts';
import { takeToken } from '../../platform/http/limits/rate-limit.ts';
import { createTokenBuckets } from '../../platform/http/limits/token-buckets.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Operator } from '../../records/audit/acts.ts';
import { recordAs } from '../../records/audit/log.ts';
import type { Console, DoorParts } from '../door/console.ts';
import { createFlowCookie } from '../door/cookie.ts';
import { readAddress, requireOwnHost } from '../door/guard.ts';
import type { AwayView, ProviderRefusal, SignInOptionsView } from '../door/views.ts';
import { PROVIDER_SIGN_IN_MINUTES, STRANGERS } from '../limits.ts';
import type { Flow, IdentityProvider, ProvidedOperators } from '../operators/identity-provider.ts';
import { inviteLink } from '../operators/operators.ts';

const RETURN_PATH = '/signed-in';
const FLOW_PLACE = 'console/provider-flow';

interface ProviderRoutesOptions {
  http: HttpServer;
  sources: { provider: IdentityProvider; provided: ProvidedOperators } | undefined;
  consoleUrl: () => string;
  sealer: Sealer;
  clock: Clock;
}

export function registerProviderRoutes(
  { add }: Pick<Console, 'add'>,
  { operators, audit, beginSession, noteRefusedEntry }: DoorParts,
  { http, sources, consoleUrl, sealer, clock }: ProviderRoutesOptions,
): void {
  const cookie = () => createFlowCookie(consoleUrl().startsWith('https:'), PROVIDER_SIGN_IN_MINUTES * 60);

  add(
    'GET /console/api/sign-in',
    {},
    async (): Promise<SignInOptionsView> => ({ provider: sources?.provider.host ?? null }),
  );

  add('POST /console/api/sign-in/provider', {}, async ({ reply }) => {
    if (!sources) throw new AppError('not_found', 'No identity provider is configured; sign in with a passkey.');
    const { url, flow } = await sources.provider.begin(`${consoleUrl()}${RETURN_PATH}`);
    const sealed = sealer.sealJson({ ...flow, at: clock.now() }, FLOW_PLACE).toString('base64url');
    const away: AwayView = { url };
    return reply.header('set-cookie', cookie().set(sealed)).send(away);
  });

  if (!sources) return;
  const { provider, provided } = sources;
  const strangers = createTokenBuckets(STRANGERS);
  http.route({
    method: 'GET',
    url: `/console${RETURN_PATH}`,
    exposeHeadRoute: false,
    config: { unlimited: true },
    schema: { hide: true },
    async onRequest(request, reply) {
      requireOwnHost(request, new URL(consoleUrl()));
      await takeToken(strangers, clientAddress(request), reply);
    },
    handler: async (request, reply) => {
      // Cleared in any case: each question has one answer.
      reply.header('set-cookie', cookie().clear);
      const flow = openFlow(cookie().read(request));
      if (!flow) return refuse(reply, 'late');
      // The origin comes from the settings, not from the request.
      const answered = new URL(`${consoleUrl()}${RETURN_PATH}`);
      answered.search = new URL(request.url, answered).search;
      if (answered.searchParams.get('error') === 'access_denied') return refuse(reply, 'denied');
      const identity = await provider.finish(answered, flow);
      const refuseEntry = async (operator: Operator | undefined, why: ProviderRefusal) => {
        await noteRefusedEntry(operator, request, `sign-in, identity provider, ${why}`);
        return refuse(reply, why);
      };
      if (!identity) return refuseEntry(undefined, 'unproven');
      const admitted = await provided.admit(identity, async ({ operator, formerRole, isNew }) => {
        const record = recordAs(audit, { operator, from: readAddress(request) });
        if (isNew) await record('operator.provided', operator.role);
        if (formerRole) await record('operator.role', `${formerRole} to ${operator.role}`);
        await record('sign-in', 'identity provider');
      });
      if ('refused' in admitted) return refuseEntry(admitted.operator, admitted.refused);
      return letIn(request, reply, admitted.operator);
    },
  });

  /** Signs the operator in. Critical acts need a passkey, so operators without one register it first. */
  async function letIn(request: FastifyRequest, reply: FastifyReply, operator: Operator) {
    reply.header('set-cookie', await beginSession(operator, request));
    if (await operators.hasPasskey(operator.id)) return reply.redirect(consoleUrl(), 303);
    const invite = (await operators.invite(operator.name, operator.role))!;
    return reply.redirect(inviteLink(consoleUrl(), invite), 303);
  }

  function openFlow(sealed: string | undefined): Flow | undefined {
    if (sealed === undefined) return undefined;
    try {
      const { at, ...flow } = sealer.openJson(Buffer.from(sealed, 'base64url'), FLOW_PLACE) as Flow & { at: number };
      const age = clock.now() - at;
      return age >= 0 && age <= PROVIDER_SIGN_IN_MINUTES * 60_000 ? flow : undefined;
    } catch {
      return undefined;
    }
  }

  function refuse(reply: FastifyReply, why: ProviderRefusal) {
    return reply.redirect(`${consoleUrl()}#refused=${why}`, 303);
  }
}
