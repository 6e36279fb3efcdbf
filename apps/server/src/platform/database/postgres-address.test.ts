// TLS parameters of an address mean what libpq documents. A mode without protection is refused.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readPostgresAddress } from './postgres-address.ts';

const file = (name: string) => fileURLToPath(new URL(`../../../testing/tls/${name}.pem`, import.meta.url));
const [CERT, KEY] = [file('cert'), file('key')];
const ca = readFileSync(CERT);
const anyName = expect.any(Function);

const read = (query: string, environment = {}) =>
  readPostgresAddress(`postgres://limen:p%40x@db:5/d?${query}`, environment);

it.each([
  ['', undefined, false],
  ['sslmode=disable', 'disable', false],
  [`sslmode=disable&sslrootcert=/nowhere`, 'disable', false],
  ['sslmode=require', 'require', { rejectUnauthorized: false, checkServerIdentity: anyName }],
  [`sslmode=require&sslrootcert=${CERT}`, 'require', { ca, checkServerIdentity: anyName }],
  [`sslmode=verify-ca&sslrootcert=${CERT}`, 'verify-ca', { ca, checkServerIdentity: anyName }],
  [`sslmode=verify-full&sslrootcert=${CERT}`, 'verify-full', { ca }],
  ['sslmode=verify-full', 'verify-full', {}],
  [`sslmode=verify-full&sslcert=${CERT}&sslkey=${KEY}`, 'verify-full', { cert: ca, key: readFileSync(KEY) }],
])('reads %s as libpq does', (query, sslMode, ssl) => {
  expect(read(query)).toEqual({ connectionString: 'postgres://limen:p%40x@db:5/d', sslMode, ssl, isRemote: true });
});

it('keeps the other parameters', () => {
  expect(read('sslmode=disable&options=-c%20a%3Db').connectionString).toMatch(/\?options=-c\+a%3Db$/);
});

it('reads missing parts of the address from the environment', () => {
  const environment = { PGSSLMODE: 'verify-ca', PGSSLROOTCERT: CERT };
  expect(read('', environment)).toMatchObject({ sslMode: 'verify-ca', ssl: { ca } });
  expect(read('sslmode=verify-full', environment)).toMatchObject({ sslMode: 'verify-full', ssl: { ca } });
  expect(() => read('', { PGSSLMODE: 'prefer' })).toThrow('has a value of sslmode that may fall back');
});

it.each([
  [
    'sslmode=prefer',
    'has a value of sslmode that may fall back to an unencrypted connection; use verify-full, verify-ca',
  ],
  ['sslmode=allow', 'has a value of sslmode that may fall back'],
  ['sslmode=p@x', 'has a value of sslmode that Limen does not know; use verify-full, verify-ca, require or disable'],
  ['sslmode=no-verify', 'has a value of sslmode that Limen does not know; use'],
  ['sslmode=disable&sslmode=verify-full', 'has the parameter sslmode more than once; keep one'],
  ['host=a&host=b', 'has the parameter host more than once'],
  [`sslrootcert=${CERT}`, 'has sslrootcert without sslmode; add sslmode=verify-full'],
  ['sslmode=verify-ca', 'has sslmode=verify-ca without sslrootcert'],
  [`sslmode=verify-full&sslcert=${CERT}`, 'needs sslcert and sslkey together'],
  ['ssl=true', 'has the parameter ssl, which Limen does not know; sslmode, sslrootcert'],
  ['sslmode=require&sslnegotiation=direct', 'has the parameter sslnegotiation'],
  ['sslmode=require&uselibpqcompat=true', 'has the parameter uselibpqcompat'],
  ['sslmode=require&sslrootcert=/nowhere', 'has a problem in sslrootcert: the file /nowhere cannot be read (ENOENT)'],
  [
    `sslmode=require&sslrootcert=${KEY}`,
    'contains no certificate in PEM format. It contains a private key, which belongs in sslkey',
  ],
  [`sslmode=require&sslcert=${CERT}&sslkey=${CERT}`, 'It contains a certificate, which belongs in sslcert'],
])('refuses %s with an explanation', (query, sentence) => {
  expect(() => read(query)).toThrow(sentence);
  expect(() => read(query)).not.toThrow(/p%40x|p@x|\.$/);
});

it.each([
  ['postgres://limen@localhost/d', false],
  ['postgres://limen@[::1]:5432/d', false],
  ['postgres:///d', false],
  ['postgres:///d?host=/run/postgresql', false],
  ['postgres://limen@%2Frun%2Fpostgresql/d', false],
  ['postgres://limen@10.0.0.5/d', true],
  ['postgres://limen@localhost/d?host=db.example.org', true],
])('decides whether %s leaves this machine', (address, isRemote) => {
  expect(readPostgresAddress(address, {}).isRemote).toBe(isRemote);
});

it('ignores TLS on a Unix socket', () => {
  expect(readPostgresAddress('postgres:///d?host=/run/postgresql&sslmode=require', {}).ssl).toBe(false);
});
