// Records the request and reply of each SDK call for the page.

import { findMemberText } from '@limen/sdk';
import type { BodyView, ExchangeView } from './check-view.ts';
import type { Fetch } from './inject-fetch.ts';

/** Headers of the reply that matter to developers of a host application. */
const SHOWN = ['content-type', 'x-request-id', 'x-error-code', 'retry-after', 'ratelimit-remaining'];

/**
 * `keep` is called at the start and again with the reply. If a call is retried, the last attempt
 * remains.
 */
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

/** Shows anything but JSON as text. */
export function readBody(text: string): BodyView {
  if (text === '') return { body: null, metadata: null };
  try {
    const body: unknown = JSON.parse(text);
    return { body, metadata: findMemberText(text, 'metadata') ?? null };
  } catch {
    return { body: text, metadata: null };
  }
}
