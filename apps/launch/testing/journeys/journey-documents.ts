// Actions of the document step in journeys, the documents, and data that must not leave the page.

import { ageOn } from '@limen/documents';
import type { Person } from '@limen/documents/testing/specimens/index.ts';
import { ENVELOPE_BYTES } from '@limen/plan';
import type { BrowserContext } from 'playwright-core';
import { expect } from 'vitest';
import type { DocumentKind } from '../../src/document/kinds.ts';
import type { DocumentWish } from '../camera/documents.ts';
import { MAIN } from '../camera/test-camera.ts';
import type { Journey } from './journey.ts';
import { PATIENCE_MS } from './journey-steps.ts';

/** The person in front of the test camera. */
export const SITTER: Person = {
  surname: 'Featherstonehaugh',
  givenNames: 'Wilhelmina',
  sex: 'F',
  birth: '1974-08-12',
  nationality: 'D',
};
/** A sample face unlike the sitter's: their similarity is 0.00. */
export const STRANGER = { sample: 1, place: 1 };

const YEAR = new Date().getUTCFullYear();
/** Whole years, so that cached pictures of a document stay valid. */
const VALID = { issued: `${YEAR - 3}-02-03`, expires: `${YEAR + 5}-02-02` };
export const EXPIRED = { issued: `${YEAR - 12}-02-03`, expires: `${YEAR - 2}-02-02` };

/** Returns a valid document of the sitter. */
export function ownDocument(kind: DocumentWish['kind'], changes: Partial<DocumentWish> = {}): DocumentWish {
  return { kind, person: SITTER, face: MAIN, ...VALID, ...changes };
}

export function sitterAge(): number {
  const [year = 0, month = 0, day = 0] = SITTER.birth.split('-').map(Number);
  return ageOn({ year, month, day }, new Date().toISOString().slice(0, 10));
}

type Acting = Pick<Journey, 'page' | 'waitForScreen'>;

/** Goes from the first screen to the choice of the document, if that is the first step. */
export async function startWithDocument({ page, waitForScreen }: Acting): Promise<void> {
  await waitForScreen('welcome');
  await page.locator('[data-screen="welcome"] button').first().click();
  await waitForScreen('document');
}

/** Goes from the choice of the document to the camera. */
export async function showDocument(journey: Acting, kind: DocumentKind): Promise<void> {
  await chooseKind(journey, kind);
  await journey.page.locator('[data-screen="document_hold"] .primary').click();
}

export async function chooseKind({ page, waitForScreen }: Acting, kind: DocumentKind): Promise<void> {
  await waitForScreen('document', 150_000);
  await page.locator(`[data-kind="${kind}"]`).click();
  await waitForScreen('document_hold');
}

/** Returns the outcome as the host reads it, once the webhook agrees. */
export async function readOutcome({ waitForScreen, webhooks, result }: Journey): Promise<Record<string, unknown>> {
  await waitForScreen('end', 150_000);
  await expect.poll(() => webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
  const outcome = await result();
  expect(webhooks[0]!.body).toEqual(outcome);
  return outcome;
}

/** Lists the flags about the document or its presentation. */
export function listDocumentFlags(outcome: Record<string, unknown>): string[] {
  const { flags } = outcome['riskEvaluation'] as { flags: string[] };
  return flags.filter((flag) => /^(DOCUMENT|BEHAVIOR|CAMERA|VIRTUAL)_/.test(flag));
}

/** Runs on the page: allows advancing its clock without firing timers. */
export const SKIPPABLE_TIME = `{
  const now = performance.now.bind(performance);
  let skipped = 0;
  performance.now = () => now() + skipped;
  globalThis.skipTime = (ms) => void (skipped += ms);
}`;

interface Sent {
  url: string;
  body: Buffer | null;
}

/** Records all requests of the browser, including those of workers. */
export function watchRequests(context: BrowserContext): Sent[] {
  const sent: Sent[] = [];
  context.on('request', (request) => sent.push({ url: request.url(), body: request.postDataBuffer() }));
  return sent;
}

/** Allowed fields by the last part of the address. */
const KNOWN_FIELDS = new Map([
  ['claim', ['publicKey', 'start']],
  ['log', ['entries', 'from']],
]);

/** Expects small JSON with known fields, one sealed answer, and no printed data. */
export function expectNothingOfDocument(sent: readonly Sent[], printed: readonly string[]): void {
  const bodies = sent.filter(({ body }) => body !== null);
  const sealed = bodies.filter(({ url }) => url.endsWith('/answer'));
  expect(sealed.map(({ body }) => body!.length)).toEqual([ENVELOPE_BYTES]);
  const open = bodies.filter((request) => !sealed.includes(request));
  expect(open.length).toBeGreaterThan(1);
  for (const { url, body } of open) {
    const known = KNOWN_FIELDS.get(url.split('/').at(-1)!);
    expect(known).toEqual(expect.arrayContaining(Object.keys(JSON.parse(body!.toString()))));
    // Step numbers with times, and a key. None has room for a picture.
    expect(body!.length).toBeLessThan(1_000);
  }
  const text = sent.map(({ url, body }) => `${url} ${body?.toString('latin1')}`.toUpperCase()).join('\n');
  for (const word of printed) expect(text).not.toContain(word.toUpperCase());
}
