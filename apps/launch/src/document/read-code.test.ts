import type { Corners, DocumentFacts, DocumentProblem, GrayImage, ZoneOutcome } from '@limen/documents';
import { describe, expect, test } from 'vitest';
import { type CodeLook, createBarcodeReader, createZoneReader } from './read-code.ts';
import type { DocumentTools } from './tools.ts';

const GRAY: GrayImage = { width: 1, height: 1, data: new Uint8Array(1) };
const FACTS: DocumentFacts = { type: 'passport', country: 'UTO', birth: { year: 1990 } };
const READ = { state: 'read', zone: { format: 'TD3' }, pile: 1 } as ZoneOutcome;
const CORNERS: Corners = [0, 1, 2, 3].map((x) => ({ x, y: 0 })) as unknown as Corners;
const UNDECIDED: ZoneOutcome = { state: 'undecided' };
const INCONSISTENT: ZoneOutcome = { state: 'inconsistent' };

/** A live frame by default. */
const lookAt = (changes: Partial<CodeLook> = {}): CodeLook => ({
  isAlone: false,
  corners: () => null,
  signal: new AbortController().signal,
  mayGoOn: () => true,
  ...changes,
});
const LIVE = lookAt();
const ALONE = lookAt({ isAlone: true });

function startZone(outcomes: ZoneOutcome[], judged: DocumentFacts | DocumentProblem = FACTS, sees = true) {
  let pile = 1;
  let meanwhile: (() => void) | undefined;
  let added = 0;
  const tools = {
    createZoneVote: () => ({
      add() {
        added += 1;
        return pile;
      },
      clear() {
        added = 0;
      },
      result: () => outcomes.shift()!,
    }),
    async readZone() {
      meanwhile?.();
      return { reading: sees ? { lines: [] } : null, lines: [] };
    },
    judgeDocument: () => judged,
  } as Partial<DocumentTools> as DocumentTools;
  const reader = createZoneReader(tools, () => Promise.reject(new Error('not asked for')), '2026-03-01');
  return {
    reader,
    added: () => added,
    show(nextPile: number) {
      pile = nextPile;
    },
    during(then: () => void) {
      meanwhile = then;
    },
  };
}

describe('a zone', () => {
  test('is read when the vote is sure, and not judged again while unchanged', async () => {
    const { reader, added } = startZone([UNDECIDED, UNDECIDED, READ]);
    await reader.read(GRAY, LIVE);
    expect([reader.facts(), reader.progress()]).toEqual([null, 0.25]);
    await reader.read(GRAY, LIVE);
    const sight = { wasRead: true, problem: null, lines: [], pile: 1 };
    expect(await reader.read(GRAY, LIVE)).toEqual(sight);
    expect([reader.facts(), reader.progress()]).toEqual([{ ...FACTS, pile: 1, isWholePage: true }, 1]);
    expect(await reader.read(GRAY, LIVE)).toEqual(sight);
    expect(added()).toBe(4);
    reader.forget();
    expect([reader.facts(), reader.progress(), added()]).toEqual([null, 0, 0]);
  });

  test('of another document replaces the first once read', async () => {
    const other = { state: 'read', zone: { format: 'TD1' }, pile: 2 } as ZoneOutcome;
    const { reader, show } = startZone([READ, UNDECIDED, other]);
    await reader.read(GRAY, LIVE);
    show(2);
    expect(await reader.read(GRAY, LIVE)).toMatchObject({ pile: 2 });
    expect(reader.facts()).toMatchObject({ pile: 1 });
    await reader.read(GRAY, LIVE);
    expect(reader.facts()).toEqual({ ...FACTS, pile: 2, isWholePage: false });
  });

  test('adds no vote if it was forgotten during the read', async () => {
    const { reader, added, during } = startZone([]);
    const controller = new AbortController();
    during(() => controller.abort());
    const { signal } = controller;
    expect(await reader.read(GRAY, lookAt({ signal }))).toMatchObject({ wasRead: false });
    expect([added(), reader.progress()]).toEqual([0, 0]);
  });

  test('is a problem when it contradicts itself twice in a row', async () => {
    const { reader } = startZone([INCONSISTENT, UNDECIDED, INCONSISTENT, INCONSISTENT]);
    expect((await reader.read(GRAY, LIVE)).problem).toBeNull();
    expect(reader.isFaulty()).toBe(true);
    await reader.read(GRAY, LIVE);
    expect(reader.isFaulty()).toBe(false);
    await reader.read(GRAY, LIVE);
    expect((await reader.read(GRAY, LIVE)).problem).toBe('check_digit');
  });

  test.each(['expired', 'no_birth_date'] as const)(
    'is a problem if the document is unacceptable: %s',
    async (problem) => {
      const { reader } = startZone([READ], problem);
      expect((await reader.read(GRAY, LIVE)).problem).toBe(problem);
      expect(reader.facts()).toBeNull();
    },
  );

  test('is not found if there is none', async () => {
    const { reader, added } = startZone([], FACTS, false);
    expect(await reader.read(GRAY, LIVE)).toMatchObject({ wasRead: false, problem: null });
    expect([reader.progress(), added()]).toEqual([0, 0]);
  });
});

function startBarcode(texts: (string | null)[], judged: DocumentFacts | DocumentProblem = FACTS) {
  let looks = 0;
  const views: string[] = [];
  const tools = {
    *barcodeViews(_gray: GrayImage, corners: Corners | null, from: number) {
      for (let i = 0; i < 32; i += 1) {
        views.push(`${corners ? 'outline ' : ''}${(from + i) % 32}`);
        yield GRAY;
      }
    },
    parseLicense: (text: string) => (text === 'other' ? { refused: 'header', where: '' } : {}),
    judgeDocument: () => judged,
  } as unknown as DocumentTools;
  const read = async () => {
    looks += 1;
    return texts.shift() ?? null;
  };
  return { reader: createBarcodeReader(tools, read, '2026-03-01'), looks: () => looks, views };
}

describe('a barcode', () => {
  test('is read once', async () => {
    const { reader, looks } = startBarcode([null, 'licence']);
    expect(await reader.read(GRAY, LIVE)).toMatchObject({ wasRead: true, problem: null });
    expect([reader.facts(), reader.progress()]).toEqual([{ ...FACTS, pile: 0 }, 1]);
    await reader.read(GRAY, LIVE);
    expect(looks()).toBe(2);
    reader.forget();
    expect(reader.facts()).toBeNull();
  });

  test('is searched in a few views of a live frame, and in all views of a single picture', async () => {
    const { reader, looks } = startBarcode([]);
    expect(await reader.read(GRAY, LIVE)).toMatchObject({ wasRead: false, problem: null });
    expect(looks()).toBe(2);
    await reader.read(GRAY, ALONE);
    expect(looks()).toBe(22);
  });

  test('is searched in further views of the next frame, with the outline if there is one', async () => {
    const { reader, views } = startBarcode([]);
    await reader.read(GRAY, LIVE);
    await reader.read(GRAY, lookAt({ corners: () => CORNERS }));
    const tried = ['0', '1', 'outline 2', 'outline 3'];
    expect(views).toEqual(tried);
    reader.forget();
    await reader.read(GRAY, LIVE);
    expect(views[tried.length]).toBe('0');
  });

  test('is searched no longer than allowed', async () => {
    const { reader, looks } = startBarcode([]);
    await reader.read(GRAY, lookAt({ isAlone: true, mayGoOn: () => looks() < 5 }));
    expect(looks()).toBe(5);
  });

  test('is unknown if it was forgotten during the read', async () => {
    const { reader, looks } = startBarcode(['licence']);
    const controller = new AbortController();
    const corners = () => {
      controller.abort();
      return null;
    };
    const { signal } = controller;
    expect(await reader.read(GRAY, lookAt({ corners, signal }))).toMatchObject({ wasRead: false });
    expect([looks(), reader.facts()]).toEqual([1, null]);
  });

  test('is ignored if it is not a license’s', async () => {
    const { reader } = startBarcode(['other', 'licence']);
    await reader.read(GRAY, LIVE);
    expect(reader.facts()).toMatchObject(FACTS);
  });

  test('is a problem if the license is unacceptable', async () => {
    const { reader } = startBarcode(['licence'], 'expired');
    expect(await reader.read(GRAY, LIVE)).toMatchObject({ problem: 'expired' });
    expect(reader.facts()).toBeNull();
  });
});
