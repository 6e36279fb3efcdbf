// Guards calls: from the own page and address, by operators whose role has what the route needs.
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/base/errors.ts';
import { named } from '../../platform/base/ids.ts';
import { clientAddress } from '../../platform/http/limits/client-address.ts';
import { requireAllowed, takeToken } from '../../platform/http/limits/rate-limit.ts';
import { createTokenBuckets } from '../../platform/http/limits/token-buckets.ts';
import { isLoopback } from '../../platform/outbound/classify-address.ts';
import type { Operator } from '../../records/audit/acts.ts';
import { type AuditedAct, type AuditLog, recordAs } from '../../records/audit/log.ts';
import { REFUSED_CALLS, REFUSED_ENTRIES, STRANGERS } from '../limits.ts';
import { isAllowed } from '../operators/permissions.ts';
import type { OperatorSession, OperatorSessions } from '../operators/sessions.ts';
import type { createSessionCookie } from './cookie.ts';
import { ROUTE_NEEDS, type RouteName } from './route-needs.ts';

/** Maximum valid cookies remembered. A forgotten one counts as a stranger's until it is looked up. */
const MAX_REMEMBERED = 10_000;
/** Set by pages that refresh themselves, which does not extend a session. */
const REFRESH_HEADER = 'x-limen-refresh';

declare module 'fastify' {
  interface FastifyRequest {
    operatorSession: OperatorSession | null;
  }
}

interface GuardOptions {
  sessions: OperatorSessions;
  noteRefusedCall: Refusals['noteCall'];
  cookie: () => ReturnType<typeof createSessionCookie>;
  consoleUrl: () => string;
}

export type Guard = ReturnType<typeof createGuard>;

export function createGuard({ sessions, noteRefusedCall, cookie, consoleUrl }: GuardOptions) {
  const strangers = createTokenBuckets(STRANGERS);
  /** Digests of valid cookies: strangers at the same address do not lock their operators out. */
  const known = new Set<string>();
  return (name: RouteName) => async (request: FastifyRequest, reply: FastifyReply) => {
    requireOwnPage(request, new URL(consoleUrl()));
    const need = ROUTE_NEEDS[name];
    if (need === 'nobody') return takeToken(strangers, clientAddress(request), reply);
    const session = await findSession(request);
    if (!session) throw new AppError('not_signed_in', 'Sign in first.');
    request.operatorSession = session;
    if (need === 'somebody' || isAllowed(session.operator.role, need)) return;
    await noteRefusedCall(session.operator, request, name);
    throw new AppError('forbidden', `The role ${session.operator.role} does not include this.`);
  };

  /** Callers without a known cookie count as strangers before anything is looked up. */
  async function findSession(request: FastifyRequest): Promise<OperatorSession | undefined> {
    const token = cookie().read(request);
    const digest = token && createHash('sha256').update(token).digest('base64');
    const address = clientAddress(request);
    const isKnown = digest !== undefined && known.has(digest);
    if (!isKnown) requireAllowed(strangers.take(address));
    if (token === undefined || digest === undefined) return undefined;
    const session = await sessions.find(token, !isRefresh(request));
    if (!session) known.delete(digest);
    else if (!isKnown) {
      strangers.giveBack(address);
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.add(digest);
    }
    return session;
  }
}

export function isRefresh({ headers }: FastifyRequest): boolean {
  return headers[REFRESH_HEADER] !== undefined;
}

/** Returns the whole address of a caller, for the record. Limits count by a part of it. */
export function readAddress(request: FastifyRequest): string {
  const address = request.ip.replace(/^::ffff:(?=[\d.]+$)/, '');
  return isIP(address) === 0 ? clientAddress(request) : address;
}

export function requireOperator({ operatorSession }: FastifyRequest): OperatorSession {
  if (!operatorSession) throw new Error('the route has no guard');
  return operatorSession;
}

export function requireOwnHost({ headers }: Pick<FastifyRequest, 'headers'>, consoleUrl: URL): void {
  if (headers.host?.toLowerCase() === consoleUrl.host) return;
  throw new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists what there is.');
}

/** Public names have no such alias: a forged `Host` must not reveal them. */
export function isLocalAlias({ headers }: Pick<FastifyRequest, 'headers'>, consoleUrl: URL): boolean {
  const host = headers.host?.replace(/:\d{1,5}$/, '') ?? '';
  return consoleUrl.hostname === 'localhost' && host !== 'localhost' && isLoopback(host);
}

/** Callers without the headers that browsers set are no pages, and may only read. */
function requireOwnPage(request: FastifyRequest, consoleUrl: URL): void {
  requireOwnHost(request, consoleUrl);
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isForeign =
    (site !== undefined && site !== 'same-origin') || (origin !== undefined && origin !== consoleUrl.origin);
  const isFromBrowser = site !== undefined || origin !== undefined;
  if (!isForeign && (isFromBrowser || request.method === 'GET')) return;
  throw new AppError('forbidden', 'The console accepts calls only from its own page.');
}

export const STRANGER: AuditedAct['operator'] = { id: named('stranger'), name: 'somebody unknown', role: null };

export function createRefusals(audit: Pick<AuditLog, 'write'>, now = () => performance.now()) {
  const calls = createTokenBuckets({ ...REFUSED_CALLS, now });
  const entries = createTokenBuckets({ ...REFUSED_ENTRIES, now });
  const unrecorded = new Map<string, number>();
  const write = (operator: AuditedAct['operator'], request: FastifyRequest, about: string) =>
    recordAs(audit, { operator, from: readAddress(request) })('refused', about);
  return {
    /** Records a refused call of a signed-in operator. Throws without a record over the limit. */
    async noteCall(operator: Operator, request: FastifyRequest, about: string) {
      requireAllowed(calls.take(operator.id));
      await write(operator, request, about);
    },
    /** Records a refused entry. Over the limit it only counts, and the next record shows the count. */
    async noteEntry(operator: Operator | undefined, request: FastifyRequest, about: string) {
      const { id, name, role } = operator ?? STRANGER;
      const before = unrecorded.get(id) ?? 0;
      if (!entries.take(id).allowed) {
        unrecorded.set(id, before + 1);
        return;
      }
      unrecorded.delete(id);
      await write({ id, name, role }, request, before === 0 ? about : `${about}, after ${before} more`);
    },
  };
}

export type Refusals = ReturnType<typeof createRefusals>;
