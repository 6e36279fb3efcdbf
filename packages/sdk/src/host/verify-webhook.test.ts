// Verification against signatures by another HMAC implementation, and all possible forgeries.
import { createHmac } from 'node:crypto';
import { WEBHOOK_EVENTS } from '@limen/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, type WebhookHeaders } from './verify-webhook.ts';

const KEY = 'limen_test_key';
const NOW_SECONDS = 1_767_225_600;
const now = () => NOW_SECONDS * 1000;
const BODY = '{"flowStatus":"COMPLETED","name":"Zoë"}';

function sign(body: string, seconds: number | string = NOW_SECONDS, key = KEY): Record<string, string> {
  return {
    'x-service-timestamp': String(seconds),
    'x-service-signature': `sha256=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`,
    'x-service-attempt': '2',
    'webhook-id': 'w-1',
  };
}

/** An example of each possible event body, with the required fields and arbitrary texts. */
const EXAMPLES = Object.entries(WEBHOOK_EVENTS).flatMap(([event, { bodies }]) =>
  bodies.map(({ $id: name, required = [], properties }: BodySchema) => {
    const body = Object.fromEntries(required.map((field) => [field, properties[field]?.const ?? field]));
    return { event, name, body };
  }),
);

interface BodySchema {
  $id?: string;
  required?: readonly string[];
  properties: Readonly<Record<string, { const?: string }>>;
}

const verify = (body: string | Uint8Array, headers: WebhookHeaders, options = {}) =>
  verifyWebhook(body, headers, KEY, { now, ...options });

describe('a genuine webhook', () => {
  it.each([
    ['text and an object', BODY, sign(BODY)],
    ['bytes and Headers', new TextEncoder().encode(BODY), new Headers(sign(BODY))],
    [
      'names as they were sent',
      BODY,
      Object.fromEntries(Object.entries(sign(BODY)).map(([k, v]) => [k.toUpperCase(), v])),
    ],
  ])('verifies from %s', async (_, body, headers) => {
    expect(await verify(body, headers)).toEqual({
      id: 'w-1',
      attempt: 2,
      signedAt: new Date(now()),
      event: null,
      body: JSON.parse(BODY),
      metadataText: null,
    });
  });

  it('verifies a published vector', async () => {
    // Created with `printf '1767225600.{}' | openssl dgst -sha256 -hmac limen_test_key`.
    const signature = 'a8d944e7cd98ed10845f04fcc306ce5e5f648ef1e3464a03106fe34e06c10c71';
    const headers = { ...sign('{}'), 'x-service-signature': `sha256=${signature}` };
    expect(await verify('{}', headers)).toMatchObject({ body: {} });
  });

  it('needs only the two signed headers', async () => {
    const { 'webhook-id': _, 'x-service-attempt': __, ...signed } = sign(BODY);
    expect(await verify(BODY, signed)).toMatchObject({ id: null, attempt: null });
  });

  it.each(EXAMPLES)('recognizes $event by a $name', async ({ event, body }) => {
    const text = JSON.stringify(body);
    expect(await verify(text, sign(text))).toMatchObject({ event, body });
  });

  it('has the body type of its event', async () => {
    const body = '{"sessionId":"s","sessionStatus":"AGE_UNKNOWN","status":"AGE_UNKNOWN","flowStatus":"EXPIRED"}';
    const webhook = await verify(body, sign(body));
    // @ts-expect-error: the type is unknown until the event is checked
    void webhook.body.flowStatus;
    if (webhook.event === 'verification_session.ended') void webhook.body.status;
    if (webhook.event !== 'age_session.ended') throw new Error('another event');
    const flowStatus: 'COMPLETED' | 'CANCELLED' | 'EXPIRED' | undefined = webhook.body.flowStatus;
    expect(flowStatus).toBe('EXPIRED');
  });

  it('names no unknown event, because its body would be mistaken for another', async () => {
    const body = '{"event":"something.new","status":"open","sessionId":"s"}';
    expect(await verify(body, sign(body))).toMatchObject({
      event: null,
      body: { event: 'something.new' },
    });
  });

  it.each([-300, 300])('is fresh if it is %i seconds away', async (away) => {
    expect(await verify(BODY, sign(BODY, NOW_SECONDS + away))).toMatchObject({ id: 'w-1' });
  });

  it('is fresh within the caller’s tolerance', async () => {
    expect(await verify(BODY, sign(BODY, NOW_SECONDS - 3_600), { toleranceSeconds: 3_600 })).toMatchObject({
      attempt: 2,
    });
  });
});

describe('any other request', () => {
  it.each([
    ['another key', BODY, sign(BODY, NOW_SECONDS, 'another'), 'wrong_signature'],
    [
      'another time than signed',
      BODY,
      { ...sign(BODY), 'x-service-timestamp': `${NOW_SECONDS + 1}` },
      'wrong_signature',
    ],
    ['JSON written again', JSON.stringify(JSON.parse(BODY), null, 1), sign(BODY), 'wrong_signature'],
    ['an old one', BODY, sign(BODY, NOW_SECONDS - 301), 'too_old'],
    ['one of the future', BODY, sign(BODY, NOW_SECONDS + 301), 'too_old'],
    ['no signature', BODY, { ...sign(BODY), 'x-service-signature': undefined }, 'missing_header'],
    ['no time', BODY, { ...sign(BODY), 'x-service-timestamp': undefined }, 'missing_header'],
    ['two signatures', BODY, { ...sign(BODY), 'X-Service-Signature': 'sha256=00' }, 'missing_header'],
    ['a short signature', BODY, { ...sign(BODY), 'x-service-signature': 'sha256=00' }, 'malformed'],
    ['a time that is no number', BODY, sign(BODY, '1e9'), 'malformed'],
    ['a body that is not JSON', 'hello', sign('hello'), 'malformed'],
  ])('is rejected: %s', async (_, body, headers, code) => {
    await expect(verify(body, headers)).rejects.toMatchObject({ name: 'WebhookError', code });
  });

  it('is rejected if any byte of the body changed', async () => {
    const bytes = fc.nat(BODY.length - 1);
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = new TextEncoder().encode(BODY);
        changed[at]! ^= flip;
        await expect(verify(changed, sign(BODY))).rejects.toMatchObject({ code: 'wrong_signature' });
      }),
      { numRuns: 50 },
    );
  });

  it('throws a TypeError for a parsed body, missing headers or a missing key', async () => {
    for (const headers of [undefined, null, 'x-service-signature: sha256=00']) {
      const error = await verify(BODY, headers as unknown as WebhookHeaders).catch((error: unknown) => error);
      expect(error).toEqual(new TypeError('headers must be those of the request, as an object or as Headers'));
    }
    await expect(verify(JSON.parse(BODY), sign(BODY))).rejects.toThrow('not parsed');
    await expect(verifyWebhook(BODY, sign(BODY), '')).rejects.toThrow('apiKey');
  });
});
