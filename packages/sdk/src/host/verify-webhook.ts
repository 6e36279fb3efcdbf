// Verifies that a webhook is genuine: signed with the API key, unmodified and fresh.
import type { WebhookBodies } from '@limen/contract';
import { findMemberText } from '../text/member-text.ts';

/** Events of webhooks. */
export type WebhookEvent = keyof WebhookBodies;

interface GenuineCall {
  /** Id of the webhook, equal for all attempts. Not signed; ids in the body are. */
  id: string | null;
  /** Attempt number, starting at 1. Not signed either. */
  attempt: number | null;
  signedAt: Date;
  /** Original text of `metadata`, in which parsing rounds large integers. Null if absent. */
  metadataText: string | null;
}

/**
 * Parsed JSON body by event. Its signature was verified, but its fields were not validated. Null
 * for events that this version does not know, which the body names.
 */
type WebhookContent =
  | { [Event in WebhookEvent]: { event: Event; body: WebhookBodies[Event] } }[WebhookEvent]
  | { event: null; body: unknown };

/** A genuine webhook. `event` determines the type of `body`. */
export type VerifiedWebhook = GenuineCall & WebhookContent;

export interface VerifyWebhookOptions {
  /** Maximum distance of the signature's time from now, in either direction. Default: 300. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970. For tests. */
  now?: () => number;
}

/** `Headers` of a fetch request, or the headers object of Node servers. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type WebhookErrorCode = 'missing_header' | 'malformed' | 'wrong_signature' | 'too_old';

/** A request that must not be trusted. Contains neither the key nor the body. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;
const SECONDS = /^\d{1,12}$/;

/**
 * Resolves with the webhook, and rejects with a `WebhookError` if it is not genuine. `rawBody` must
 * be byte for byte as received, because re-serialized JSON does not verify.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  apiKey: string,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now }: VerifyWebhookOptions = {},
): Promise<VerifiedWebhook> {
  if (typeof apiKey !== 'string' || apiKey === '') throw new TypeError('apiKey must be the API key, as text');
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be 0 or more');
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('rawBody must be the body as received, as text or bytes, not parsed');
  }
  if (typeof headers !== 'object' || headers === null) {
    throw new TypeError('headers must be those of the request, as an object or as Headers');
  }
  const timestamp = headerOf(headers, 'x-service-timestamp');
  const signature = SIGNATURE.exec(headerOf(headers, 'x-service-signature'))?.[1];
  if (!SECONDS.test(timestamp) || signature === undefined) {
    throw new WebhookError('malformed', "The signature headers are not in Limen's format.");
  }
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  // Checked before the time, because an unsigned time is meaningless.
  if (!(await isSigned(timestamp, body, hexBytes(signature), apiKey))) {
    throw new WebhookError('wrong_signature', 'The webhook was not signed with this API key, or was modified.');
  }
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError(
      'too_old',
      `The signature's time differs from this clock by more than ${toleranceSeconds} seconds.`,
    );
  }
  return {
    id: findHeader(headers, 'webhook-id') ?? null,
    attempt: Number(findHeader(headers, 'x-service-attempt')) || null,
    signedAt: new Date(Number(timestamp) * 1000),
    ...parse(body),
  };
}

async function isSigned(timestamp: string, body: Uint8Array, signature: Uint8Array<ArrayBuffer>, apiKey: string) {
  const prefix = new TextEncoder().encode(`${timestamp}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const secret = new TextEncoder().encode(apiKey);
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  // WebCrypto compares in constant time.
  return crypto.subtle.verify('HMAC', key, signature, signed);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = findHeader(headers, name);
  if (value === undefined) {
    throw new WebhookError('missing_header', `The request has no ${name} header, or has it twice.`);
  }
  return value;
}

function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  const value = isHeaders(headers) ? headers.get(name) : findByName(headers, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

/** Header names are lower-case in Node, and as sent elsewhere. */
function findByName(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  const values = found.flatMap(([, value]) => value ?? []);
  return values.length === 1 ? values[0] : undefined;
}

function parse(bytes: Uint8Array): WebhookContent & Pick<GenuineCall, 'metadataText'> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const body: unknown = JSON.parse(text);
    // The type is the service's promise, as documented above.
    const content = { event: readEvent(body), body } as WebhookContent;
    return { ...content, metadataText: findMemberText(text, 'metadata') ?? null };
  } catch {
    throw new WebhookError('malformed', 'The body is signed but is not JSON.');
  }
}

const KNOWN_EVENTS: Readonly<Record<WebhookEvent, true>> = {
  'age_session.ended': true,
  'verification_session.ended': true,
  'review.decided': true,
  'screening.hit.new': true,
  'screening.hit.changed': true,
  'screening.hit.removed': true,
};

/** Bodies name their event, except those of sessions, which are recognized by their fields. */
function readEvent(body: unknown): WebhookEvent | null {
  if (typeof body !== 'object' || body === null) return null;
  if ('event' in body && typeof body.event === 'string') return isKnown(body.event) ? body.event : null;
  if ('sessionStatus' in body) return 'age_session.ended';
  return 'sessionId' in body && 'status' in body ? 'verification_session.ended' : null;
}

function isKnown(event: string): event is WebhookEvent {
  return Object.hasOwn(KNOWN_EVENTS, event);
}

function hexBytes(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}
