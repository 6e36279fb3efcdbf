// Effect of a rule on the lower bound of an age for people of known age: who is let in, and who is
// sent on.
import { describeRate, printTable } from '../shared/rates.ts';

export interface KnownPerson {
  age: number;
  /** `female`, `male` or another word of the file. Empty if unspecified. */
  sex: string;
}

export interface AgedFace extends KnownPerson {
  lowerBound: number;
}

interface Group {
  name: string;
  has(age: number): boolean;
  /** Share of adults that is sent on, and of minors that is let in. */
  counts: 'let in' | 'sent on';
}

const GROUPS: readonly Group[] = [
  { name: '13–17, let in', has: (age) => age >= 13 && age < 18, counts: 'let in' },
  { name: '18–24, sent on', has: (age) => age >= 18 && age < 25, counts: 'sent on' },
  { name: '25–30, sent on', has: (age) => age >= 25 && age < 31, counts: 'sent on' },
  { name: '25 and over, sent on', has: (age) => age >= 25, counts: 'sent on' },
];

/** One row per threshold, for everyone and then for each sex in the file. */
export function tabulateRule(faces: readonly AgedFace[], thresholds: readonly number[]): string[][] {
  const sexes = [...new Set(faces.map(({ sex }) => sex))].filter((sex) => sex !== '').toSorted();
  return thresholds.flatMap((least) =>
    ['', ...sexes].map((sex) => {
      const asked = faces.filter((face) => sex === '' || face.sex === sex);
      const label = `lower bound ≥ ${least}${sex === '' ? '' : `, ${sex}`}`;
      return [label, ...GROUPS.map((group) => describeGroup(asked, group, least))];
    }),
  );
}

function describeGroup(faces: readonly AgedFace[], { has, counts }: Group, least: number): string {
  const group = faces.filter(({ age }) => has(age));
  // In whole years, rounded down, as on the page.
  const letIn = group.filter(({ lowerBound }) => Math.floor(lowerBound) >= least).length;
  return describeRate(counts === 'let in' ? letIn : group.length - letIn, group.length);
}

export function reportRule(faces: readonly AgedFace[], thresholds: readonly number[]): void {
  const head = ['let in when', ...GROUPS.map(({ name }) => name)];
  printTable('Effect of the rule, with 95% intervals', head, tabulateRule(faces, thresholds));
}
