// Epochs: rotation, renewal by masked re-encryption, retirement, and concurrent enrollments.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adopt, beginEnrollment, epochOf, evaluator, makeToken, randomVector, search } from '#testing/faces/faces.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { UnknownEpochError } from '../link/calls.ts';

let holder: LocalKeyHolder;
const ada = randomVector();

beforeEach(async () => {
  holder = await openLocalKeyHolder();
});
afterEach(() => holder.close());

/** Resolves with whether the promise is pending after all queued work has run. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  let open = true;
  const end = () => {
    open = false;
  };
  promise.then(end, end);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return open;
}

describe('a rotation', () => {
  it('creates a new current epoch and keeps the old key', async () => {
    const before = await makeToken(holder, ada);
    const rotation = await holder.rotate('acme');
    expect(rotation.from).toBe(before.epoch);
    expect(await epochOf(holder)).toBe(rotation.to);
    expect((await search(holder, ada, { epoch: rotation.from, tokens: [before.token] })).best).toBe(0);
  });

  it('returns the same pair until the old epoch is retired, so that an interrupted renewal continues', async () => {
    await epochOf(holder);
    const first = await holder.rotate('acme');
    expect(await holder.rotate('acme')).toEqual(first);
    await holder.retire('acme', first.from);
    const next = await holder.rotate('acme');
    expect(next.from).toBe(first.to);
    expect(next.to).not.toBe(first.to);
  });

  it('is refused for a customer without a key', async () => {
    await expect(holder.rotate('nobody')).rejects.toBeInstanceOf(UnknownEpochError);
  });

  /** Makes an adopted person whose enrollment is not settled. */
  async function adoptSomebody() {
    const begun = await beginEnrollment(holder, ada);
    await holder.finish(begun.challenge);
    return { ...begun, ...(await adopt(holder, begun)) };
  }

  it('waits until people adopted under the old epoch are settled', async () => {
    const adopted = await adoptSomebody();
    const rotation = holder.rotate('acme');
    expect(await isOpen(rotation)).toBe(true);
    await holder.settle(adopted.challenge, 'ada');
    expect((await rotation).from).toBe(adopted.epoch);
  });

  it('waits no longer than the life of a challenge', async () => {
    const { epoch } = await adoptSomebody();
    const rotation = holder.rotate('acme');
    expect(await isOpen(rotation)).toBe(true);
    holder.clock.advance(60_001);
    expect((await rotation).from).toBe(epoch);
  });

  it('waits for people adopted by another process on the same folder', async () => {
    const other = await openLocalKeyHolder({ folder: holder.folder, clock: holder.clock });
    const adopted = await adoptSomebody();
    const rotation = other.rotate('acme');
    expect(await isOpen(rotation)).toBe(true);
    await holder.settle(adopted.challenge, 'ada');
    const { to } = await rotation;
    expect(await epochOf(holder)).toBe(to);
    await other.close();
  });

  it('does not wait for an unadopted enrollment, which then gets the new key', async () => {
    await epochOf(holder);
    const begun = await beginEnrollment(holder, ada);
    await holder.finish(begun.challenge);
    const { to } = await holder.rotate('acme');
    expect((await adopt(holder, begun)).epoch).toBe(to);
  });
});

describe('a renewal', () => {
  it('produces tokens that match as before under the new key, and not under the old one', async () => {
    const old = [await makeToken(holder, randomVector()), await makeToken(holder, ada)];
    const tokens = old.map(({ token }) => token);
    const { from, to } = await holder.rotate('acme');
    const masks = tokens.map((token) => evaluator().maskForRenewal(token));
    const reencrypted = await holder.renew(
      'acme',
      from,
      to,
      masks.map(({ masked }) => masked),
    );
    const renewed = await Promise.all(masks.map(({ unmask }, at) => unmask(reencrypted[at]!)));
    await holder.retire('acme', from);
    expect((await search(holder, ada, { epoch: to, tokens: renewed })).best).toBe(1);
    await expect(search(holder, ada, { epoch: from, tokens })).rejects.toBeInstanceOf(UnknownEpochError);
  });

  it('refuses bodies of another length and foreign epochs', async () => {
    await epochOf(holder);
    const other = await epochOf(holder, 'other');
    const { from, to } = await holder.rotate('acme');
    await expect(holder.renew('acme', from, to, [new Uint8Array(10)])).rejects.toThrow('another length');
    await expect(holder.renew('acme', from, other, [])).rejects.toBeInstanceOf(UnknownEpochError);
  });
});

describe('a retired epoch', () => {
  it('opens no more rows and cannot be retired twice', async () => {
    const tokens = [(await makeToken(holder, ada)).token];
    const { from } = await holder.rotate('acme');
    await holder.retire('acme', from);
    await expect(search(holder, ada, { epoch: from, tokens })).rejects.toBeInstanceOf(UnknownEpochError);
    await expect(holder.retire('acme', from)).rejects.toBeInstanceOf(UnknownEpochError);
  });

  it('is never the current one', async () => {
    const epoch = await epochOf(holder);
    await expect(holder.retire('acme', epoch)).rejects.toBeInstanceOf(UnknownEpochError);
  });
});
