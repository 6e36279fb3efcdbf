// Tables of eval:documents for documents on screens: detection by method, and suspected originals.
import { CAMERAS } from '@limen/documents/testing/distort/index.ts';
import { describeRate, percent, printTable, quantileOf } from '../shared/rates.ts';
import { cameraOf, LOOKS, type Look, type Looked } from './looks.ts';

export interface SignRow extends Looked {
  look: Look;
  seed: number;
}

const SCREEN_AIM = 0.8;
const MOST_ORIGINALS = 0.02;

const hasGrid = ({ signs }: SignRow) => signs.includes('screen');
const shines = ({ light }: SignRow) => light?.finding === 'shines';
const isSeen = (row: SignRow) => hasGrid(row) || shines(row);

/** From the center of two frames each, and with webcams of six colors. Nothing needs to be read. */
export function reportScreens(rows: readonly SignRow[]): void {
  const seen = (all: readonly SignRow[], by: (row: SignRow) => boolean) =>
    describeRate(all.filter(by).length, all.length);
  const table = (all: readonly SignRow[]) => [
    seen(all, isSeen),
    countOf(all, hasGrid),
    countOf(
      all.filter(({ light }) => light),
      shines,
    ),
    ...CAMERAS.map((camera) =>
      countOf(
        all.filter((row) => cameraOf(row.seed) === camera),
        isSeen,
      ),
    ),
  ];
  for (const [title, isScreen, aim] of [
    ['Documents on screens that are seen to be', true, `at least ${percent(SCREEN_AIM)}`],
    ['Originals that are taken for a screen', false, `at most ${percent(MOST_ORIGINALS)}`],
  ] as const) {
    const all = rows.filter(({ look }) => look.isScreen === isScreen);
    printTable(
      title,
      ['', 'in all', 'by the grid, in both of two frames', 'by light', ...CAMERAS, 'aim'],
      [
        ...LOOKS.filter((look) => look.isScreen === isScreen).map(({ name }) => [
          ...[name, ...table(all.filter(({ look }) => look.name === name))],
          '',
        ]),
        ['all', ...table(all), aim],
      ],
    );
  }
  reportLight(rows);
}

function countOf(rows: readonly SignRow[], isCounted: (row: SignRow) => boolean): string {
  return rows.length === 0 ? 'none' : `${rows.filter(isCounted).length} of ${rows.length}`;
}

function reportLight(rows: readonly SignRow[]): void {
  const lit = rows.flatMap(({ look, light }) => (light ? [{ ...light, isScreen: look.isScreen }] : []));
  const rooms = [...new Set(lit.map(({ ambientLux }) => ambientLux))].toSorted((a, b) => a - b);
  printTable(
    'By light alone, before webcams: the face was lit, a screen shines, an original gives light back',
    ['', 'face lit', 'screens seen', 'originals cleared', 'originals suspected'],
    [...rooms.map((lux) => [`${lux} lux`, lux] as const), ['all', null] as const].map(([name, lux]) => {
      const all = lit.filter(({ ambientLux }) => lux === null || ambientLux === lux);
      const count = (isScreen: boolean, finding: string) => {
        const some = all.filter((one) => one.isScreen === isScreen);
        return describeRate(some.filter((one) => one.finding === finding).length, some.length);
      };
      const faces = describeRate(all.filter(({ isFaceLit }) => isFaceLit).length, all.length);
      return [name, faces, count(true, 'shines'), count(false, 'reflects'), count(false, 'shines')];
    }),
  );
  const times = (values: number[]) => {
    const all = values.filter((value) => !Number.isNaN(value));
    if (all.length === 0) return 'not measured';
    return `${quantileOf(all, 0.5).toFixed(1)} ms (95 %: ${quantileOf(all, 0.95).toFixed(1)})`;
  };
  console.log(`\nThe grid of a frame: ${times(rows.map(({ signsMs }) => signsMs))}.`);
  console.log(`The light of a frame of 1920 × 1080: ${times(lit.map(({ measureMs }) => measureMs))}.`);
}
