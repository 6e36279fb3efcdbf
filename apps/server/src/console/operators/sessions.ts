// Sessions of operators. They end when idle, and after half a day in any case.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/base/clock.ts';
import type { Core } from '../../platform/core.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Operator } from '../../records/audit/acts.ts';
import { MAX_AGENT_LENGTH, MAX_SESSION_HOURS, MAX_TOKEN_LENGTH, SESSION_IDLE_MINUTES } from '../limits.ts';
import { tables } from '../tables.ts';
import type { OperatorSessionRow, OperatorStore } from './store.ts';

const IDLE_MS = SESSION_IDLE_MINUTES * 60_000;
const MAX_SESSION_MS = MAX_SESSION_HOURS * 60 * 60_000;
const SEEN_EVERY_MS = 60_000;

export interface OperatorSession {
  address: string;
  agent: string;
  id: string;
  operator: Operator;
  createdAt: number;
  seenAt: number;
}

type SealedUse = Pick<OperatorSession, 'address' | 'agent' | 'seenAt'>;

export function createOperatorSessions(
  store: OperatorStore,
  { sealer, clock, ids }: Pick<Core, 'sealer' | 'clock' | 'ids'>,
) {
  const lookupOf = (token: string) => sealer.digest('operators/session', token);
  const seal = (bound: Omit<OperatorSessionRow, 'ends_at' | 'sealed'>, sealed: SealedUse): OperatorSessionRow => ({
    ...bound,
    ends_at: computeEnd(bound.created_at, sealed.seenAt),
    sealed: sealer.sealJson(sealed, tables.operator_sessions.places.sealed(bound)),
  });

  return {
    /** Begins a session. Its token goes into the cookie and is not stored. */
    async begin(operator: Operator, { address, agent }: Pick<OperatorSession, 'address' | 'agent'>) {
      const token = randomBytes(32).toString('base64url');
      const now = clock.now();
      const bound = { id: ids.random(), token_lookup: lookupOf(token), operator_id: operator.id, created_at: now };
      const from = { address, agent: agent.slice(0, MAX_AGENT_LENGTH) };
      await store.insertSession(seal(bound, { ...from, seenAt: now }));
      return { token, session: { id: bound.id, operator, createdAt: now, seenAt: now, ...from } };
    },

    /**
     * Returns undefined once it has ended or its operator is gone. `isUse`: false for a page that
     * refreshes itself.
     */
    async find(token: string, isUse: boolean) {
      const row = token.length <= MAX_TOKEN_LENGTH ? await store.findSession(lookupOf(token)) : undefined;
      const operator = row && (await store.find(row.operator_id));
      const session = operator && open(row, operator);
      if (!session) return undefined;
      const now = clock.now();
      if (isUse && now - session.seenAt >= SEEN_EVERY_MS) {
        await store.updateSession(seal(row, { address: session.address, agent: session.agent, seenAt: now }));
      }
      return session;
    },

    async list(operator: Operator) {
      const rows = await store.listSessions(operator.id);
      return rows.flatMap((row) => open(row, operator) ?? []);
    },

    end: store.deleteSession,
  };

  /** The last use is sealed: editing the row does not extend the session. */
  function open(row: OperatorSessionRow, { id, name, role }: Operator): OperatorSession | undefined {
    const sealed = openSealed(row);
    if (!sealed || clock.now() >= computeEnd(row.created_at, sealed.seenAt)) return undefined;
    return { id: row.id, operator: { id, name, role }, createdAt: row.created_at, ...sealed };
  }

  function openSealed(row: OperatorSessionRow): SealedUse | undefined {
    try {
      return sealer.openJson(row.sealed, tables.operator_sessions.places.sealed(row)) as SealedUse;
    } catch {
      return undefined;
    }
  }
}

export type OperatorSessions = ReturnType<typeof createOperatorSessions>;

function computeEnd(createdAt: number, seenAt: number): number {
  return Math.min(createdAt + MAX_SESSION_MS, seenAt + IDLE_MS);
}

const purgeOperators = defineRecurringJob('operators.purge', 10 * 60_000);

export function registerOperatorTimer(jobs: Jobs, store: OperatorStore, clock: Clock): void {
  jobs.handle(purgeOperators, () => store.deleteOver(clock.now()));
}
