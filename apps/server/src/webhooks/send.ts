// Sends one attempt at one webhook: signs it, posts it, and judges the reply.
import { createHmac, createSecretKey } from 'node:crypto';
import { OutboundError } from '../platform/outbound/error.ts';
import type { Outbound } from '../platform/outbound/guarded-fetch.ts';
import { MAX_REPLY_BYTES } from './limits.ts';

export interface WebhookMessage {
  url: string;
  headers: Record<string, string>;
  /** The signed text, so that every attempt sends the same bytes. */
  body: string;
  /** Fields of the body that are sent until it was delivered once, and then deleted. */
  ephemeral?: Readonly<Record<string, unknown>>;
  traceparent?: string;
}

interface SendAttempt {
  webhookId: string;
  attempt: number;
  apiKey: string;
  now: number;
  traceparent?: string | undefined;
  signal: AbortSignal;
}

/** `error` is a code, never text from the receiver. */
export type SendOutcome =
  | { kind: 'delivered'; status: number }
  | { kind: 'refused'; status: number; error: 'gone' | 'redirect' | 'status' }
  | { kind: 'failed'; error: string };

export async function sendWebhook(
  outbound: Outbound,
  { url, headers: own, body, ephemeral }: WebhookMessage,
  { webhookId, attempt, apiKey, now, traceparent, signal }: SendAttempt,
): Promise<SendOutcome> {
  const timestamp = String(Math.floor(now / 1000));
  // Appended, so that the rest of the body stays the same text.
  const text = ephemeral ? `${body.slice(0, -1)},${JSON.stringify(ephemeral).slice(1)}` : body;
  const headers = {
    ...(traceparent !== undefined && { traceparent }),
    ...own,
    // After the host's own headers, which must not replace these.
    'content-type': 'application/json',
    'x-service-timestamp': timestamp,
    'x-service-signature': signWebhook(timestamp, text, apiKey),
    'x-service-attempt': String(attempt),
    'webhook-id': webhookId,
  };
  try {
    return await outbound.post(url, { headers, body: Buffer.from(text), signal }, async (reply) => {
      await drain(reply.body(MAX_REPLY_BYTES));
      return judge(reply.status);
    });
  } catch (error) {
    // A shutdown or a lost lease says nothing about the receiver.
    signal.throwIfAborted();
    if (error instanceof OutboundError) return { kind: 'failed', error: error.code };
    throw error;
  }
}

export function signWebhook(timestamp: string, body: string, apiKey: string): string {
  // A key object, because Node checks text keys with a slow exception.
  return `sha256=${createHmac('sha256', createSecretKey(apiKey, 'utf8')).update(`${timestamp}.${body}`).digest('hex')}`;
}

function judge(status: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  if (status === 410) return { kind: 'refused', status, error: 'gone' };
  return { kind: 'refused', status, error: status >= 300 && status < 400 ? 'redirect' : 'status' };
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // The body is dropped with its connection.
  }
}
