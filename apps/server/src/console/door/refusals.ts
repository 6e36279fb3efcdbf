// The record of what was refused. It is bounded: nobody fills the log by being refused.

import type { FastifyRequest } from 'fastify';
import { named } from '../../platform/base/ids.ts';
import { requireAllowed } from '../../platform/http/limits/rate-limit.ts';
import { createTokenBuckets } from '../../platform/http/limits/token-buckets.ts';
import type { Operator } from '../../records/audit/actors.ts';
import type { AuditEntry, AuditLog } from '../../records/audit/log.ts';
import { recordAs } from '../../records/audit/record.ts';
import { addressOf } from './guard.ts';

/** Of one operator who is in. The page offers nothing that is refused, so that this is no page; more than one try of each call. */
const CALLS = { perSecond: 0.1, burst: 60 };
/** Of one operator who wants in, and of all together who are unknown. */
const ENTRIES = { perSecond: 1 / 60, burst: 30 };
export const STRANGER: AuditEntry['operator'] = { id: named('stranger'), name: 'somebody unknown', role: null };

/** `now`: milliseconds on a clock that never jumps. */
export function createRefusals(audit: Pick<AuditLog, 'write'>, now = () => performance.now()) {
  const calls = createTokenBuckets({ ...CALLS, now });
  const entries = createTokenBuckets({ ...ENTRIES, now });
  /** By operator. */
  const untold = new Map<string, number>();
  const write = (operator: AuditEntry['operator'], request: FastifyRequest, about: string) =>
    recordAs(audit, { operator, from: addressOf(request) })('refused', about);
  return {
    /** Of somebody who is signed in. After too many it throws, and there is no line. */
    async noteCall(operator: Operator, request: FastifyRequest, about: string) {
      requireAllowed(calls.take(operator.id));
      await write(operator, request, about);
    },
    /** Of somebody who wanted in: as whom, where that is known. After too many they are counted, and the next line says how many. */
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
