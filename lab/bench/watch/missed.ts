// Matches of individual searches that the lookup of changed entries misses: names of a list,
// distorted two or three times.
import type { ListedEntity, Subject } from '@limen/screening';
import { ALL_DISTORTIONS, type Distortion, distort } from '../../../packages/screening/testing/distort-names.ts';
import { buildIndex, type PlayedMatch, playChanges } from '../../../packages/screening/testing/play-changes.ts';
import { createRandom } from '../shared/random.ts';

/** Score below which misses do not count, because subjects are screened at every change. */
const SURE_FROM = 0.83;
const BANDS = [0.95, 0.9, 0.85, SURE_FROM];
/** Split words cause most misses, so as many names are only split and joined. */
const CUTS: readonly Distortion[] = ['split', 'split', 'join', 'typo'];
const SEED = 20_261_118;

interface Distorted {
  subject: Subject;
  from: string;
}

export function printMissed(list: readonly ListedEntity[], count: number): void {
  const distorted = [
    ...distortNames(list, Math.ceil(count / 2), ALL_DISTORTIONS, 2),
    ...distortNames(list, Math.floor(count / 2), CUTS, 3),
  ];
  const from = new Map(distorted.map((distortion) => [distortion.subject, distortion.from]));
  const played = playChanges(buildIndex(list), [...from.keys()], SURE_FROM);
  const missed = played.filter(({ isFound }) => !isFound);
  for (const { score, subject, entity } of missed)
    console.log(`  missed at ${score}: ${subject.names[0]} <- ${from.get(subject)} (${entity.id})`);
  console.log(`\n${from.size} names, half of them distorted twice, half split, joined and misspelled thrice:`);
  for (const [at, least] of BANDS.entries()) {
    const inBand = ({ score }: PlayedMatch) => score >= least && score < (BANDS[at - 1] ?? 2);
    console.log(`  from ${least}: ${played.filter(inBand).length} matches, ${missed.filter(inBand).length} missed`);
  }
}

/** Names of any kind. The kind is known for half of the subjects. */
function distortNames(
  list: readonly ListedEntity[],
  count: number,
  distortions: readonly Distortion[],
  times: number,
): Distorted[] {
  const random = createRandom(SEED + times);
  const distorted: Distorted[] = [];
  while (distorted.length < count) {
    const { names, schema } = random.pick(list);
    const from = random.pick(names);
    const chosen = Array.from({ length: times }, () => random.pick(distortions));
    const name = distort(from, chosen, random.below);
    if (name === undefined) continue;
    distorted.push({ from, subject: { names: [name], schema: random.below(2) === 0 ? schema : undefined } });
  }
  return distorted;
}
