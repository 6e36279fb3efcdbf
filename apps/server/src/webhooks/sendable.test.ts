import { describe, expect, it } from 'vitest';
import { MAX_KEPT_TRIES } from './limits.ts';
import { addTry, type DeliveryTryRow, readTries } from './sendable.ts';

/** Plain text, but bound to the place that it was sealed for. */
const sealer = {
  sealJson: (value: unknown, place: string) => Buffer.from(JSON.stringify([place, value])),
  openJson(sealed: Uint8Array, place: string): unknown {
    const [of, value] = JSON.parse(Buffer.from(sealed).toString());
    if (of !== place) throw new Error('of another row');
    return value;
  },
};
const bound = { id: 'one', customer: 'bank', world: 'live', api_key_id: 'key', session_id: 'session' };
const untried = { ...bound, tries: null } as DeliveryTryRow;

describe('the attempts of a delivery', () => {
  it('are empty before the first attempt, and then listed in order', () => {
    expect(readTries(sealer, untried)).toEqual([]);
    const first = { ...untried, tries: addTry(sealer, untried, { at: 1, outcome: 'timeout' }) };
    const second = { ...first, tries: addTry(sealer, first, { at: 2, outcome: 204 }) };
    expect(readTries(sealer, second)).toEqual([
      { at: 1, outcome: 'timeout' },
      { at: 2, outcome: 204 },
    ]);
  });

  it('are bounded, however often it is resent', () => {
    let row = untried;
    for (let at = 1; at <= MAX_KEPT_TRIES + 3; at += 1)
      row = { ...row, tries: addTry(sealer, row, { at, outcome: 500 }) };
    const kept = readTries(sealer, row).map(({ at }) => at);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([MAX_KEPT_TRIES, 4, MAX_KEPT_TRIES + 3]);
  });

  it('of another row are empty', () => {
    const row = { ...untried, tries: addTry(sealer, untried, { at: 1, outcome: 500 }) };
    expect(readTries(sealer, { ...row, id: 'another' })).toEqual([]);
  });
});
