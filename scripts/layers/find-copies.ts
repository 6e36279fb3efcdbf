// Lists of names that stand a second time: each of the plan's is defined there and nowhere else.
import * as plan from '../../packages/plan/src/index.ts';

/** Fewer could be a choice of them rather than all. */
const FEWEST = 3;
const LIST = /\[((?:\s*'[^'\n]*',?)+)\s*\]|((?:'[^'\n]*'\s*\|\s*)+'[^'\n]*')/g;

const definitions = new Map<string, string>();
for (const [name, value] of Object.entries<unknown>(plan)) {
  if (Array.isArray(value) && value.length >= FEWEST && value.every((entry) => typeof entry === 'string')) {
    definitions.set(signatureOf(value), name);
  }
}
for (const group of plan.INDICATOR_GROUPS) definitions.set(signatureOf(plan.namesOf(group)), `INDICATORS.${group}`);

/** A sentence for each list in `source` that has exactly the names of one of the plan's. */
export function findCopies(file: string, source: string): string[] {
  return [...source.matchAll(LIST)].flatMap(({ 0: text, index }) => {
    const names = [...text.matchAll(/'([^']*)'/g)].map(([, name = '']) => name);
    const original = definitions.get(signatureOf(names));
    const line = source.slice(0, index).split('\n').length;
    return original === undefined
      ? []
      : [`${file}:${line} defines ${original} of @limen/plan a second time; import it`];
  });
}

function signatureOf(names: readonly string[]): string {
  return names.toSorted().join(' ');
}
