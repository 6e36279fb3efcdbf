// Turns samples into color changes of the face relative to the room, which cancels changes of the
// camera.
import { computeMean, dot } from '@limen/face-geometry';
import type { LightSample } from './measure-light.ts';
import { PATCHES } from './patches.ts';

export interface Series {
  times: readonly number[];
  /** Non-light causes of color changes, by kind: a value for each time. */
  disturbances: readonly Float64Array[];
  /** Log light of the whole face relative to the room; three channels for each time. */
  face: Float64Array;
  /** Log light of each place; null if it was not always visible. */
  patches: readonly (Float64Array | null)[];
  /** Mean light of each place over all channels. */
  levels: readonly number[];
  /** Whether a room was visible for comparison. Without one, camera changes count as the face's. */
  hasRoom: boolean;
}

/** Minimum cells of the room that were always visible. */
const LEAST_CELLS = 2;

/** Returns null if the face was never visible. */
export function readSeries(allSamples: readonly LightSample[]): Series | null {
  const samples = chooseFrames(allSamples);
  const cells = Array.from({ length: (samples[0]?.room.length ?? 0) / 3 }, (_, cell) =>
    readPlace(samples.map(({ room }) => room.subarray(cell * 3, cell * 3 + 3))),
  ).filter((cell) => cell !== null);
  const places = PATCHES.map((_, patch) =>
    readPlace(samples.map(({ patches }) => patches.subarray(patch * 3, patch * 3 + 3))),
  );
  const skin = readPlace(samples.map((sample) => sample.skin));
  if (!skin) return null;
  const room = readRoom(cells);
  const against = (changes: Float64Array) => (room ? changes.map((change, i) => change - room[i]!) : changes);
  return {
    times: samples.map(({ at }) => at),
    disturbances: listDisturbances([
      samples.map(({ at }) => at),
      ...samples[0]!.motion.map((_, i) => samples.map(({ motion }) => motion[i]!)),
    ]),
    face: against(skin),
    patches: places.map((place) => place && against(place)),
    levels: PATCHES.map((_, patch) =>
      computeMean(samples.flatMap(({ patches }) => [...patches.subarray(patch * 3, patch * 3 + 3)])),
    ),
    hasRoom: room !== null,
  };
}

/** Maximum share of frames in which a visible place may be missing. These frames are dropped. */
const MOST_UNSEEN = 0.2;

/** Drops frames spoilt by a glint or flash, not those with a permanently clipped place. */
function chooseFrames(allSamples: readonly LightSample[]): LightSample[] {
  const withSkin = allSamples.filter(({ skin }) => !skin.some(Number.isNaN));
  const isSeen = (sample: LightSample, patch: number) => !Number.isNaN(sample.patches[patch * 3]!);
  const steady = [...PATCHES.keys()].filter(
    (patch) => withSkin.filter((sample) => !isSeen(sample, patch)).length <= MOST_UNSEEN * withSkin.length,
  );
  return withSkin.filter((sample) => steady.every((patch) => isSeen(sample, patch)));
}

/** Averages the half of the cells that agree best, because people may walk through the others. */
function readRoom(cells: readonly Float64Array[]): Float64Array | null {
  if (cells.length < LEAST_CELLS) return null;
  const half = Math.ceil(cells.length / 2);
  const groups = cells.map((cell) => {
    const near = cells
      .map((candidate) => ({ candidate, away: measureAway(cell, candidate) }))
      .toSorted((a, b) => a.away - b.away);
    return near.slice(0, half);
  });
  const spreads = groups.map((group) => group.reduce((sum, { away }) => sum + away, 0));
  const agreed = groups[spreads.indexOf(Math.min(...spreads))]!;
  return cells[0]!.map((_, i) => computeMean(agreed.map(({ candidate }) => candidate[i]!)));
}

function measureAway(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, change, i) => sum + (change - b[i]!) ** 2, 0);
}

/** Returns null if the place was not always visible. */
export function readPlace(readings: readonly Float64Array[]): Float64Array | null {
  const changes = new Float64Array(readings.length * 3);
  for (let c = 0; c < 3; c += 1) {
    const mean = computeMean(readings.map((reading) => reading[c]!));
    if (!(mean > 0)) return null;
    for (const [i, reading] of readings.entries()) changes[i * 3 + c] = Math.log(reading[c]! / mean);
  }
  return toColor(changes);
}

/** A common change of all channels is shade and motion; the difference between them is color. */
function toColor(changes: Float64Array): Float64Array {
  return changes.map((change, i) => {
    const first = i - (i % 3);
    return change - (changes[first]! + changes[first + 1]! + changes[first + 2]!) / 3;
  });
}

/** Orthogonalizes the disturbances: time (leaning, clouds), then head motion. */
export function listDisturbances(kinds: readonly (readonly number[])[]): Float64Array[] {
  const count = kinds[0]!.length;
  const upright: Float64Array[] = [new Float64Array(count).fill(1 / Math.sqrt(count))];
  for (const kind of kinds) {
    const values = Float64Array.from(kind);
    for (const basis of upright) {
      const share = dot(values, basis);
      for (let i = 0; i < values.length; i += 1) values[i]! -= share * basis[i]!;
    }
    const size = Math.sqrt(dot(values, values));
    if (size > 1e-9) upright.push(values.map((value) => value / size));
  }
  return upright;
}
