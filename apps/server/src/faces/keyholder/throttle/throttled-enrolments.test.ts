// Hourly enrollment budgets, and what enrollments neither use up, forgive nor reveal.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adopt, ask, beginEnrollment, randomVector, rowsOf } from '#testing/faces/faces.ts';
import {
  ada,
  mallory,
  openWith,
  openWithRules,
  small,
  stranger,
  type ThrottledKeyHolder,
} from '#testing/faces/throttled-key-holder.ts';
import { auditFile } from '../audit/chain.ts';
import { PersonLockedError, ThrottledError } from '../link/calls.ts';

describe('the enrollment budget', () => {
  /** Searches the enrolled people up to the answer. */
  async function enrollAmong({ holder, among }: ThrottledKeyHolder, vector: Float32Array, more: object = {}) {
    const { challenge, probe } = await beginEnrollment(holder, vector, more);
    await holder.rows(challenge, among.epoch, rowsOf(among.tokens, probe));
    return { challenge, ...(await holder.finish(challenge)) };
  }

  it('is hourly per address, whatever the outcome', async () => {
    const opened = await openWith({ budgets: { enrol_address: 5 } }); // two of them for ada and mallory
    const { holder } = opened;
    for (let time = 0; time < 3; time++) await enrollAmong(opened, randomVector(), { session: `s${time}` });
    const refused = await holder.openChallenge(ask('enrol')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'ThrottledError', retryAfter: 3_600 });
    expect(holder.warnings).toEqual([expect.stringContaining('one address has had all 5 enrollments')]);
    await expect(holder.openChallenge(ask('enrol', { address: 'another' }))).resolves.toBeDefined();
    await expect(holder.openChallenge(ask('identify'))).resolves.toBeDefined();
  });

  it('is separate from that of sign-ins', async () => {
    const opened = await openWith({ budgets: { enrol: 3, sign_in: 2 } });
    const { holder, signIn } = opened;
    await enrollAmong(opened, randomVector());
    await expect(holder.openChallenge(ask('enrol', { address: 'another' }))).rejects.toBeInstanceOf(ThrottledError);
    const spent = { customer: 'acme', outcome: 'answers_spent', answers: 3, purpose: 'enrol' };
    expect(readFileSync(auditFile(holder.folder), 'utf8')).toContain(JSON.stringify(spent).slice(1, -1));
    expect(await signIn(mallory, 'handle of mallory', { address: 'one' })).toBe('found');
    expect(await signIn(ada, 'handle of ada', { address: 'two' })).toBe('found');
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(ThrottledError);
  });

  it('does not reveal by its counts whether the face is enrolled', async () => {
    const { holder, among, signIn } = await openWithRules({ address: { ...small, refusals: 3 } });
    const after: unknown[] = [];
    for (const [address, vector] of [
      ['one', ada],
      ['two', randomVector()],
    ] as const) {
      // One refusal short of the lock, so that a further refusal would show.
      for (let time = 0; time < 2; time++) await signIn(stranger, '', { address });
      const { challenge, probe } = await beginEnrollment(holder, vector, { address });
      await holder.finish(challenge);
      for (let time = 0; time < 2; time++) {
        await holder.rows(challenge, among.epoch, rowsOf(among.tokens, probe));
        await holder.finish(challenge);
      }
      await holder.settle(challenge, 'handle of somebody');
      after.push(await holder.openChallenge(ask('enrol', { address })).then(() => 'ready'));
      expect(await signIn(ada, 'handle of ada', { address })).toBe('found');
    }
    expect(after).toEqual(['ready', 'ready']);
  });

  it('neither takes back refusals nor is spent by finding no one', async () => {
    const opened = await openWithRules({ address: small, person: { ...small, forgivable: 9 } });
    const { holder, verify } = opened;
    for (let time = 0; time < 3; time++) await enrollAmong(opened, randomVector(), { session: `s${time}` });
    await verify(stranger, { address: 'one' });
    await holder.settle((await enrollAmong(opened, ada)).challenge, 'handle of ada');
    await verify(stranger, { address: 'two' });
    await expect(verify(ada, { address: 'three' })).rejects.toBeInstanceOf(PersonLockedError);
  });

  it('still allows new people to be adopted', async () => {
    const { holder } = await openWith();
    const begun = await beginEnrollment(holder, randomVector());
    await holder.finish(begun.challenge);
    await expect(adopt(holder, begun)).resolves.toBeDefined();
  });
});
