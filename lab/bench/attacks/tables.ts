// Results of the light challenge as tables: every share with its interval.
import type { Species } from '@limen/light/testing/simulate.ts';
import { renderColumns } from '../shared/columns.ts';
import { boundRate } from '../shared/rates.ts';
import { judgeEvenness, judgeLeast, judgeMost } from './aims.ts';
import { AMBIENT_LUX, type Verdict } from './sittings.ts';

type Person = Extract<Species, `person${string}`>;

const NAMES: Readonly<Record<Exclude<Species, Person>, string>> = {
  injected: 'injected animation, no light',
  injected_clean: 'the same without camera noise',
  injected_tinted_late: 'injected, whole picture tinted late',
  injected_face_tinted: 'injected, face tinted late',
  injected_feathered: 'injected, face tinted late, less toward its edge',
  injected_overlay: 'injected, a translucent color laid over the face',
  injected_added: 'injected, light added to the values of the face',
  injected_relit: 'injected, relit by its mesh',
  print: 'photo on paper',
  print_bent: 'photo on paper, bent',
  tablet: 'photo on a tablet',
  recorded_light: 'recording of another session',
};
/** People whom the rules may disadvantage, separate from randomly drawn ones. */
const OTHER_PEOPLE: Readonly<Record<Exclude<Person, 'person'>, string>> = {
  person_hair: 'long hair over one side',
  person_mark: 'a mark over half of the face',
  person_aside: 'a screen some 20° to the side',
};
/** Upper bound of dim rooms, and share of them in which the finding must be `lit` or `not_lit`. */
const DIM_LUX = 300;
const LEAST_CONCLUSIVE = 0.9;
const MOST_WRONG = 0.01;
const MOST_UNEVEN = 1.5;

/** Programs without light can avoid the request. They come first, because they always pass. */
const NEVER_ASKED = [
  'declines the colors',
  'says that it wants less motion',
  'floods the picture with light or noise until nothing can be decided',
  'starves the page of frames, so that fewer than two come to a color',
] as const;

export function reportAttacks(verdicts: readonly Verdict[]): void {
  console.log('\nAttacks, and APCER (ISO/IEC 30107-3): the share of them that this check accepts as people.');
  console.log('Accepted is what is not found “not lit”; with light: "required", only what is found “lit”.');
  const rows = [['', 'sittings', 'lit', 'inconclusive', 'not lit', 'APCER', 'APCER where light is required']];
  for (const name of NEVER_ASKED) rows.push([name, 'by its nature', '0 %', '100 %', '0 %', '100 %', '0 %']);
  for (const [species, name] of Object.entries(NAMES)) {
    const all = verdicts.filter((verdict) => verdict.species === species);
    if (all.length === 0) continue;
    const accepted = all.filter(({ finding }) => finding !== 'not_lit').length;
    const lit = countOf(all, 'lit');
    rows.push([
      name,
      String(all.length),
      percent(lit, all.length),
      percent(countOf(all, 'inconclusive'), all.length),
      percent(countOf(all, 'not_lit'), all.length),
      withInterval(accepted, all.length),
      withInterval(lit, all.length),
    ]);
  }
  console.log(renderColumns(rows));
  reportInjected(verdicts);
}

/** Compared with people: no one can be decided in rooms where screen light is invisible. */
function reportInjected(verdicts: readonly Verdict[]): void {
  const decided = new Set(
    verdicts
      .filter(({ species, finding }) => species === 'person' && finding !== 'inconclusive')
      .map(({ seed, tone }) => `${seed} ${tone}`),
  );
  const injected = verdicts.filter(
    ({ species, seed, tone }) => species === 'injected' && decided.has(`${seed} ${tone}`),
  );
  if (injected.length === 0) return;
  const passed = injected.filter(({ finding }) => finding !== 'not_lit').length;
  console.log(
    `\nInjected without light, in rooms where the finding about a person is conclusive: APCER ${withInterval(passed, injected.length)}; ${judgeMost(passed, injected.length, MOST_WRONG, 'at most 1 %')}`,
  );
}

export function reportPeople(verdicts: readonly Verdict[], tones: number): void {
  const people = verdicts.filter(({ species }) => species === 'person');
  console.log('\nPeople, and BPCER (ISO/IEC 30107-3): the share of them that this check takes for an attack.');
  console.log('With light: "required", those found “inconclusive” are not accepted either.');
  const rows = [['', 'sittings', 'lit', 'inconclusive', 'wrongly not lit (BPCER)']];
  const add = (name: string, some: readonly Verdict[]) => {
    if (some.length === 0) return;
    rows.push([
      name,
      String(some.length),
      percent(countOf(some, 'lit'), some.length),
      withInterval(countOf(some, 'inconclusive'), some.length),
      withInterval(countOf(some, 'not_lit'), some.length),
    ]);
  };
  for (const lux of AMBIENT_LUX)
    add(
      `${lux} lux`,
      people.filter(({ choice }) => choice.ambientLux === lux),
    );
  const byTone = Array.from({ length: tones }, (_, tone) => people.filter((person) => person.tone === tone));
  for (const [tone, some] of byTone.entries()) add(`skin ${tone + 1} of ${tones}`, some);
  for (const screen of ['phone', 'laptop'] as const)
    add(
      `before a ${screen}`,
      people.filter(({ choice }) => choice.screen === screen),
    );
  for (const rate of [5, 8, 10, 15, 30])
    add(
      `${rate} frames a second`,
      people.filter(({ choice }) => choice.framesPerSecond === rate),
    );
  add('all', people);
  for (const [species, name] of Object.entries(OTHER_PEOPLE))
    add(
      `beside them: ${name}`,
      verdicts.filter((verdict) => verdict.species === species),
    );
  console.log(renderColumns(rows));

  const dim = people.filter(({ choice }) => choice.ambientLux <= DIM_LUX);
  const decided = dim.filter(({ finding }) => finding !== 'inconclusive').length;
  const wrong = countOf(people, 'not_lit');
  console.log(
    `\nDecided in rooms up to ${DIM_LUX} lux: ${percent(decided, dim.length)}; ${judgeLeast(decided, dim.length, LEAST_CONCLUSIVE, 'at least 90 %')}`,
  );
  console.log(
    `Wrongly not lit (BPCER): ${percent(wrong, people.length)}; ${judgeMost(wrong, people.length, MOST_WRONG, 'at most 1 %')}`,
  );
  reportEvenness('Decided there, by skin', byTone, (some) => {
    const inDim = some.filter(({ choice }) => choice.ambientLux <= DIM_LUX);
    return { hits: inDim.length - countOf(inDim, 'inconclusive'), of: inDim.length };
  });
  reportEvenness('Not lit or inconclusive in all rooms, by skin', byTone, (some) => ({
    hits: some.length - countOf(some, 'lit'),
    of: some.length,
  }));
}

function reportEvenness(
  what: string,
  groups: readonly (readonly Verdict[])[],
  count: (group: readonly Verdict[]) => { hits: number; of: number },
): void {
  const counts = groups.map(count);
  const shares = counts.filter(({ of }) => of > 0).map(({ hits, of }) => hits / of);
  console.log(
    `${what}: ${share(Math.min(...shares))} to ${share(Math.max(...shares))}; ${judgeEvenness(counts, MOST_UNEVEN, 'no more than 1.5 times another')}`,
  );
}

function countOf(verdicts: readonly Verdict[], finding: Verdict['finding']): number {
  return verdicts.filter((verdict) => verdict.finding === finding).length;
}

function percent(count: number, of: number): string {
  return share(count / of);
}

function share(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

function withInterval(count: number, of: number): string {
  const [low, high] = boundRate(count, of);
  return `${share(count / of)} (${share(low)} to ${share(high)})`;
}
