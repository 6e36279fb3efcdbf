// How the page speaks to its service: relative to the page's address, so that it works behind any path prefix.
import { TEXTS } from './texts.ts';

/** A refusal, with a sentence for the reader. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Told when a call finds that nobody is signed in any more. */
let onSignedOut = () => {};
export function whenSignedOut(told: () => void): void {
  onSignedOut = told;
}

/** A page that looks again by itself keeps nobody signed in. */
export const REFRESH = { 'x-limen-refresh': '1' };

export const get = <T>(path: string, headers: Record<string, string> = {}) => send<T>(path, { headers });

export const post = <T = object>(path: string, body: object = {}, headers: Record<string, string> = {}) =>
  send<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function send<T>(path: string, init: RequestInit): Promise<T> {
  return (await (await openReply(path, init)).json()) as T;
}

/** Where the service has it. */
export function addressOf(path: string): URL {
  return new URL(`console/api/${path}`, new URL('.', location.href));
}

/** The answer as it comes; throws what the service refuses. */
export async function openReply(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(addressOf(path), { ...init, cache: 'no-store' }).catch(() => {
    throw new ApiError(0, TEXTS.failed);
  });
  if (response.ok) return response;
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.status === 401) onSignedOut();
  const { message } = (reply ?? {}) as { message?: string };
  throw new ApiError(response.status, message ?? TEXTS.failed);
}
