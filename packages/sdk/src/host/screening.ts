// Screening of single subjects and small batches, and of subjects that are watched.
import type { MatchReply, MatchRequest } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import type { RequestFunction } from '../http/request.ts';
import {
  createScreeningAlertsClient,
  createWatchedSubjectsClient,
  type ScreeningAlertsClient,
  type WatchedSubjectsClient,
} from './watched-subjects.ts';

export interface ScreeningClient {
  /**
   * Screens one to a hundred people, organisations or vessels. Nothing is kept, so a lost answer is asked for again.
   */
  match(order: MatchRequest, options?: CallOptions): Promise<MatchReply>;
  /** Whom to hear about when the lists change; needs `apiKey`. */
  subjects: WatchedSubjectsClient;
  /** What changed for them; needs `apiKey`. */
  alerts: ScreeningAlertsClient;
}

/** `asClient` sends the client credentials along, where there are any. */
export function createScreeningClient(request: RequestFunction, asClient: RequestFunction): ScreeningClient {
  return {
    match: (order, { signal } = {}) =>
      request({ method: 'POST', path: ['v2', 'screening', 'match'], json: order, isIdempotent: true, signal }),
    subjects: createWatchedSubjectsClient(asClient),
    alerts: createScreeningAlertsClient(asClient),
  };
}
