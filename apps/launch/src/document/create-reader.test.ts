import type { CopySign, DocumentAdvice, DocumentFacts, DocumentProblem } from '@limen/documents';
import { describe, expect, test } from 'vitest';
import { createFrame, type Frame } from '../face/index.ts';
import { createDocumentReader } from './create-reader.ts';
import type { DocumentWish } from './kinds.ts';
import { type CodeFacts, type CodeReader, NOTHING_SEEN } from './read-code.ts';
import type { PortraitPlace } from './region.ts';

const FACTS: DocumentFacts = { type: 'identity_card', country: 'UTO', birth: { year: 1996, month: 2, day: 29 } };
const CORNERS = [
  { x: 1, y: 1 },
  { x: 9, y: 1 },
  { x: 9, y: 7 },
  { x: 1, y: 7 },
] as const;
const LINE = { x: 5, y: 6, width: 8, height: 1, angle: 0 };

interface Sight {
  /** Whether the code is read, or read sufficiently. */
  code?: 'seen' | 'enough';
  problem?: DocumentProblem;
  faulty?: boolean;
  /** Document of the text, if not the first. */
  pile?: number;
  face?: number;
  /** Whether no outline is found. */
  bare?: boolean;
  advice?: DocumentAdvice;
  signs?: CopySign[];
  /** Whether the zone is a passport's, for any chosen document type. */
  isWholePage?: boolean;
  takes?: number;
}

function start(wish: Partial<DocumentWish> = {}) {
  let now: Sight = {};
  let facts: CodeFacts | null = null;
  let seen = 0;
  let reads = 0;
  let clock = 0;
  const places: PortraitPlace[] = [];
  const vectors: Float32Array[] = [];
  const grays: Uint8Array[] = [];
  const counts = { corners: 0, signs: 0 };
  /** Runs in the middle of a look. */
  let pause: (() => void) | undefined;
  const code: CodeReader = {
    async read(_gray, { corners, mayGoOn }) {
      reads += 1;
      corners();
      clock += now.takes ?? 0;
      if (!now.code || !mayGoOn()) return NOTHING_SEEN;
      seen += 1;
      const pile = now.pile ?? 1;
      if (now.code === 'enough') facts = { ...FACTS, pile, isWholePage: now.isWholePage ?? false };
      return { wasRead: true, problem: now.problem ?? null, lines: [LINE], pile };
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
        toGray({ width, height }) {
          const data = new Uint8Array(width * height).fill(200);
          grays.push(data);
          return { width, height, data };
        },
        findCard() {
          counts.corners += 1;
          return now.bare ? null : CORNERS;
        },
        adviseOn: (_gray, _looking, corners) => (corners === undefined ? 'dark' : (now.advice ?? null)),
        findCopySigns() {
          counts.signs += 1;
          return now.signs ?? [];
        },
        ageOn: () => 30,
      },
      async findPortrait(_frame, place) {
        places.push(place);
        pause?.();
        if (now.face === undefined) return null;
        const vector = Float32Array.of(Math.cos(now.face), Math.sin(now.face));
        vectors.push(vector);
        return vector;
      },
      now: () => clock,
    },
  );
  const frame = (): Frame => createFrame(10, 8, new Uint8ClampedArray(320).fill(200));
  const look = (sight: Sight) => {
    now = sight;
    return reader.look(frame());
  };
  return {
    reader,
    places,
    look,
    vectors,
    grays,
    counts,
    reads: () => reads,
    pauseAt(meanwhile: () => void) {
      pause = meanwhile;
    },
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

/** Angle of the embedding: a right angle apart means two people. */
const FACE = { face: 0 };
const OTHER_FACE = { face: Math.PI / 2 };
const OTHER_EMBEDDING = Float32Array.of(Math.cos(Math.PI / 2), 1);
const found = { type: 'identity_card', country: 'UTO', age: 30, signs: [], embedding: Float32Array.of(1, 0) };

describe('a card with a portrait', () => {
  test('has its portrait captured first, then its zone on the other side', async () => {
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

  test('is not turned over if the zone is next to the portrait', async () => {
    const { look, lookAll } = start();
    const both: Sight = { ...FACE, code: 'seen' };
    expect(await lookAll(both, both, both, { code: 'seen' })).toMatchObject({ side: 'portrait', outcome: null });
    expect((await look({ code: 'enough' })).outcome).toEqual(found);
  });

  test('is turned over if that was a single mistake', async () => {
    const { lookAll } = start();
    expect(await lookAll({ ...FACE, code: 'seen' }, FACE, FACE)).toMatchObject({ side: 'zone' });
  });

  test('may be shown in the wrong order', async () => {
    const { look, lookAll } = start();
    expect(await look({ code: 'enough' })).toMatchObject({ side: 'portrait', outcome: null, lacking: 'no_face' });
    expect((await lookAll({}, {}, FACE, FACE, FACE)).outcome).toEqual(found);
  });

  test('has no portrait outside of its outline or lines', async () => {
    const { look, places } = start();
    expect(await look({ ...FACE, bare: true })).toMatchObject({ side: 'portrait', progress: 0 });
    expect(places).toEqual([]);
  });
});

describe('other documents', () => {
  test('expects everything above the lines of a passport', async () => {
    const { look, places } = start({ kind: 'passport' });
    expect(await look({ ...FACE })).toMatchObject({ side: 'data', progress: 0, lacking: 'unreadable' });
    expect(places).toEqual([]);
    expect(await look({ ...FACE, code: 'seen' })).toMatchObject({ side: 'data', lacking: 'unreadable' });
    expect(await look({ code: 'enough' })).toMatchObject({ side: 'data', lacking: 'no_face', outcome: null });
    await look({ ...FACE, code: 'seen' });
    expect((await look({ ...FACE, code: 'seen' })).outcome).toEqual(found);
  });

  test('expects the barcode of a license on the other side', async () => {
    const { look, lookAll } = start({ kind: 'licence' });
    expect(await lookAll(FACE, FACE, FACE)).toMatchObject({ side: 'barcode' });
    expect((await look({ code: 'enough' })).outcome).toEqual(found);
  });

  test.each(['passport', 'card', 'licence'] as const)(
    'looks for no portrait if no face is compared: %s',
    async (kind) => {
      const { look, places } = start({ kind, wantsPortrait: false });
      const sides = { passport: 'data', card: 'zone', licence: 'barcode' };
      expect(await look(FACE)).toMatchObject({ side: sides[kind] });
      expect((await look({ ...FACE, code: 'enough' })).outcome).toEqual({ ...found, embedding: null });
      expect(places).toEqual([]);
    },
  );
});

test.each<DocumentProblem>(['expired', 'no_birth_date', 'check_digit'])(
  'ends at once with a problem: %s',
  async (problem) => {
    const { look } = start({ kind: 'passport' });
    expect(await look({ ...FACE, code: 'seen', problem })).toMatchObject({ advice: null, outcome: { problem } });
  },
);

test('reports check digits as lacking while the text contradicts itself', async () => {
  const { look } = start({ kind: 'passport' });
  expect(await look({ code: 'seen', faulty: true })).toMatchObject({ lacking: 'check_digit' });
  expect(await look({ code: 'seen' })).toMatchObject({ lacking: 'unreadable' });
});

test('reports a copy if most of the counted frames agree', async () => {
  const once = start({ wantsPortrait: false });
  await once.lookAll({ code: 'seen', signs: ['screen'] }, { code: 'seen' }, { signs: ['screen'], code: 'seen' });
  expect((await once.look({ code: 'enough' })).outcome).toMatchObject({ signs: [] });
  const often = start({ wantsPortrait: false });
  await often.lookAll({ code: 'seen', signs: ['photocopy'] }, { signs: ['screen'] });
  expect((await often.look({ code: 'enough', signs: ['photocopy'] })).outcome).toMatchObject({ signs: ['photocopy'] });
});

describe('matching the portrait to the document', () => {
  const mine: Sight = { ...FACE, code: 'seen' };
  const theirs: Sight = { ...OTHER_FACE, code: 'seen', pile: 2, signs: ['screen'] };

  test('takes the portrait of the page whose text was read', async () => {
    const { lookAll, look } = start({ kind: 'passport' });
    await lookAll(mine, mine, mine, mine);
    expect((await look({ ...theirs, code: 'enough' })).outcome).toBeNull();
    expect((await look(OTHER_FACE)).outcome).toBeNull();
    const { outcome } = await lookAll(theirs, theirs);
    expect(outcome).toMatchObject({ embedding: OTHER_EMBEDDING, signs: ['screen'] });
  });

  test('drops the portrait of another page once the first is back', async () => {
    const { lookAll } = start({ kind: 'passport' });
    const { outcome } = await lookAll(mine, theirs, theirs, theirs, { ...mine, code: 'enough' }, mine);
    expect(outcome).toEqual({ ...found, signs: [] });
  });

  test('takes it from the same page of a one-sided card, and of a passport chosen as a card', async () => {
    const card = start();
    await card.lookAll(mine, mine, mine, theirs);
    expect((await card.look({ ...theirs, code: 'enough' })).outcome).toBeNull();
    const passport = start();
    expect(await passport.lookAll(FACE, FACE, FACE)).toMatchObject({ side: 'zone' });
    const page: Sight = { ...theirs, code: 'enough', isWholePage: true };
    expect(await passport.look(page)).toMatchObject({ side: 'portrait', outcome: null, lacking: 'no_face' });
    expect((await passport.lookAll(page, page)).outcome).toMatchObject({ embedding: OTHER_EMBEDDING });
  });

  test('requires the same face in all frames of a portrait side', async () => {
    const { lookAll, look } = start({ kind: 'licence' });
    expect(await lookAll(FACE, FACE, OTHER_FACE)).toMatchObject({ side: 'portrait', progress: 1 / 3 });
    expect(await lookAll(OTHER_FACE, OTHER_FACE)).toMatchObject({ side: 'barcode' });
    expect((await look({ code: 'enough' })).outcome).toMatchObject({ embedding: OTHER_EMBEDDING });
  });

  test('detects a copy on either side', async () => {
    const { lookAll, look } = start({ kind: 'licence' });
    const shown: Sight = { ...FACE, signs: ['screen'] };
    await lookAll(shown, shown, shown);
    expect((await look({ code: 'enough', signs: ['photocopy'] })).outcome).toMatchObject({
      signs: ['photocopy', 'screen'],
    });
  });
});

describe('the cost of a frame', () => {
  test('finds the outline once per frame', async () => {
    const { look, counts } = start();
    expect(await look({ advice: 'blur' })).toMatchObject({ advice: 'blur' });
    expect(counts.corners).toBe(1);
  });

  test('looks for no barcode on the portrait side, and for nothing known', async () => {
    const license = start({ kind: 'licence' });
    await license.lookAll({ code: 'enough' }, FACE, FACE, FACE);
    expect(license.reads()).toBe(0);
    const card = start();
    await card.lookAll({ code: 'enough' }, {}, FACE, FACE);
    expect(card.reads()).toBe(2);
  });

  test('looks for signs in every frame until there are enough, and then occasionally', async () => {
    const { lookAll, counts } = start({ kind: 'passport', wantsPortrait: false });
    const real: Sight = { code: 'seen' };
    await lookAll(real, real, real, real, real, real, real);
    expect(counts.signs).toBe(7);
    await lookAll(real, real, real, real, real, real);
    expect(counts.signs).toBe(9);
  });

  test('counts the latest signs', async () => {
    const { lookAll, look } = start({ kind: 'passport', wantsPortrait: false });
    await lookAll({ code: 'seen' }, ...Array<Sight>(6).fill({ code: 'seen' }));
    await lookAll({ code: 'seen' }, ...Array<Sight>(11).fill({ code: 'seen', signs: ['screen'] }));
    expect((await look({ code: 'enough' })).outcome).toMatchObject({ signs: ['screen'] });
  });
});

test('overwrites gray pictures, whatever happens', async () => {
  const { look, grays, pauseAt } = start();
  pauseAt(() => {
    throw new Error('The models are gone.');
  });
  await expect(look(FACE)).rejects.toThrow('The models are gone.');
  expect(grays.map((data) => Math.max(...data))).toEqual([0]);
});

test('reports nothing of a document that is forgotten during a look, and overwrites its face', async () => {
  for (const method of ['look', 'readFile'] as const) {
    const started = start({ kind: 'passport' });
    await started.look({ code: 'enough' });
    started.pauseAt(started.reader.forget);
    expect(await started[method]({ ...FACE, code: 'seen' })).toMatchObject({ progress: 0, outcome: null });
    expect(started.vectors).toEqual([Float32Array.of(0, 0)]);
    // Only the look before; no further attempts follow.
    expect(started.places).toHaveLength(2);
  }
});

test('keeps the common direction of several faces, and forgets it with the rest', async () => {
  const { look, lookAll, reader } = start({ kind: 'licence' });
  await lookAll({ face: 0.5 }, { face: -0.5 }, FACE);
  const { outcome } = await look({ code: 'enough' });
  expect(outcome).toMatchObject({ embedding: Float32Array.of(1, 0) });
  reader.forget();
  expect(await look({})).toMatchObject({ side: 'portrait', progress: 0, outcome: null });
});

describe('a file', () => {
  test('is complete if both are on it', async () => {
    const { readFile } = start({ kind: 'passport' });
    expect((await readFile({ ...FACE, code: 'enough' })).outcome).toEqual(found);
  });

  test('has one side of a card, and the other is requested', async () => {
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
  ])('that shows %o ends with the problem %s', async (sight, problem) => {
    const { readFile } = start({ kind: 'passport' });
    expect((await readFile(sight)).outcome).toEqual({ problem });
  });

  test('can be combined with the camera, in either order', async () => {
    const first = start({ kind: 'licence' });
    expect(await first.readFile(FACE)).toMatchObject({ side: 'barcode' });
    expect((await first.look({ code: 'enough' })).outcome).toMatchObject({ embedding: Float32Array.of(1, 0) });
    const second = start({ kind: 'licence' });
    expect(await second.lookAll(FACE, FACE, FACE)).toMatchObject({ side: 'barcode' });
    expect((await second.readFile({ code: 'enough' })).outcome).toMatchObject({ embedding: Float32Array.of(1, 0) });
  });

  test('is given up when it takes too long', async () => {
    const { readFile, reads } = start({ kind: 'passport' });
    expect((await readFile({ code: 'seen', takes: 8_000 })).outcome).toEqual({ problem: 'unreadable' });
    expect(reads()).toBe(2);
  });

  test('of a license is scaled down for the search', async () => {
    const { reader, grays } = start({ kind: 'licence', wantsPortrait: false });
    const data = new Uint8ClampedArray(3600 * 20 * 4);
    expect((await reader.readFile(createFrame(3600, 20, data))).outcome).toEqual({ problem: 'unreadable' });
    expect(grays.map(({ length }) => length)).toEqual([1800 * 10, 1800 * 10]);
  });

  test('without a portrait is accepted if none is wanted', async () => {
    const { readFile } = start();
    expect((await readFile({})).outcome).toEqual({ problem: 'no_face' });
  });
});
