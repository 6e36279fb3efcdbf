// Replies become results, or errors with all useful facts and no secrets.
import { ERROR_STATUS } from '@limen/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { reply } from '../../testing/scripted-server.ts';
import { LimenError } from '../index.ts';
import { parseRetryAfter, readResult } from './reply.ts';

const ONCE = { retries: { attempts: 1 } };

function errorOf(status: number, json?: unknown, headers: Record<string, string> = {}): LimenError {
  try {
    readResult({ status, json, text: '', headers: new Headers(headers) });
  } catch (error) {
    if (error instanceof LimenError) return error;
  }
  throw new Error('no LimenError was thrown');
}

describe('a refusal', () => {
  it('becomes an error with status, code, request id, details and retry time', () => {
    const details = [{ path: 'body.value', message: 'is required' }];
    const body = { statusCode: 400, error: 'Bad Request', message: 'body.value is required', requestId: 'r', details };
    const headers = { 'x-error-code': 'validation_failed', 'x-request-id': 'r', 'retry-after': '2' };
    const error = errorOf(400, body, headers);
    expect(error).toMatchObject({
      name: 'LimenError',
      message: 'body.value is required',
      status: 400,
      code: 'validation_failed',
      requestId: 'r',
      details,
      retryAfterSeconds: 2,
    });
  });

  it('keeps the session error code of the body', () => {
    const body = { statusCode: 403, message: 'another device', code: -16 };
    expect(errorOf(403, body, { 'x-error-code': 'device_mismatch' })).toMatchObject({
      code: 'device_mismatch',
      sessionCode: -16,
    });
    expect(errorOf(403, { code: '-16' }).sessionCode).toBeUndefined();
    expect(errorOf(403).sessionCode).toBeUndefined();
  });

  it('keeps a code that this version does not know', () => {
    expect(errorOf(409, {}, { 'x-error-code': 'session_over' }).code).toBe('session_over');
  });

  it.each(Object.entries(ERROR_STATUS))('gets a code by status without the header: %s (%i)', (_code, status) => {
    expect(ERROR_STATUS).toHaveProperty(errorOf(status).code, status);
  });

  it('is recognized as failed validation by its details without the header', () => {
    expect(errorOf(400, { details: [{ path: 'p', message: 'm' }] }).code).toBe('validation_failed');
    expect(errorOf(400).code).toBe('malformed_request');
    expect(errorOf(502).code).toBe('http_502');
  });

  it('takes the request id from the body if the header is hidden', () => {
    expect(errorOf(404, { requestId: 'in-body' }).requestId).toBe('in-body');
    expect(errorOf(404).requestId).toBeUndefined();
  });

  it.each([undefined, 'text', null, [], { message: 5, details: 'none' }, { details: [null, { path: 1 }] }])(
    'tolerates the body %j',
    (json) => {
      expect(errorOf(500, json)).toMatchObject({ message: 'The service replied with status 500.', details: [] });
    },
  );
});

describe('a reply that is not Limen’s', () => {
  it.each(['<!doctype html><p>Welcome</p>', '', '"text"', '17', 'null'])('is an error: %j with 200', async (body) => {
    const { client, received } = await startScriptedClient([reply(200, body)]);
    expect(await rejectionOf(client.strings.get('x'))).toMatchObject({
      status: 200,
      code: 'invalid_reply',
      message: 'The reply (status 200) is not a JSON object. Does baseUrl (or nodeUrl) point to Limen?',
    });
    expect(received).toHaveLength(1);
  });

  it('does not follow redirects, to protect the API key', async () => {
    const elsewhere = await startScriptedClient([]);
    const redirect = reply(307, '', { location: elsewhere.url });
    const { client } = await startScriptedClient([redirect], { apiKey: 'k-1' });
    const error = await rejectionOf(client.strings.get('x'));
    expect(error).toMatchObject({ status: 307, code: 'invalid_reply', message: expect.stringContaining('redirect') });
    expect(elsewhere.received).toEqual([]);
  });
});

it('never shows the API key or a body in an error', async () => {
  const { client } = await startScriptedClient([reply(500, 'reply-secret'), reply(200, 'reply-secret')], {
    apiKey: 'key-secret',
    ...ONCE,
  });
  for (const _reply of [500, 200]) {
    const error = (await rejectionOf(client.strings.create('value-secret'))) as Error;
    const shown = [error.stack, JSON.stringify(error), String(error.cause)].join('\n');
    expect(shown).toContain('LimenError');
    expect(shown).not.toContain('secret');
  }
});

// Retry-After in all its forms.

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ])('reads %s', (header, seconds) => {
    expect(parseRetryAfter(header, NOW)).toBe(seconds);
  });

  it.each([null, '', '-5', '1.5', 'soon', '2026-01-01T12:00:30Z', 'Thu, 99 Jan 2026 12:00:30 GMT'])(
    'ignores %s',
    (header) => {
      expect(parseRetryAfter(header, NOW)).toBeUndefined();
    },
  );

  it('rounds up, so that a retry never comes before the date', () => {
    expect(parseRetryAfter('Thu, 01 Jan 2026 12:00:30 GMT', NOW + 1)).toBe(30);
  });

  it('reads every date that toUTCString writes', () => {
    const wholeSeconds = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(wholeSeconds, (seconds) => {
        expect(parseRetryAfter(new Date(NOW + seconds * 1000).toUTCString(), NOW)).toBe(seconds);
      }),
    );
  });
});
