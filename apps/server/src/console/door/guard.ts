// Who may call the console: its own page alone, at its own address, for an operator who is signed in and whose role has what the
// route needs. API keys are not looked at.
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
import type { ConsoleCookie } from './cookie.ts';
import { ROUTE_NEEDS, type RouteName } from './route-needs.ts';

/** Cookies that are remembered to have been good; one that was forgotten is a stranger's until it was looked up. */
const MAX_REMEMBERED = 10_000;
/** Set by a page that refreshes by itself: that does not keep anybody signed in. */
const REFRESH_HEADER = 'x-limen-refresh';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in, on the console's routes that want somebody. */
    operatorSession: OperatorSession | null;
  }
}

interface GuardOptions {
  sessions: OperatorSessions;
  /** Records a call that the operator's role does not include. */
  noteRefusedCall: (operator: OperatorSession['operator'], request: FastifyRequest, name: RouteName) => Promise<void>;
  cookie: () => ConsoleCookie;
  /** Where the console's page is. */
  consoleUrl: () => string;
}

export type Guard = (name: RouteName) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export function createGuard({ sessions, noteRefusedCall, cookie, consoleUrl }: GuardOptions): Guard {
  const strangers = createTokenBuckets(STRANGERS);
  /** Digests of the cookies of those who are in: a stranger at the same address does not keep them out. */
  const known = new Set<string>();
  return (name) => async (request, reply) => {
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

  /** Whoever is not known to be in counts as a stranger before anything is looked up. */
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

/** Whether a page says that it looks again by itself. */
export function isRefresh({ headers }: FastifyRequest): boolean {
  return headers[REFRESH_HEADER] !== undefined;
}

/** Where a call comes from, for the record: the whole address, which limits do not count by. */
export function addressOf(request: FastifyRequest): string {
  const address = request.ip.replace(/^::ffff:(?=[\d.]+$)/, '');
  return isIP(address) === 0 ? clientAddress(request) : address;
}

/** Who is signed in, on a route whose guard let them through. */
export function operatorOf({ operatorSession }: FastifyRequest): OperatorSession {
  if (!operatorSession) throw new Error('the route has no guard');
  return operatorSession;
}

/** For the page itself too: under another name than its own, it is not there. */
export function requireOwnHost({ headers }: Pick<FastifyRequest, 'headers'>, consoleUrl: URL): void {
  if (headers.host?.toLowerCase() === consoleUrl.host) return;
  throw new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists what there is.');
}

/**
 * Returns true if the request names this machine by a number while the console is at `localhost`. Cookies and passkeys need the name.
 * A console under a public name gets no such alias: a forged `Host` must not learn that name.
 */
export function isLocalAlias({ headers }: Pick<FastifyRequest, 'headers'>, consoleUrl: URL): boolean {
  const host = headers.host?.replace(/:\d{1,5}$/, '') ?? '';
  return consoleUrl.hostname === 'localhost' && host !== 'localhost' && isLoopback(host);
}

/**
 * A browser says where a call comes from, and pages cannot change what it says: by `Sec-Fetch-Site` and by `Origin`. Whoever
 * says neither is no page and gets to read at most what its cookie lets it.
 */
function requireOwnPage(request: FastifyRequest, consoleUrl: URL): void {
  requireOwnHost(request, consoleUrl);
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isForeign =
    (site !== undefined && site !== 'same-origin') || (origin !== undefined && origin !== consoleUrl.origin);
  const isSaid = site !== undefined || origin !== undefined;
  if (!isForeign && (isSaid || request.method === 'GET')) return;
  throw new AppError('forbidden', 'The console accepts calls only from its own page.');
}

export const STRANGER: AuditedAct['operator'] = { id: named('stranger'), name: 'somebody unknown', role: null };

/** `now`: milliseconds on a clock that never jumps. */
export function createRefusals(audit: Pick<AuditLog, 'write'>, now = () => performance.now()) {
  const calls = createTokenBuckets({ ...REFUSED_CALLS, now });
  const entries = createTokenBuckets({ ...REFUSED_ENTRIES, now });
  /** By operator. */
  const untold = new Map<string, number>();
  const write = (operator: AuditedAct['operator'], request: FastifyRequest, about: string) =>
    recordAs(audit, { operator, from: addressOf(request) })('refused', about);
  return {
    /** Records a refused call of a signed-in operator. Throws without a record over the limit. */
    async noteCall(operator: Operator, request: FastifyRequest, about: string) {
      requireAllowed(calls.take(operator.id));
      await write(operator, request, about);
    },
    /**
     * Records a refused entry; `operator` is undefined if unknown. Over the limit it only counts,
     * and the next record shows the count.
     */
    async noteEntry(operator: Operator | undefined, request: FastifyRequest, about: string) {
      const { id, name, role } = operator ?? STRANGER;
      const before = untold.get(id) ?? 0;
      if (!entries.take(id).allowed) {
        untold.set(id, before + 1);
        return;
      }
      untold.delete(id);
      await write({ id, name, role }, request, before === 0 ? about : `${about}, after ${before} more`);
    },
  };
}

export type Refusals = ReturnType<typeof createRefusals>;
