import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyZoneText } from '../../testing/arbitrary-zones.ts';
import { formatZone, type ZoneText } from '../../testing/format-zone.ts';
import { createNoisyReadings, createRandom, type Noise } from '../../testing/noisy-readings.ts';
import { LAYOUTS } from '../mrz/formats.ts';
import { ZONE_CHARACTERS } from '../mrz/grammar.ts';
import { parseZone } from '../mrz/parse-zone.ts';
import type { ZoneReading } from './read-group.ts';
import { createZoneVote, type ZoneOutcome } from './vote.ts';

const TODAY = '2026-11-15';
const KINDS = ZONE_CHARACTERS.length;
const passport: ZoneText = {
  format: 'TD3',
  code: 'P',
  issuer: 'SWE',
  surname: 'Eriksson',
  givenNames: 'Anna Maria',
  number: 'L898902C3',
  nationality: 'SWE',
  birth: '740812',
  sex: 'F',
  expiry: '320415',
  optional: 'ZE184226B',
};
const lines = formatZone(passport);
const birthAt = LAYOUTS.TD3.spans.birth[0];

/** Probability of these characters by position; the rest goes to the true one. */
type Doubts = Record<number, Record<string, number>>;

function createReading(zone: readonly string[], doubts: Doubts = {}, unlikely = 0.0001): ZoneReading {
  const width = zone[0]!.length;
  return {
    lines: zone.map((line, row) => {
      const scores = new Float32Array(width * KINDS).fill(unlikely);
      for (let at = 0; at < width; at += 1) {
        const doubt = Object.entries(doubts[row * width + at] ?? {});
        const rest = doubt.reduce((left, [, share]) => left - share, 0.99);
        scores[at * KINDS + ZONE_CHARACTERS.indexOf(line[at]!)] = Math.max(rest, unlikely);
        for (const [character, share] of doubt) scores[at * KINDS + ZONE_CHARACTERS.indexOf(character)] = share;
      }
      return { text: line, scores };
    }),
  };
}

function vote(...readings: ZoneReading[]): ZoneOutcome {
  const box = createZoneVote(TODAY);
  for (const reading of readings) box.add(reading);
  return box.result();
}

const times = (count: number, reading: ZoneReading) => new Array<ZoneReading>(count).fill(reading);
const alter = (text: readonly string[], at: number, character: string) =>
  text.map((line, row) => {
    const column = at - row * line.length;
    return column >= 0 && column < line.length ? line.slice(0, column) + character + line.slice(column + 1) : line;
  });

/** Pairs of other digits in the date of birth that satisfy all check digits. */
function findRivals(): Doubts[] {
  const rivals: Doubts[] = [];
  for (const one of '0123456789') {
    for (const two of '0123456789') {
      const altered = alter(alter(lines, birthAt + 1, one), birthAt + 5, two);
      if (one === '4' || two === '2' || 'refused' in parseZone(altered, TODAY)) continue;
      rivals.push({ [birthAt + 1]: { [one]: 0.15 }, [birthAt + 5]: { [two]: 0.15 } });
    }
  }
  return rivals;
}

describe('the number of frames', () => {
  it('is two if they agree', () => {
    expect(vote(createReading(lines))).toEqual({ state: 'undecided' });
    expect(vote(...times(2, createReading(lines)))).toEqual({ state: 'read', zone: parseZone(lines, TODAY), pile: 1 });
  });

  it('is zero before the first and after a reset', () => {
    const box = createZoneVote(TODAY);
    expect(box.result()).toEqual({ state: 'undecided' });
    box.add(createReading(lines));
    box.clear();
    box.add(createReading(lines));
    expect(box.result()).toEqual({ state: 'undecided' });
  });

  it.each([
    ['the issuer', 3, 'Q'],
    ['the sex', 64, 'M'],
    ['a name', 6, 'Q'],
  ])('is three if one of them differs in %s', (_, at, character) => {
    const differing = createReading(lines, { [at]: { [character]: 0.6 } });
    expect(vote(createReading(lines), differing).state).toBe('undecided');
    expect(vote(createReading(lines), differing, createReading(lines)).state).toBe('read');
  });

  it('does not suffice for an uncertain date', () => {
    const unsure = createReading(lines, { [birthAt + 1]: { 9: 0.45 } });
    expect(vote(...times(5, unsure)).state).toBe('undecided');
  });

  it('does not suffice for a date with a plausible rival', () => {
    const rivals = findRivals();
    const harmless = { [birthAt]: { 8: 0.15 }, [birthAt + 1]: { 9: 0.15 } };
    expect(vote(...times(2, createReading(lines, harmless))).state).toBe('read');
    expect(rivals.length).toBeGreaterThan(0);
    for (const doubts of rivals) expect(vote(...times(2, createReading(lines, doubts))).state).toBe('undecided');
  });

  it('does not suffice for a date with a rival that left a trace in all frames', () => {
    const faint = 1e-9;
    const traced = (doubts: Doubts) => vote(...times(3, createReading(lines, doubts, faint))).state;
    const only = (doubts: Doubts, share: number): Doubts =>
      Object.fromEntries(Object.entries(doubts).map(([at, of]) => [at, { [Object.keys(of)[0]!]: share }]));
    expect(traced({})).toBe('read');
    for (const doubts of findRivals()) {
      expect(traced(only(doubts, 1e-6))).toBe('undecided');
      // No more likely than any other character: noise or nothing.
      expect(traced(only(doubts, faint))).toBe('read');
    }
  });

  it('does not repair a date’s digit if a character of the date may be wrong', () => {
    const solutions = (zone: readonly string[]) =>
      [...'0123456789'].filter((digit) => !('refused' in parseZone(alter(zone, birthAt + 6, digit), TODAY)));
    let seen = 0;
    for (const [place, digits] of [0, 1, 3, 5].flatMap((at) =>
      [...'0123456789'].map((digit) => [at, digit] as const),
    )) {
      const wrong = alter(lines, birthAt + place, digits);
      const [digit] = solutions(wrong);
      if (lines.join('') === wrong.join('') || digit === undefined) continue;
      seen += 1;
      const believed = createReading(wrong, { [birthAt + 6]: { [digit]: 0.45 } }, 1e-9);
      expect(vote(...times(3, believed)).state).not.toBe('read');
    }
    expect(seen).toBeGreaterThan(0);
  });

  it('does not invent an unreadable digit to fit a misread one', () => {
    const places = [0, 1, 2, 3, 4, 5].map((place) => birthAt + place);
    const truth = lines.join('');
    for (const misread of places) {
      for (const unread of places.filter((place) => place !== misread)) {
        for (const digit of [...'0123456789'].filter((character) => character !== truth[misread])) {
          const traces = { [misread]: { [truth[misread]!]: 1e-6 }, [unread]: { [truth[unread]!]: 1e-5 } };
          const zone = alter(alter(lines, misread, digit), unread, 'A');
          const outcome = vote(...times(3, createReading(zone, traces, 1e-9)));
          if (outcome.state === 'read') expect(outcome.zone.birth).toEqual({ year: 1974, month: 8, day: 12 });
        }
      }
    }
  });

  it('must give more certainty for a visa’s date, which has no composite digit', () => {
    const visa = formatZone({ ...passport, format: 'MRV-A', code: 'V' });
    const doubts = { [birthAt + 1]: { 9: 0.15 } };
    expect(vote(...times(2, createReading(lines, doubts))).state).toBe('read');
    expect(vote(...times(2, createReading(visa, doubts))).state).toBe('undecided');
  });

  it('ignores readings without a zone', () => {
    const noise = createReading(lines);
    for (const line of noise.lines) line.scores.fill(1 / KINDS);
    const broken = { lines: [{ text: lines[0]!, scores: new Float32Array(3) }, createReading(lines).lines[1]!] };
    const nothing = createReading(lines);
    for (const line of nothing.lines) line.scores.fill(Number.NaN);
    const box = createZoneVote(TODAY);
    for (const reading of [{ lines: [] }, noise, broken, nothing, { lines: [createReading(lines).lines[0]!] }])
      box.add(reading);
    box.add(createReading(lines));
    expect(box.result().state).toBe('undecided');
    box.add(createReading(lines));
    expect(box.result().state).toBe('read');
  });
});

it('ignores empty frames next to good ones', () => {
  const visa = createReading(formatZone({ ...passport, format: 'MRV-A', code: 'V' }));
  const noise = createReading(lines);
  for (const line of noise.lines) line.scores.fill(1 / KINDS);
  expect(vote(...times(10, noise), ...times(2, visa)).state).toBe('read');
});

describe('the grammar', () => {
  it('reads a letter in a date as the next likely digit', () => {
    const letters = createReading(lines, { [birthAt + 3]: { B: 0.9 }, [birthAt + 1]: { A: 0.9 } });
    expect(vote(...times(2, letters))).toEqual({ state: 'read', zone: parseZone(lines, TODAY), pile: 1 });
  });

  it('reads a digit in a name as the next likely letter', () => {
    expect(vote(...times(2, createReading(lines, { 11: { 0: 0.9 } })))).toEqual({
      state: 'read',
      zone: parseZone(lines, TODAY),
      pile: 1,
    });
  });

  it('treats text after three fillers of a name as dirt, and after two as an initial', () => {
    const dirty = alter(lines, 40, 'K');
    expect(vote(...times(2, createReading(dirty)))).toEqual({ state: 'read', zone: parseZone(lines, TODAY), pile: 1 });
    const initial = formatZone({ ...passport, givenNames: 'Anna  K' });
    expect(vote(...times(2, createReading(initial)))).toMatchObject({ zone: { fields: { givenNames: 'ANNA  K' } } });
  });
});

describe('another document', () => {
  const otherZone = formatZone({
    ...passport,
    givenNames: 'Berta',
    number: 'X12345678',
    birth: '810304',
    optional: '',
  });

  it('is never mixed with the previous one', () => {
    expect(vote(createReading(lines), createReading(otherZone)).state).toBe('undecided');
    expect(vote(...times(3, createReading(lines)), ...times(2, createReading(otherZone)))).toEqual({
      state: 'read',
      zone: parseZone(otherZone, TODAY),
      pile: 2,
    });
    const card = formatZone({ ...passport, format: 'TD1', code: 'ID', optional: '' });
    expect(vote(createReading(lines), createReading(card)).state).toBe('undecided');
    expect(vote(createReading(lines), ...times(2, createReading(card)))).toMatchObject({ zone: { format: 'TD1' } });
  });

  it('has its own number, which distinguishes the frames of documents', () => {
    const box = createZoneVote(TODAY);
    const third = formatZone({ ...passport, givenNames: 'Carl', number: 'Y00000001', birth: '650101', optional: 'Q' });
    expect([lines, otherZone, lines, third].map((zone) => box.add(createReading(zone)))).toEqual([1, 2, 1, 3]);
    expect(box.add({ lines: [] })).toBeNull();
    box.add(createReading(lines));
    expect(box.result()).toMatchObject({ state: 'read', pile: 1 });
    box.clear();
    expect(box.add(createReading(lines))).toBe(4);
  });

  it('costs only its frame if it appears once', () => {
    expect(vote(createReading(lines), createReading(otherZone), createReading(lines)).state).toBe('read');
  });
});

describe('repair', () => {
  it('repairs a character of the number that was likely another', () => {
    const unsure = createReading(alter(lines, 45, '3'), { 45: { 8: 0.4 } });
    expect(vote(...times(2, unsure))).toEqual({ state: 'read', zone: parseZone(lines, TODAY), pile: 1 });
  });

  it('repairs nothing unlikely', () => {
    expect(vote(...times(3, createReading(alter(lines, 45, '3')))).state).toBe('undecided');
  });

  it('repairs nothing if two characters would fix it', () => {
    const wrong = alter(lines, 45, '3');
    const rivals = [...ZONE_CHARACTERS].filter(
      (character) => !('refused' in parseZone(alter(wrong, 46, character), TODAY)),
    );
    expect(rivals.length).toBeGreaterThan(0);
    const unsure = createReading(wrong, { 45: { 8: 0.4 }, 46: { [rivals[0]!]: 0.4 } });
    expect(vote(...times(4, unsure)).state).toBe('undecided');
  });

  it('repairs a date of birth only if no other character of it or its check digit would fix it', () => {
    const seen = { alone: 0, rivalled: 0 };
    for (const birth of ['740812', '991130', '010203']) {
      const zone = formatZone({ ...passport, birth });
      for (let at = birthAt; at < birthAt + 6; at += 1) {
        const digit = zone[1]![at - 44]!;
        const wrong = alter(zone, at, String((Number(digit) + 3) % 10));
        const solutions = [0, 1, 2, 3, 4, 5, 6].flatMap((place) =>
          [...'0123456789<'].filter(
            (character) => !('refused' in parseZone(alter(wrong, birthAt + place, character), TODAY)),
          ),
        );
        const outcome = vote(...times(2, createReading(wrong, { [at]: { [digit]: 0.45 } })));
        if (solutions.length === 1) expect(outcome).toEqual({ state: 'read', zone: parseZone(zone, TODAY), pile: 1 });
        else expect(outcome.state).toBe('undecided');
        seen[solutions.length === 1 ? 'alone' : 'rivalled'] += 1;
      }
    }
    expect(seen.alone).toBeGreaterThan(0);
    expect(seen.rivalled).toBeGreaterThan(0);
  });

  it('repairs the number of a visa', () => {
    const visa = formatZone({ ...passport, format: 'MRV-A', code: 'V' });
    const unsure = createReading(alter(visa, 45, '3'), { 45: { 8: 0.4 } });
    expect(vote(...times(2, unsure))).toEqual({ state: 'read', zone: parseZone(visa, TODAY), pile: 1 });
  });

  it('repairs no date of a visa, which only its own digit confirms', () => {
    const visa = formatZone({ ...passport, format: 'MRV-A', code: 'V' });
    expect(vote(...times(2, createReading(visa))).state).toBe('read');
    const unsure = createReading(alter(visa, birthAt + 1, '5'), { [birthAt + 1]: { 4: 0.4 } });
    expect(vote(...times(4, unsure)).state).toBe('undecided');
  });

  it('rejects or correctly repairs every changed character in a checked field', () => {
    const shares = fc.double({ min: 0, max: 0.48, noNaN: true });
    const any = fc.tuple(anyZoneText(), fc.nat(89), fc.constantFrom(...ZONE_CHARACTERS), shares);
    fc.assert(
      fc.property(any, ([fields, place, character, share]) => {
        const zone = formatZone(fields);
        const text = zone.join('');
        const at = place % text.length;
        const layout = LAYOUTS[fields.format];
        const [from, to] = layout.spans.birth;
        const truth = parseZone(zone, TODAY);
        fc.pre(text[at] !== character && !('refused' in truth));
        const altered = alter(zone, at, character);
        const outcome = vote(...times(3, createReading(altered, { [at]: { [text[at]!]: share } })));
        if (outcome.state !== 'read' || 'refused' in truth) return;
        expect(outcome.zone.birth).toEqual(truth.birth);
        expect(outcome.zone.expiry).toEqual(truth.expiry);
        // In a date it has to be the exact zone; a letter of a number may be replaced by an
        // equivalent one.
        if (at >= from && at <= to) expect(outcome.zone).toEqual(truth);
      }),
      { numRuns: onlyWhenLong(5000, 25) },
    );
  });
});

describe('failed check digits', () => {
  const wrong = alter(lines, birthAt, '6');

  it('are reported only after several certain frames that agree', () => {
    expect(vote(...times(3, createReading(wrong))).state).toBe('undecided');
    expect(vote(...times(4, createReading(wrong))).state).toBe('inconsistent');
  });

  it('are not reported while a character is uncertain', () => {
    expect(vote(...times(6, createReading(wrong, { 50: { 9: 0.3 } }))).state).toBe('undecided');
  });

  it('are reported with impossible dates', () => {
    expect(vote(...times(4, createReading(formatZone({ ...passport, birth: '740230' })))).state).toBe('inconsistent');
  });

  it('are not reported for an unknown issuer', () => {
    expect(vote(...times(6, createReading(formatZone({ ...passport, issuer: 'QQQ' })))).state).toBe('undecided');
  });
});

describe('under noise', () => {
  const documents = onlyWhenLong(5000, 25);

  it.each<[string, Noise, number]>([
    ['a clear picture', { clarity: 9, spread: 1, lookalikes: 0, deceit: 0 }, 1],
    ['a typical picture', { clarity: 7, spread: 2, lookalikes: 0.03, deceit: 0.6 }, 0.95],
    ['a bad picture', { clarity: 5, spread: 2, lookalikes: 0.08, deceit: 0.8 }, 0.7],
    [
      'characters that are taken for others in every frame',
      { clarity: 8, spread: 1, lookalikes: 0.05, deceit: 1.3 },
      0.3,
    ],
    ['characters that are surely taken for others', { clarity: 8, spread: 0.5, lookalikes: 0.15, deceit: 2 }, 0],
  ])('never give a wrong date of birth, and read often enough: %s', (_, noise, minRate) => {
    let read = 0;
    let wrong = 0;
    for (const [seed, fields] of fc.sample(anyZoneText(), { numRuns: documents, seed: 7 }).entries()) {
      const zone = formatZone(fields);
      const truth = parseZone(zone, TODAY);
      const next = createNoisyReadings(zone, noise, createRandom(seed));
      const box = createZoneVote(TODAY);
      let outcome = box.result();
      for (let frame = 0; frame < 8 && outcome.state !== 'read'; frame += 1) {
        box.add(next());
        outcome = box.result();
      }
      if (outcome.state !== 'read' || 'refused' in truth) continue;
      read += 1;
      if (JSON.stringify(outcome.zone.birth) !== JSON.stringify(truth.birth)) wrong += 1;
    }
    expect(wrong).toBe(0);
    expect(read / documents).toBeGreaterThanOrEqual(minRate);
  });
});
