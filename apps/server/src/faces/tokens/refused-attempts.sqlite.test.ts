// Attempts with face tokens that no honest device makes.
import { writeToken } from '@limen/token/shared';
import { describe, expect, it } from 'vitest';
import { openStoredTokens } from '#testing/database/stored-tokens.ts';
import type { LocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { type OpenTokens, rowsOf, useTokenPlace } from '#testing/faces/token-place.ts';
import { addPerson, prepareAttempt } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../../packages/token/testing/vectors.ts';

let keyHolder: LocalKeyHolder;
let open: OpenTokens;
useTokenPlace((given) => ({ keyHolder, open } = given));

describe('a dishonest attempt', () => {
  it.each([
    ['key', (probe: Uint8Array) => probe.fill(7, 8, 24)],
    ['model', (probe: Uint8Array) => probe.fill(7, 24, 40)],
    ['kind', (probe: Uint8Array) => probe.fill(2, 4, 5)],
    ['magic', (probe: Uint8Array) => probe.fill(0, 0, 1)],
    ['parameters', (probe: Uint8Array) => probe.fill(9, 5, 6)],
    ['range', (probe: Uint8Array) => probe.fill(0xff, 40, 80)],
    ['length', (probe: Uint8Array) => probe.subarray(1)],
  ])('is refused and logged with a wrong %s of the probe', async (reason, spoil) => {
    const process = await open();
    const attempt = await prepareAttempt(process, 'identify', randomVector());
    expect(await process.tokens.identify({ ...attempt, probe: spoil(attempt.probe) })).toEqual({ kind: 'malformed' });
    expect(process.logged()).toContain(`"reason":"${reason}"`);
  });

  it('is refused with a stored token in place of a probe', async () => {
    const process = await open();
    await addPerson(process, randomVector());
    const [stored] = await openStoredTokens(process.database, process.sealer);
    for (const purpose of ['enrol', 'identify'] as const) {
      const attempt = await prepareAttempt(process, purpose, randomVector());
      const { challenge: keyId, opened } = attempt;
      const probe = writeToken({ keyId, modelId: opened.modelId, body: stored!.body });
      const { tokens } = process;
      const outcome =
        purpose === 'enrol' ? tokens.enrol({ ...attempt, probe }) : tokens.identify({ ...attempt, probe });
      expect(await outcome).toEqual({ kind: 'malformed' });
    }
    const reasons = [...process.logged().matchAll(/"reason":"(\w+)"/g)].map(([, reason]) => reason);
    expect(reasons).toEqual(['shape', 'shape']);
    expect((await rowsOf(process)).people).toHaveLength(1);
  });

  it('is refused by the key-holder with a used or expired challenge', async () => {
    const process = await open();
    const attempt = await prepareAttempt(process, 'identify', randomVector());
    await process.tokens.identify(attempt);
    await expect(process.tokens.identify(attempt)).rejects.toMatchObject({ name: 'ChallengeRefusedError' });
    const late = await prepareAttempt(process, 'identify', randomVector());
    keyHolder.clock.advance(61_000);
    await expect(process.tokens.identify(late)).rejects.toMatchObject({ name: 'ChallengeRefusedError' });
  });
});
