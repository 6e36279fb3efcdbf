import type { CopySign, DocumentAdvice, DocumentFacts, DocumentProblem } from '@limen/documents';
import { describe, expect, test } from 'vitest';
import { createFrame, type Frame } from '../face/index.ts';
import { createDocumentReader } from './create-reader.ts';
import type { DocumentWish } from './kinds.ts';
import type { CodeReader } from './read-code.ts';

const FACTS: DocumentFacts = { type: 'identity_card', country: 'UTO', birth: { year: 1996, month: 2, day: 29 } };
const CORNERS = [
  { x: 1, y: 1 },
  { x: 9, y: 1 },
  { x: 9, y: 7 },
  { x: 1, y: 7 },
] as const;
const LINE = { x: 5, y: 6, width: 8, height: 1, angle: 0 };

/** What a frame shows. */
interface Sight {
  /** Read this time, and enough with it. */
  code?: 'seen' | 'enough';
  problem?: DocumentProblem;
  faulty?: boolean;
  face?: number;
  /** No outline is to be found. */
  bare?: boolean;
  advice?: DocumentAdvice;
  signs?: CopySign[];
}

function start(wish: Partial<DocumentWish> = {}) {
  let now: Sight = {};
  let facts: DocumentFacts | null = null;
  let seen = 0;
  const regions: number[] = [];
  const code: CodeReader = {
    async read() {
      if (now.code) seen += 1;
      if (now.code === 'enough') facts = FACTS;
      return { wasRead: now.code !== undefined, problem: now.problem ?? null, lines: now.code ? [LINE] : [] };
    },
    facts: () => facts,
    progress: () => (facts ? 1 : Math.min(seen / 4, 0.9)),
    isFaulty: () => now.faulty ?? false,
    forget() {
      facts = null;
      seen = 0;
    },
  };
  const reader = createDocumentReader(
    { kind: 'card', wantsPortrait: true, today: '2026-03-01', ...wish },
    {
      code,
      tools: {
        toGray: ({ width, height }) => ({ width, height, data: new Uint8Array(width * height) }),
        findCard: () => (now.bare ? null : [...CORNERS]),
        adviseOn: () => now.advice ?? null,
        findCopySigns: () => now.signs ?? [],
        ageOn: () => 30,
      },
      async findPortrait(_frame, region) {
        regions.push(region.length);
        return now.face === undefined ? null : Float32Array.of(now.face, 0);
      },
    },
  );
  const frame = (): Frame => createFrame(10, 8, new Uint8ClampedArray(320).fill(200));
  const look = (sight: Sight) => {
    now = sight;
    return reader.look(frame());
  };
  return {
    ...{ reader, regions, look },
    readFile(sight: Sight) {
      now = sight;
      return reader.readFile(frame());
    },
    async lookAll(first: Sight, ...more: Sight[]) {
      let last = await look(first);
      for (const sight of more) last = await look(sight);
      return last;
    },
  };
}

const FACE = { face: 1 };
const found = { type: 'identity_card', country: 'UTO', age: 30, signs: [], embedding: Float32Array.of(1, 0) };

describe('a card with a portrait', () => {
  test('has its portrait looked for first, then its zone on the other side', async () => {
    const { look, lookAll } = start();
    expect(await look({ advice: 'closer' })).toMatchObject({ side: 'portrait', advice: 'closer', lacking: 'no_face' });
    expect(await look(FACE)).toMatchObject({ side: 'portrait', advice: null, progress: 1 / 3 });
    expect(await lookAll(FACE, FACE)).toMatchObject({
      side: 'zone',
      progress: 0,
      lacking: 'unreadable',
      outcome: null,
    });
    expect(await look({ code: 'seen' })).toMatchObject({ side: 'zone', progress: 0.25 });
    expect((await look({ code: 'enough' })).outcome).toEqual(found);
  });

  test('is not turned over where the zone is beside the portrait', async () => {
    const { look, lookAll } = start();
    const both: Sight = { ...FACE, code: 'seen' };
    expect(await lookAll(both, both, both, { code: 'seen' })).toMatchObject({ side: 'portrait', outcome: null });
    expect((await look({ code: 'enough' })).outcome).toEqual(found);
  });

  test('is turned over all the same when that was one mistake', async () => {
    const { lookAll } = start();
    expect(await lookAll({ ...FACE, code: 'seen' }, FACE, FACE)).toMatchObject({ side: 'zone' });
  });

  test('may be shown the wrong way round', async () => {
    const { look, lookAll } = start();
    expect(await look({ code: 'enough' })).toMatchObject({ side: 'portrait', outcome: null, lacking: 'no_face' });
    expect((await lookAll({}, {}, FACE, FACE, FACE)).outcome).toEqual(found);
  });

  test('has no portrait outside of it: without an outline or lines nobody is looked for', async () => {
    const { look, regions } = start();
    expect(await look({ ...FACE, bare: true })).toMatchObject({ side: 'portrait', progress: 0 });
    expect(regions).toEqual([]);
  });
});

describe('other documents', () => {
  test('a passport has everything on one page, above its lines', async () => {
    const { look, regions } = start({ kind: 'passport' });
    expect(await look({ ...FACE })).toMatchObject({ side: 'data', progress: 0, lacking: 'unreadable' });
    expect(regions).toEqual([]);
    expect(await look({ ...FACE, code: 'seen' })).toMatchObject({ side: 'data', lacking: 'unreadable' });
    expect(await look({ code: 'enough' })).toMatchObject({ side: 'data', lacking: 'no_face', outcome: null });
    await look({ ...FACE, code: 'seen' });
    expect((await look({ ...FACE, code: 'seen' })).outcome).toEqual(found);
  });

  test('a licence has its barcode on the other side', async () => {
    const { look, lookAll } = start({ kind: 'licence' });
    expect(await lookAll(FACE, FACE, FACE)).toMatchObject({ side: 'barcode' });
    expect((await look({ code: 'enough' })).outcome).toEqual(found);
  });

  test.each(['passport', 'card', 'licence'] as const)(
    'nobody is looked for where no face is compared: %s',
    async (kind) => {
      const { look, regions } = start({ kind, wantsPortrait: false });
      const sides = { passport: 'data', card: 'zone', licence: 'barcode' };
      expect(await look(FACE)).toMatchObject({ side: sides[kind] });
      expect((await look({ ...FACE, code: 'enough' })).outcome).toEqual({ ...found, embedding: null });
      expect(regions).toEqual([]);
    },
  );
});

test.each<DocumentProblem>(['expired', 'no_birth_date', 'check_digit'])(
  'a problem ends it at once: %s',
  async (problem) => {
    const { look } = start({ kind: 'passport' });
    expect(await look({ ...FACE, code: 'seen', problem })).toMatchObject({ advice: null, outcome: { problem } });
  },
);

test('what contradicts itself is lacking its check digits, until it does not', async () => {
  const { look } = start({ kind: 'passport' });
  expect(await look({ code: 'seen', faulty: true })).toMatchObject({ lacking: 'check_digit' });
  expect(await look({ code: 'seen' })).toMatchObject({ lacking: 'unreadable' });
});

test('a copy is told where most of the frames that count say so', async () => {
  const once = start({ wantsPortrait: false });
  await once.lookAll({ code: 'seen', signs: ['screen'] }, { code: 'seen' }, { signs: ['screen'], code: 'seen' });
  expect((await once.look({ code: 'enough' })).outcome).toMatchObject({ signs: [] });
  const often = start({ wantsPortrait: false });
  await often.lookAll({ code: 'seen', signs: ['photocopy'] }, { signs: ['screen'] });
  expect((await often.look({ code: 'enough', signs: ['photocopy'] })).outcome).toMatchObject({ signs: ['photocopy'] });
});

test('of several faces the common direction is kept, and forgotten with the rest', async () => {
  const { look, lookAll, reader } = start({ kind: 'licence' });
  await lookAll(FACE, { face: -1 }, FACE);
  const { outcome } = await look({ code: 'enough' });
  expect(outcome).toMatchObject({ embedding: Float32Array.of(1, 0) });
  reader.forget();
  expect(await look({})).toMatchObject({ side: 'portrait', progress: 0, outcome: null });
});

describe('a file', () => {
  test('is whole where both are on it', async () => {
    const { readFile } = start({ kind: 'passport' });
    expect((await readFile({ ...FACE, code: 'enough' })).outcome).toEqual(found);
  });

  test('has one side of a card: the other is asked for', async () => {
    const { readFile } = start();
    expect(await readFile({ ...FACE, bare: true })).toMatchObject({ side: 'zone', outcome: null });
    expect((await readFile({ code: 'enough' })).outcome).toEqual(found);
  });

  test.each<[Sight, DocumentProblem]>([
    [{}, 'unreadable'],
    [{ code: 'seen' }, 'unreadable'],
    [{ code: 'seen', faulty: true }, 'check_digit'],
    [{ code: 'enough' }, 'no_face'],
    [{ code: 'seen', problem: 'expired' }, 'expired'],
  ])('that shows %o is a problem: %s', async (sight, problem) => {
    const { readFile } = start({ kind: 'passport' });
    expect((await readFile(sight)).outcome).toEqual({ problem });
  });

  test('without a portrait is one as well', async () => {
    const { readFile } = start();
    expect((await readFile({})).outcome).toEqual({ problem: 'no_face' });
  });
});
