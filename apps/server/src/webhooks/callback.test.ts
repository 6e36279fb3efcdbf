// Valid callbacks, and which of their headers are sent.
import { describe, expect, it } from 'vitest';
import { checkCallback, keepCallbackHeaders } from './callback.ts';

const URL_OK = 'https://host.example/hook?x=1';
const refusal = (path: string) =>
  expect.objectContaining({ code: 'validation_failed', details: [expect.objectContaining({ path })] });

describe('checkCallback', () => {
  it.each([
    [URL_OK, undefined],
    ['http://127.0.0.1:3000/', {}],
    ['http://[::1]:3000/', {}],
    [URL_OK, { Authorization: 'Bearer a.b-c', 'x-empty': '', 'x-latin': 'Zoë', 'x-tab': 'a\tb' }],
  ])('accepts %s', (url, headers) => {
    expect(() => checkCallback(url, headers)).not.toThrow();
  });

  it.each([
    '',
    'host.example',
    'ftp://host.example/',
    'javascript:alert(1)',
    'https://a:b@host.example/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    `https://h/${'x'.repeat(2_048)}`,
  ])('refuses %s', (url) => {
    expect(() => checkCallback(url)).toThrow(refusal('body.callback.url'));
  });

  it.each([
    ['a line feed', { a: 'b\nX-Evil: 1' }],
    ['a carriage return', { a: 'b\r' }],
    ['NUL', { a: '\0' }],
    ['non-Latin text', { a: '日本' }],
    ['a line break in a name', { 'a\r\nb': 'c' }],
    ['a space in a name', { 'a b': 'c' }],
    ['an empty name', { '': 'c' }],
    ['a repeated name', { a: '1', A: '2' }],
    ['too many bytes', { a: 'x'.repeat(9_000) }],
    ['too many entries', Object.fromEntries(Array.from({ length: 51 }, (_, nth) => [`h${nth}`, '']))],
    ['a number', { a: 1 as unknown as string }],
  ])('refuses headers with %s, without repeating them', (_, headers) => {
    expect(() => checkCallback(URL_OK, headers)).toThrow(refusal('body.callback.headers'));
    expect(() => checkCallback(URL_OK, headers)).not.toThrow(/evil/i);
  });
});

describe('keepCallbackHeaders', () => {
  it('removes headers of the connection, the body and the signature', () => {
    const dropped = [
      'Host',
      'Content-Length',
      'Content-Type',
      'Content-Encoding',
      'content-disposition',
      'Connection',
      'Keep-Alive',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Upgrade',
    ];
    const ours = ['X-Service-Timestamp', 'X-Service-Signature', 'X-Service-Attempt', 'Webhook-Id', 'Expect'];
    const all = Object.fromEntries([...dropped, ...ours, 'Authorization', 'X-Own'].map((name) => [name, 'v']));
    expect(keepCallbackHeaders(all)).toEqual({ authorization: 'v', 'x-own': 'v' });
  });

  it('removes headers named by Connection', () => {
    expect(keepCallbackHeaders({ Connection: 'close, X-Hop', 'x-hop': '1', 'x-kept': '2' })).toEqual({ 'x-kept': '2' });
  });
});
