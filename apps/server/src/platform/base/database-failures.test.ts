// Distinguishes transient database failures from bugs.
import { describe, expect, it } from 'vitest';
import {
  DatabaseError,
  isDiskFull,
  isMissingReference,
  isOutage,
  isUnavailable,
  markConnectionError,
  READ_ONLY,
} from './database-failures.ts';

function failWith(code: string, errcode?: number): Error {
  return Object.assign(new Error('of the database'), { code, errcode });
}

describe('a transient database failure', () => {
  it.each([
    ['a deadlock', '40P01'],
    ['a lock timeout', '55P03'],
    ['a serialization failure', '40001'],
    ['a lost connection', '08006'],
    ['too many connections', '53300'],
    ['a shutdown', '57P01'],
    ['a write to a read-only database', '25006'],
    ['a closed port', 'ECONNREFUSED'],
    ['a changed password', '28P01'],
    ['an expired certificate', 'tls'],
  ])('includes %s', (_name, code) => {
    expect(isUnavailable(failWith(code))).toBe(true);
    expect(isUnavailable(new AggregateError([new Error('another'), failWith(code)]))).toBe(true);
  });

  it.each([5, 10, 14, 5 + 256])('includes SQLite result code %i', (errcode) => {
    expect(isUnavailable(failWith('ERR_SQLITE_ERROR', errcode))).toBe(true);
  });
});

it('includes a server that cannot fork a process for a TLS connection', () => {
  expect(isUnavailable(new Error('There was an error establishing an SSL connection'))).toBe(true);
});

it('includes lost and read-only connections', () => {
  expect(isUnavailable(new DatabaseError('lost', 'gone'))).toBe(true);
  expect(isUnavailable(new DatabaseError(READ_ONLY, 'read-only'))).toBe(true);
});

it.each([
  ['PostgreSQL', failWith('53100')],
  ['SQLite', failWith('ERR_SQLITE_ERROR', 13)],
  ['a file', failWith('ENOSPC')],
  ['our own', new DatabaseError('full', 'full')],
])('excludes a full disk: %s', (_of, error) => {
  expect([isDiskFull(error), isUnavailable(error)]).toEqual([true, false]);
  expect(isDiskFull(failWith('53300'))).toBe(false);
});

it.each(['23505', '42P01', '40002', '55006', '22001', 'ENOENT'])('excludes %s', (code) => {
  expect(isUnavailable(failWith(code))).toBe(false);
});

it('excludes violated SQLite constraints and values that are not errors', () => {
  expect(isUnavailable(failWith('ERR_SQLITE_ERROR', 19))).toBe(false);
  expect(isUnavailable('ECONNREFUSED')).toBe(false);
});

it('is an outage unless it concerns a single statement', () => {
  const isOutageWith = (code: string) => isOutage(markConnectionError(failWith(code)));
  for (const code of ['08006', '25006', '57P01', 'ECONNREFUSED', '53100']) expect(isOutageWith(code)).toBe(true);
  for (const code of ['40001', '40P01', '55P03', '57014', '23505']) expect(isOutageWith(code)).toBe(false);
});

it('recognizes a row whose owner was deleted', () => {
  expect(isMissingReference(failWith('23503'))).toBe(true);
  expect(isMissingReference(failWith('ERR_SQLITE_ERROR', 787))).toBe(true);
  expect(isMissingReference(failWith('23505'))).toBe(false);
  expect(isMissingReference(failWith('ERR_SQLITE_ERROR', 2_067))).toBe(false);
  expect(isMissingReference(undefined)).toBe(false);
});
