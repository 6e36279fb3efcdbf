// One attempt at one webhook: signed now, posted, and what came of it.
import { createHmac, createSecretKey } from 'node:crypto';
import { OutboundError } from '../platform/outbound/error.ts';
import type { Outbound } from '../platform/outbound/guarded-fetch.ts';
import { MAX_REPLY_BYTES } from './limits.ts';

/** What is kept sealed of a webhook until its retention ends. */
export interface WebhookMessage {
  url: string;
  /** Without those that are not the caller's to choose. */
  headers: Record<string, string>;
  /** The very text that is signed, so that every attempt sends the same bytes. */
  body: string;
  /** Fields of the body that are sent with it until it was delivered once, and then forgotten. */
  ephemeral?: Readonly<Record<string, unknown>>;
  /** Of the request that brought it about, where that is traced. */
  traceparent?: string;
}

interface SendAttempt {
  webhookId: string;
  attempt: number;
  apiKey: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Passed on to the receiver. */
  traceparent?: string | undefined;
  signal: AbortSignal;
}

/** `error` is a code, never a text of the receiver's. */
export type SendOutcome =
  | { kind: 'delivered'; status: number }
  | { kind: 'refused'; status: number; error: 'gone' | 'redirect' | 'status' }
  | { kind: 'failed'; error: string };

const GONE = 410;

/** The same bytes at every attempt, as long as nothing was forgotten. */
function textOf({ body, ephemeral }: WebhookMessage): string {
  // Put in before the end, so that the rest of the body stays as it was.
  return ephemeral ? `${body.slice(0, -1)},${JSON.stringify(ephemeral).slice(1)}` : body;
}

export async function sendWebhook(
  outbound: Outbound,
  message: WebhookMessage,
  attempt: SendAttempt,
): Promise<SendOutcome> {
  const timestamp = String(Math.floor(attempt.now / 1000));
  const text = textOf(message);
  const headers = {
    ...(attempt.traceparent !== undefined && { traceparent: attempt.traceparent }),
    ...message.headers,
    // After the host's own, so that none of them can say how our body is to be read.
    'content-type': 'application/json',
    'x-service-timestamp': timestamp,
    'x-service-signature': signWebhook(timestamp, text, attempt.apiKey),
    'x-service-attempt': String(attempt.attempt),
    'webhook-id': attempt.webhookId,
  };
  const body = Buffer.from(text);
  try {
    return await outbound.post(message.url, { headers, body, signal: attempt.signal }, async (reply) => {
      await drain(reply.body(MAX_REPLY_BYTES));
      return judge(reply.status);
    });
  } catch (error) {
    // A shutdown or a lost lease says nothing about the receiver.
    attempt.signal.throwIfAborted();
    if (error instanceof OutboundError) return { kind: 'failed', error: error.code };
    throw error;
  }
}

/** `sha256=` and the HMAC of `<timestamp>.<raw body>` in hex. */
export function signWebhook(timestamp: string, body: string, apiKey: string): string {
  // With a key object: Node finds out that a text is none by an exception, which takes three times as long as the rest.
  return `sha256=${createHmac('sha256', createSecretKey(apiKey, 'utf8')).update(`${timestamp}.${body}`).digest('hex')}`;
}

function judge(status: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  if (status === GONE) return { kind: 'refused', status, error: 'gone' };
  return { kind: 'refused', status, error: status >= 300 && status < 400 ? 'redirect' : 'status' };
}

/** The status is the answer: a body that is too large, breaks off or never ends changes nothing. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // It is dropped with its connection.
  }
}
