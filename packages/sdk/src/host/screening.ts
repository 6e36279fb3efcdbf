// Screening of single subjects and small batches.
import type { MatchReply, MatchRequest } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import type { RequestFunction } from '../http/request.ts';

export interface ScreeningClient {
  /**
   * Screens one to a hundred people, organisations or vessels. Nothing is kept, so a lost answer is asked for again.
   */
  match(order: MatchRequest, options?: CallOptions): Promise<MatchReply>;
}

export function createScreeningClient(request: RequestFunction): ScreeningClient {
  return {
    match: (order, { signal } = {}) =>
      request({ method: 'POST', path: ['v2', 'screening', 'match'], json: order, isIdempotent: true, signal }),
  };
}
