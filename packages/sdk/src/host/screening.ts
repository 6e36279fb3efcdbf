// Screening of single subjects and small batches, and of watched subjects.
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
  /** Screens up to a hundred people, organizations or vessels. Stores nothing. */
  match(order: MatchRequest, options?: CallOptions): Promise<MatchReply>;
  /** Watched subjects, with alerts when lists change. Requires `apiKey`. */
  subjects: WatchedSubjectsClient;
  /** Alerts about watched subjects. Requires `apiKey`. */
  alerts: ScreeningAlertsClient;
}

/** `asClient` adds the client credentials, if there are any. */
export function createScreeningClient(request: RequestFunction, asClient: RequestFunction): ScreeningClient {
  return {
    match: (order, { signal } = {}) =>
      request({ method: 'POST', path: ['v2', 'screening', 'match'], json: order, isIdempotent: true, signal }),
    subjects: createWatchedSubjectsClient(asClient),
    alerts: createScreeningAlertsClient(asClient),
  };
}
