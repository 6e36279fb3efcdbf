import type { DocumentFacts, DocumentProblem, GrayImage, ZoneOutcome } from '@limen/documents';
import { describe, expect, test } from 'vitest';
import { createBarcodeReader, createZoneReader } from './read-code.ts';
import type { DocumentTools } from './tools.ts';

const GRAY: GrayImage = { width: 1, height: 1, data: new Uint8Array(1) };
const FACTS: DocumentFacts = { type: 'passport', country: 'UTO', birth: { year: 1990 } };
const READ = { state: 'read', zone: {} } as ZoneOutcome;
const UNDECIDED: ZoneOutcome = { state: 'undecided' };
const INCONSISTENT: ZoneOutcome = { state: 'inconsistent' };

function startZone(outcomes: ZoneOutcome[], judged: DocumentFacts | DocumentProblem = FACTS, sees = true) {
  let added = 0;
  const tools = {
    createZoneVote: () => ({
      add() {
        added += 1;
      },
      clear() {
        added = 0;
      },
      result: () => outcomes.shift()!,
    }),
    readZone: async () => ({ reading: sees ? { lines: [] } : null, lines: [] }),
    judgeZone: () => judged,
  } as Partial<DocumentTools> as DocumentTools;
  const reader = createZoneReader(tools, () => Promise.reject(new Error('not asked for')), '2026-03-01');
  return { reader, added: () => added };
}

describe('a zone', () => {
  test('is read when the vote is sure, and then no more votes are taken', async () => {
    const { reader, added } = startZone([UNDECIDED, UNDECIDED, READ]);
    await reader.read(GRAY, false);
    expect([reader.facts(), reader.progress()]).toEqual([null, 0.25]);
    await reader.read(GRAY, false);
    expect(await reader.read(GRAY, false)).toEqual({ wasRead: true, problem: null, lines: [] });
    expect([reader.facts(), reader.progress()]).toEqual([FACTS, 1]);
    await reader.read(GRAY, false);
    expect(added()).toBe(3);
    reader.forget();
    expect([reader.facts(), reader.progress(), added()]).toEqual([null, 0, 0]);
  });

  test('that contradicts itself twice in a row is a problem', async () => {
    const { reader } = startZone([INCONSISTENT, UNDECIDED, INCONSISTENT, INCONSISTENT]);
    expect((await reader.read(GRAY, false)).problem).toBeNull();
    expect(reader.isFaulty()).toBe(true);
    await reader.read(GRAY, false);
    expect(reader.isFaulty()).toBe(false);
    await reader.read(GRAY, false);
    expect((await reader.read(GRAY, false)).problem).toBe('check_digit');
  });

  test.each(['expired', 'no_birth_date'] as const)(
    'of a document that will not do is a problem: %s',
    async (problem) => {
      const { reader } = startZone([READ], problem);
      expect((await reader.read(GRAY, false)).problem).toBe(problem);
      expect(reader.facts()).toBeNull();
    },
  );

  test('that is not there is none', async () => {
    const { reader, added } = startZone([], FACTS, false);
    expect(await reader.read(GRAY, false)).toMatchObject({ wasRead: false, problem: null });
    expect([reader.progress(), added()]).toEqual([0, 0]);
  });
});

function startBarcode(texts: (string | null)[], judged: DocumentFacts | DocumentProblem = FACTS) {
  let looks = 0;
  const tools = {
    *barcodeViews() {
      for (let i = 0; i < 9; i += 1) yield GRAY;
    },
    parseLicence: (text: string) => (text === 'other' ? { refused: 'header', where: '' } : {}),
    judgeLicence: () => judged,
  } as unknown as DocumentTools;
  const read = async () => {
    looks += 1;
    return texts.shift() ?? null;
  };
  return { reader: createBarcodeReader(tools, read, '2026-03-01'), looks: () => looks };
}

describe('a barcode', () => {
  test('is read at once, and then no more', async () => {
    const { reader, looks } = startBarcode([null, 'licence']);
    expect(await reader.read(GRAY, false)).toMatchObject({ wasRead: true, problem: null });
    expect([reader.facts(), reader.progress()]).toEqual([FACTS, 1]);
    await reader.read(GRAY, false);
    expect(looks()).toBe(2);
    reader.forget();
    expect(reader.facts()).toBeNull();
  });

  test('is looked for in a few ways in a frame, and in all of them in a picture that is alone', async () => {
    const { reader, looks } = startBarcode([]);
    expect(await reader.read(GRAY, false)).toMatchObject({ wasRead: false, problem: null });
    expect(looks()).toBe(3);
    await reader.read(GRAY, true);
    expect(looks()).toBe(12);
  });

  test('of something else is passed by', async () => {
    const { reader } = startBarcode(['other', 'licence']);
    await reader.read(GRAY, false);
    expect(reader.facts()).toEqual(FACTS);
  });

  test('of a licence that will not do is a problem', async () => {
    const { reader } = startBarcode(['licence'], 'expired');
    expect(await reader.read(GRAY, false)).toMatchObject({ problem: 'expired' });
    expect(reader.facts()).toBeNull();
  });
});
