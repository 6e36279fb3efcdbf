// HTTP client of the console. Addresses are relative to the page, so any path prefix works.
import { TEXTS } from './texts.ts';

/** A refusal with a message for the reader. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Called when a request shows that the operator is no longer signed in. */
let onSignedOut = () => {};
export function setSignOutHandler(handler: () => void): void {
  onSignedOut = handler;
}

/** Background polling does not extend the session. */
export const REFRESH = { 'x-limen-refresh': '1' };

export const get = <T>(path: string, headers: Record<string, string> = {}) => send<T>(path, { headers });

export const post = <T = object>(path: string, body: object = {}, headers: Record<string, string> = {}) =>
  send<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function send<T>(path: string, init: RequestInit): Promise<T> {
  return (await (await fetchReply(path, init)).json()) as T;
}

/** URL of an API path. */
export function resolveUrl(path: string): URL {
  return new URL(`console/api/${path}`, new URL('.', location.href));
}

/** Returns the raw response; throws if the service refuses. */
export async function fetchReply(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(resolveUrl(path), { ...init, cache: 'no-store' }).catch(() => {
    throw new ApiError(0, TEXTS.failed);
  });
  if (response.ok) return response;
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.status === 401) onSignedOut();
  const { message } = (reply ?? {}) as { message?: string };
  throw new ApiError(response.status, message ?? TEXTS.failed);
}
