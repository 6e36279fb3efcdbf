// The page's client of the demo's back end: relative to the page's URL, so that it works with any
// path prefix.

import type { CheckView, DemoSetup } from '../server/check-view.ts';
import { buildRequest, metadataText, type Options } from './options.ts';
import type { Choice } from './outcomes.ts';

/** A refusal with a sentence for the reader. */
export class HostError extends Error {
  override readonly name = 'HostError';
}

export const getSetup = (): Promise<DemoSetup> => ask('setup');

export const startCheck = (options: Options): Promise<CheckView> =>
  ask('checks', {
    kind: options.purpose === 'AGE' ? 'age' : 'verification',
    options: buildRequest(options),
    metadata: metadataText(options),
    redirect: options.redirect,
  });

export const simulate = (id: string, ending: Pick<Choice, 'outcome' | 'proof'>): Promise<CheckView> =>
  ask(`checks/${id}/simulate`, ending);

export const fetchResult = (id: string): Promise<CheckView> => ask(`checks/${id}/result`, {});

/** Returns the URL of the picture in the webhook at this position. */
export const pictureAddress = (id: string, place: number): string => addressOf(`checks/${id}/pictures/${place}`);

/** Calls back with the check now and at every change. `lost` once the demo has forgotten it. */
export function followCheck(id: string, show: (check: CheckView) => void, lost: () => void): () => void {
  const source = new EventSource(addressOf(`checks/${id}/events`));
  source.addEventListener('message', ({ data }) => show(JSON.parse(String(data)) as CheckView));
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) lost();
  });
  return () => source.close();
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const sent = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(addressOf(path), sent).catch(() => {
    throw new HostError('The service does not answer. Is it still running?');
  });
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.ok) return reply as T;
  const { message } = (reply ?? {}) as { message?: string };
  throw new HostError(message ?? `The demo answered ${response.status}.`);
}

function addressOf(path: string): string {
  return new URL(`demo/${path}`, new URL('.', location.href)).href;
}
