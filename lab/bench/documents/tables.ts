// Tables of eval:documents.
import type { CopySign } from '@limen/documents';
import type { SpecimenWish } from '@limen/documents/testing/specimens/index.ts';
import { compareEmbeddings } from '../../../apps/launch/src/face/index.ts';
import { describeRate, percent, printTable, quantileOf } from '../shared/rates.ts';
import type { Sitter } from './portraits.ts';
import type { Reading } from './read.ts';
import type { Done } from './thread.ts';
import { WAYS } from './ways.ts';

export interface ReadRow {
  kind: SpecimenWish['kind'];
  way: string;
  seed: number;
  reading: Reading;
}

export type PortraitRow = { sitter: Sitter } & (Done & { job: 'portrait' });

const ZONES = ['passport', 'visa', 'card', 'card_td2'] as const;
const BARCODES = ['licence_us', 'licence_ca'] as const;
const BARCODE_AIM = 0.95;
/** Default of `faceMatchThreshold`. */
const MATCH = 0.42;

export function reportRates(rows: readonly ReadRow[]): void {
  printTable(
    'Zones: date of birth read within 3 s, by the kind of document and in all',
    ['', 'passport', 'visa', 'card TD1', 'card TD2', 'all', 'aim', 'not read', 'refused', 'WRONG', 'one frame alone'],
    WAYS.map(({ name, aim }) => {
      const all = pick(rows, ZONES, name);
      const alone = all.filter(({ reading }) => reading.alone === 'right').length;
      const wrongAlone = all.filter(({ reading }) => reading.alone === 'wrong').length;
      return [
        ...[name, ...ZONES.map((kind) => rateOf(all.filter((row) => row.kind === kind)))],
        ...[rateOf(all), aim === undefined ? '' : percent(aim), count(all, 'undecided')],
        ...[count(all, 'refused'), count(all, 'wrong')],
        `${percent(alone / all.length)}${wrongAlone ? `, ${wrongAlone} WRONG` : ''}`,
      ];
    }),
  );
  printTable(
    'Barcodes: date of birth read within 3 s',
    ['', 'USA', 'Canada', 'all', 'aim', 'not read', 'refused', 'WRONG'],
    WAYS.map(({ name, aim }) => {
      const all = pick(rows, BARCODES, name);
      return [
        ...[name, ...BARCODES.map((kind) => rateOf(all.filter((row) => row.kind === kind))), rateOf(all)],
        ...[aim === undefined ? '' : percent(BARCODE_AIM), count(all, 'undecided'), count(all, 'refused')],
        count(all, 'wrong'),
      ];
    }),
  );
  for (const [name, kinds] of [
    ['zones', ZONES],
    ['barcodes', BARCODES],
  ] as const)
    for (const [group, has] of [
      ['clean', (aim?: number) => aim === 0.95],
      ['mild', (aim?: number) => aim === 0.85],
    ] as const) {
      const ways = WAYS.filter(({ aim }) => has(aim)).flatMap((way) => pick(rows, kinds, way.name));
      const right = ways.filter(({ reading }) => reading.state === 'right').length;
      console.log(`\n${name}, ${group}: ${describeRate(right, ways.length)}`);
    }
}

export function reportTimes(rows: readonly ReadRow[]): void {
  const decided = (kinds: readonly string[], way: string) =>
    pick(rows, kinds, way).filter(({ reading }) => reading.state === 'right');
  printTable(
    'Processor time to the decision, of one thread, and frames; the bound is two frames of one model run a line',
    ['', 'zone: median', '95 %', 'frames', 'to the bound', 'barcode: median', '95 %', 'frames'],
    WAYS.map(({ name }) => {
      const zones = decided(ZONES, name);
      const codes = decided(BARCODES, name);
      const ratios = zones.map(({ kind, reading }) => {
        const oneRun = reading.runMilliseconds / Math.max(reading.runs, 1);
        return reading.milliseconds / (oneRun * 2 * (kind === 'card' ? 3 : 2));
      });
      return [name, ...timesOf(zones), `× ${quantileOf(ratios, 0.5).toFixed(1)}`, ...timesOf(codes)];
    }),
  );
  const runs = rows.filter(({ reading }) => reading.runs > 0);
  const oneRun = runs.map(({ reading }) => reading.runMilliseconds / reading.runs);
  console.log(`\nOne run of the recognizer: ${quantileOf(oneRun, 0.5).toFixed(1)} ms (median over documents).`);
  const shares = rows.map(
    ({ reading }) => reading.signMilliseconds / (reading.milliseconds - reading.signMilliseconds),
  );
  console.log(`Signs of copies take ${percent(quantileOf(shares, 0.5))} of the time of all else (median).`);
}

export function reportBroken(rows: readonly ReadRow[]): void {
  printTable(
    'Zones with a wrong check digit: none may be read',
    ['', 'refused for it', 'not read', 'read all the same', 'WRONG date', 'median time'],
    [...new Set(rows.map(({ way }) => way))].map((name) => {
      const all = rows.filter(({ way }) => way === name);
      const refused = all.filter(({ reading }) => reading.problem === 'check_digit');
      const times = refused.map(({ reading }) => reading.milliseconds);
      return [
        ...[name, describeRate(refused.length, all.length), count(all, 'undecided'), count(all, 'right')],
        ...[count(all, 'wrong'), `${quantileOf(times, 0.5).toFixed(0)} ms`],
      ];
    }),
  );
}

/** Only documents that were read. Others are retried before any conclusion. */
export function reportSigns(rows: readonly ReadRow[]): void {
  const read = rows.filter(({ reading }) => reading.state === 'right');
  const has = (sign: CopySign) => (row: ReadRow) => row.reading.signs.includes(sign);
  const share = (all: readonly ReadRow[], sign: CopySign) => describeRate(all.filter(has(sign)).length, all.length);
  const isCopy = ({ way }: ReadRow) => way === 'on_screen' || way === 'photocopied';
  const groups: [string, ReadRow[]][] = [
    ...(['on_screen', 'photocopied'] as const).flatMap((way): [string, ReadRow[]][] => [
      [`${way}, with a zone`, pick(read, ZONES, way)],
      [`${way}, with a barcode`, pick(read, BARCODES, way)],
    ]),
    ['originals, with a zone', read.filter((row) => !isCopy(row) && row.reading.alone !== null)],
    ['originals, with a barcode', read.filter((row) => !isCopy(row) && row.reading.alone === null)],
  ];
  printTable(
    'Signs of a copy, by the majority of the frames',
    ['', '`screen`', '`photocopy`'],
    groups.map(([name, all]) => [name, share(all, 'screen'), share(all, 'photocopy')]),
  );
}

export function reportPortraits(rows: readonly PortraitRow[]): void {
  const ways = [...new Set(rows.flatMap(({ shown }) => shown.map(({ way }) => way)))];
  const score = (left: Float32Array | null, right: Float32Array | null) =>
    left && right ? [compareEmbeddings(left, right)] : [];
  const table = ways.map((name) => {
    const shown = rows.map((row) => ({ row, embedding: row.shown.find(({ way }) => way === name)!.embedding }));
    const own = (isOther: boolean) =>
      shown.flatMap(({ row, embedding }) => (row.sitter.isOtherPicture === isOther ? score(embedding, row.live) : []));
    const others = shown.flatMap(({ row, embedding }) =>
      rows.flatMap((other) =>
        other !== row && other.sitter.set === row.sitter.set ? score(embedding, other.live) : [],
      ),
    );
    const spread = (values: number[]) =>
      values.length === 0 ? 'none' : [0, 0.5, 1].map((at) => quantileOf(values, at).toFixed(2)).join(' / ');
    const above = (values: number[]) => describeRate(values.filter((value) => value >= MATCH).length, values.length);
    const [pairs, same] = [own(true), own(false)];
    return [
      ...[name, describeRate(shown.filter(({ embedding }) => embedding).length, shown.length)],
      ...[spread(pairs), above(pairs), spread(same), above(same), spread(others), above(others)],
    ];
  });
  printTable(
    `Portraits, printed and photographed, against the live face (lowest / median / highest; taken for one at ${MATCH})`,
    [
      ...['', 'found', 'same person, another picture', 'taken for one', 'same picture', 'taken for one'],
      ...['somebody else', 'taken for one'],
    ],
    table,
  );
}

function pick(rows: readonly ReadRow[], kinds: readonly string[], way: string): ReadRow[] {
  return rows.filter((row) => row.way === way && kinds.includes(row.kind));
}

function rateOf(rows: readonly ReadRow[]): string {
  const right = rows.filter(({ reading }) => reading.state === 'right').length;
  return rows.length === 0 ? '' : `${right} of ${rows.length}`;
}

function count(rows: readonly ReadRow[], state: Reading['state']): string {
  return String(rows.filter(({ reading }) => reading.state === state).length);
}

function timesOf(rows: readonly ReadRow[]): string[] {
  const times = rows.map(({ reading }) => reading.milliseconds);
  const frames = rows.map(({ reading }) => reading.frames);
  if (rows.length === 0) return ['', '', ''];
  const milliseconds = (at: number) => `${quantileOf(times, at).toFixed(0)} ms`;
  return [milliseconds(0.5), milliseconds(0.95), `${quantileOf(frames, 0.5)} (up to ${Math.max(...frames)})`];
}
