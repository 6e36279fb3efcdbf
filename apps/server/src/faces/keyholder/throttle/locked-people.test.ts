// A locked person looks like a stranger, stays locked no longer, and can use their own device.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask, beginEnrollment, MODEL_VERSION, makeProbe, rowsOf, shapeOf } from '#testing/faces/faces.ts';
import type { LocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { ada, large, mallory, openWithRules, small, stranger, vouched } from '#testing/faces/throttled-key-holder.ts';
import { auditFile } from '../audit/chain.ts';
import { PersonLockedError, ThrottledError } from '../link/calls.ts';

describe('a locked person', () => {
  const linesOf = (holder: LocalKeyHolder) => readFileSync(auditFile(holder.folder), 'utf8').trimEnd().split('\n');
  const shapeOfLines = (some: string[]) => some.map((line) => Object.keys(JSON.parse(line) as object).length);

  async function openWithAdaLocked() {
    const opened = await openWithRules({ person: small });
    for (let time = 0; time < 2; time++) await opened.verify(stranger);
    return opened;
  }

  it('is indistinguishable from a stranger in a sign-in: same answer, counts and lines', async () => {
    const { holder, signIn } = await openWithAdaLocked();
    const outcomes: unknown[] = [];
    for (const vector of [ada, stranger]) {
      const before = linesOf(holder).length;
      const outcome = await signIn(vector, 'handle of ada', { address: 'thief' });
      outcomes.push([outcome, linesOf(holder).length - before]);
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]).toEqual(['nobody', 2]);
    const settled = linesOf(holder)
      .filter((line) => line.includes('"locked"'))
      .map((line) => JSON.parse(line) as object);
    expect(settled).toHaveLength(1);
  });

  it('counts as a refusal at the address like a stranger', async () => {
    const { holder, signIn, verify } = await openWithRules({ person: small, address: { ...large, refusals: 4 } });
    for (let time = 0; time < 2; time++) await verify(stranger, { address: 'elsewhere' });
    for (const vector of [ada, stranger, ada, stranger]) await signIn(vector, 'handle of ada');
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(ThrottledError);
  });

  it('is verified in full before the wait is reported; the challenge is used up', async () => {
    const { holder, among } = await openWithAdaLocked();
    const seen: unknown[] = [];
    for (const vector of [ada, stranger]) {
      const before = linesOf(holder).length;
      const opened = await holder.openChallenge(ask('verify', { address: 'thief' }));
      const probe = await makeProbe(vector, opened);
      const about = { modelVersion: MODEL_VERSION, person: 'handle of ada' };
      expect(await holder.begin(opened.challenge, about, await shapeOf(probe))).toBe('ok');
      await holder.rows(opened.challenge, among.epoch, rowsOf([among.tokens[0]!], probe));
      const refusal = await holder.finish(opened.challenge).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(PersonLockedError);
      await expect(holder.finish(opened.challenge)).rejects.toMatchObject({ reason: 'used' });
      seen.push([(refusal as PersonLockedError).retryAfter, shapeOfLines(linesOf(holder).slice(before))]);
    }
    expect(seen[0]).toEqual(seen[1]);
  });

  it('is not locked for longer by attempts during the lock', async () => {
    const { holder, verify } = await openWithAdaLocked();
    for (const vector of [ada, stranger, ada]) await verify(vector).catch(() => undefined);
    holder.clock.advance(60_000);
    expect((await verify(ada)).best).not.toBeNull();
  });

  it('is not kept off their own device or passkey by concurrent strangers', async () => {
    const { holder, signIn, verify } = await openWithAdaLocked();
    const own = { address: 'at home', vouched: { device: 'device of ada', person: 'handle of ada' } };
    const opened = await holder.openChallenge(ask('verify', { session: 'left open' }));
    const shape = await shapeOf(await makeProbe(stranger, opened));
    await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION, person: 'handle of ada' }, shape);
    expect((await verify(ada, own)).best).not.toBeNull();
    expect(await signIn(ada, 'handle of ada', own)).toBe('found');
    // Does not apply to another person's device.
    expect(await signIn(ada, 'handle of ada', { vouched })).toBe('nobody');
    holder.clock.advance(1_000);
    await holder.settle(opened.challenge, null);
    await expect(verify(ada, { vouched })).rejects.toBeInstanceOf(PersonLockedError);
  });

  it('is still limited as voucher and by their device', async () => {
    const { holder, verify } = await openWithRules({ device: small });
    const own = { vouched: { device: 'device of ada', person: 'handle of ada' } };
    for (let time = 0; time < 2; time++) await verify(stranger, own);
    await expect(holder.openChallenge(ask('verify', own))).rejects.toBeInstanceOf(ThrottledError);
  });

  it('is indistinguishable from strangers and unlocked people in an enrollment', async () => {
    const { holder, among, verify } = await openWithAdaLocked();
    const shape: unknown[] = [];
    for (const [vector, name] of [
      [ada, 'handle of ada'],
      [mallory, 'handle of mallory'],
    ] as const) {
      const before = linesOf(holder).length;
      const { challenge, probe } = await beginEnrollment(holder, vector);
      await holder.rows(challenge, among.epoch, rowsOf(among.tokens, probe));
      expect((await holder.finish(challenge)).best).not.toBeNull();
      expect(await holder.settle(challenge, name)).toBe('settled');
      shape.push(
        linesOf(holder)
          .slice(before)
          .map((line) => (JSON.parse(line) as { outcome: string }).outcome),
      );
    }
    expect(shape[0]).toEqual(shape[1]);
    await expect(verify(ada)).rejects.toBeInstanceOf(PersonLockedError);
  });
});
