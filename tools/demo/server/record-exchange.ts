// Lays beside each call of the SDK what was sent and what came back, for the page to show.

import { findMemberText } from '@limen/sdk';
import type { BodyView, ExchangeView } from './check-view.ts';
import type { Fetch } from './inject-fetch.ts';

/** Of the reply's headers, those that say something to who writes a host application. */
const SHOWN = ['content-type', 'x-request-id', 'x-error-code', 'retry-after', 'ratelimit-remaining'];

/** `keep` is told at the start and again with the reply; of a call that is repeated the last attempt stays. */
export function recordExchange(fetch: Fetch, now: () => number, keep: (exchange: ExchangeView) => void): Fetch {
  return async (url, init) => {
    const exchange: ExchangeView = {
      at: now(),
      request: {
        method: init.method ?? 'GET',
        url,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...readBody(typeof init.body === 'string' ? init.body : ''),
      },
      reply: null,
    };
    keep(exchange);
    const response = await fetch(url, init);
    const text = await response.clone().text();
    const headers = SHOWN.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    keep({ ...exchange, reply: { status: response.status, headers: Object.fromEntries(headers), ...readBody(text) } });
    return response;
  };
}

/** What is no JSON is shown as the text that it is. */
export function readBody(text: string): BodyView {
  if (text === '') return { body: null, metadata: null };
  try {
    const body: unknown = JSON.parse(text);
    return { body, metadata: findMemberText(text, 'metadata') ?? null };
  } catch {
    return { body: text, metadata: null };
  }
}
