// A start waits out transient database failures, reports them, and ends at once on permanent ones.
import { expect, it } from 'vitest';
import { DatabaseError, READ_ONLY } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import { whenItAnswers } from './when-it-answers.ts';

const SETTINGS = { url: 'DATABASE_URL', wait: 'DATABASE_WAIT_SECONDS' };
const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });
const refused = withCode('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.5:5432');

/** Fails with each error in turn, then opens. */
function failWith(failures: Error[]) {
  return async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return 'open';
  };
}

it('waits, and reports each reason once', async () => {
  const reasons: string[] = [];
  const patience = { forMs: 60_000, onWaiting: (reason: string) => void reasons.push(reason) };
  const readOnly = new DatabaseError(READ_ONLY, 'the database is read-only: the server is a standby');
  const pooler = withCode('08P01', 'server login failed: FATAL\nof another line');
  expect(await whenItAnswers(patience, SETTINGS, failWith([refused, pooler, pooler, readOnly]))).toBe('open');
  expect(reasons).toEqual([
    'ECONNREFUSED: connect ECONNREFUSED 10.0.0.5:5432',
    '08P01: server login failed: FATAL',
    '25006: the database is read-only: the server is a standby',
  ]);
});

it('gives up with the last reason', async () => {
  const patience = { forMs: 0, onWaiting: () => {} };
  const lost = new DatabaseError('lost', 'gone', { cause: new AggregateError([refused, refused], '') });
  await expect(whenItAnswers(patience, SETTINGS, failWith([lost]))).rejects.toThrow(
    new StartError(
      'The database cannot be used (ECONNREFUSED: connect ECONNREFUSED 10.0.0.5:5432). Check DATABASE_URL and that the server is running; ' +
        'DATABASE_WAIT_SECONDS says how long to wait for it.',
    ),
  );
});

it.each([withCode('28P01', 'password authentication failed'), new DatabaseError('tls', 'no TLS')])(
  'does not wait if %s needs an operator',
  async (refusal) => {
    const patience = { forMs: 60_000, onWaiting: () => expect.unreachable() };
    await expect(whenItAnswers(patience, SETTINGS, failWith([refusal]))).rejects.toBe(refusal);
  },
);
