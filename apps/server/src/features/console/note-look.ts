// Puts a look on record: once, however often the page looks again by itself.

import type { FastifyRequest } from 'fastify';
import type { Act } from '../../core/audit/acts.ts';
import { isRefresh, operatorOf } from './guard.ts';

export type NoteLook = (request: FastifyRequest, act: Act, id?: string) => Promise<void>;

/** Looks that are remembered; one that was forgotten is recorded again. */
const MAX_REMEMBERED = 10_000;

export function createNoteLook(record: (request: FastifyRequest, act: Act, about?: string) => Promise<void>): NoteLook {
  /** Which session of an operator has looked at what. */
  const recorded = new Set<string>();
  return async (request, act, id) => {
    // A page that looks again by itself has been recorded already; that it says so is not enough.
    const look = `${operatorOf(request).id} ${act} ${id ?? ''}`;
    if (isRefresh(request) && recorded.has(look)) return;
    await record(request, act, id);
    if (recorded.size >= MAX_REMEMBERED) recorded.clear();
    recorded.add(look);
  };
}
