// Verification against signatures made with another implementation of HMAC, and everything a forger could change.
import { createHmac } from 'node:crypto';
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
      body: JSON.parse(BODY),
      metadataText: null,
    });
  });

  it('verifies a published vector', async () => {
    // Made with `printf '1767225600.{}' | openssl dgst -sha256 -hmac limen_test_key`.
    const signature = 'a8d944e7cd98ed10845f04fcc306ce5e5f648ef1e3464a03106fe34e06c10c71';
    const headers = { ...sign('{}'), 'x-service-signature': `sha256=${signature}` };
    expect(await verify('{}', headers)).toMatchObject({ body: {} });
  });

  it('needs no more than the two signed headers', async () => {
    const { 'webhook-id': _, 'x-service-attempt': __, ...signed } = sign(BODY);
    expect(await verify(BODY, signed)).toMatchObject({ id: null, attempt: null });
  });

  it('has a body of the type that the caller names, or else of a result', async () => {
    const { body } = await verifyWebhook<{ name: string }>(BODY, sign(BODY), KEY, { now });
    const named: string = body.name;
    const { body: result } = await verifyWebhook(BODY, sign(BODY), KEY, { now });
    const flowStatus: 'COMPLETED' | 'CANCELLED' | 'EXPIRED' | undefined = result.flowStatus;
    expect([named, flowStatus]).toEqual(['Zoë', 'COMPLETED']);
  });

  it.each([-300, 300])('is fresh %i seconds away', async (away) => {
    expect(await verify(BODY, sign(BODY, NOW_SECONDS + away))).toMatchObject({ id: 'w-1' });
  });

  it('is as fresh as the caller says', async () => {
    expect(await verify(BODY, sign(BODY, NOW_SECONDS - 3_600), { toleranceSeconds: 3_600 })).toMatchObject({
      attempt: 2,
    });
  });
});

describe('anything else', () => {
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
  ])('is refused: %s', async (_, body, headers, code) => {
    await expect(verify(body, headers)).rejects.toMatchObject({ name: 'WebhookError', code });
  });

  it('is refused whichever byte of the body changed', async () => {
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

  it('is a mistake of the program: a parsed body, no headers, no key', async () => {
    for (const headers of [undefined, null, 'x-service-signature: sha256=00']) {
      const error = await verify(BODY, headers as unknown as WebhookHeaders).catch((error: unknown) => error);
      expect(error).toEqual(new TypeError('headers must be those of the request, as an object or as Headers'));
    }
    await expect(verify(JSON.parse(BODY), sign(BODY))).rejects.toThrow('not parsed');
    await expect(verifyWebhook(BODY, sign(BODY), '')).rejects.toThrow('apiKey');
  });
});
