// Turns the samples of a face into what changes on it and not in the room: the camera's own changes cancel.
import { dot, meanOf } from '@limen/face-geometry';
import type { LightSample } from './measure-light.ts';
import { PATCHES } from './patches.ts';

export interface Series {
  times: readonly number[];
  /** What changes a face's colour besides light, by kind: values of each time. */
  disturbances: readonly Float64Array[];
  /** Logarithm of the light of the whole face beside that of the room; three channels of each time, one after the other. */
  face: Float64Array;
  /** The same of each place, null where it was not seen all the time. */
  patches: readonly (Float64Array | null)[];
  /** Mean light of each place, all channels together. */
  levels: readonly number[];
  /** Whether a room was seen to compare with; without one, what the camera does to all of the picture counts as the face's. */
  hasRoom: boolean;
}

/** Of the cells of the room, so many must have been seen all the time. */
const LEAST_CELLS = 2;

/** Null where the face was never seen. */
export function readSeries(all: readonly LightSample[]): Series | null {
  const samples = chooseFrames(all);
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
      meanOf(samples.flatMap(({ patches }) => [...patches.subarray(patch * 3, patch * 3 + 3)])),
    ),
    hasRoom: room !== null,
  };
}

/** A place that is not seen in more frames than these, as a share, is not seen; a frame in which one that is seen is not does not count. */
const MOST_UNSEEN = 0.2;

/** Without frames that a glint or a flash has spoilt: of one that is too bright to tell nothing follows about the others. */
function chooseFrames(all: readonly LightSample[]): LightSample[] {
  const withSkin = all.filter(({ skin }) => !skin.some(Number.isNaN));
  const isSeen = (sample: LightSample, patch: number) => !Number.isNaN(sample.patches[patch * 3]!);
  const steady = [...PATCHES.keys()].filter(
    (patch) => withSkin.filter((sample) => !isSeen(sample, patch)).length <= MOST_UNSEEN * withSkin.length,
  );
  return withSkin.filter((sample) => steady.every((patch) => isSeen(sample, patch)));
}

/** The half of the cells that agree best with each other: somebody may walk through the rest. */
function readRoom(cells: readonly Float64Array[]): Float64Array | null {
  if (cells.length < LEAST_CELLS) return null;
  const half = Math.ceil(cells.length / 2);
  const groups = cells.map((cell) => {
    const near = cells.map((other) => ({ other, away: measureAway(cell, other) })).toSorted((a, b) => a.away - b.away);
    return near.slice(0, half);
  });
  const spreads = groups.map((group) => group.reduce((sum, { away }) => sum + away, 0));
  const agreed = groups[spreads.indexOf(Math.min(...spreads))]!;
  return cells[0]!.map((_, i) => meanOf(agreed.map(({ other }) => other[i]!)));
}

function measureAway(one: Float64Array, other: Float64Array): number {
  return one.reduce((sum, change, i) => sum + (change - other[i]!) ** 2, 0);
}

/** Null where it was not seen all the time. */
export function readPlace(readings: readonly Float64Array[]): Float64Array | null {
  const changes = new Float64Array(readings.length * 3);
  for (let c = 0; c < 3; c += 1) {
    const mean = meanOf(readings.map((reading) => reading[c]!));
    if (!(mean > 0)) return null;
    for (const [i, reading] of readings.entries()) changes[i * 3 + c] = Math.log(reading[c]! / mean);
  }
  return toColour(changes);
}

/** What all three channels do together is shade and movement; what they do apart is colour. */
function toColour(changes: Float64Array): Float64Array {
  return changes.map((change, i) => {
    const first = i - (i % 3);
    return change - (changes[first]! + changes[first + 1]! + changes[first + 2]!) / 3;
  });
}

/** Time itself, because people lean and clouds pass; then how the head moved. Each is made upright to those before it. */
export function listDisturbances(kinds: readonly (readonly number[])[]): Float64Array[] {
  const count = kinds[0]!.length;
  const upright: Float64Array[] = [new Float64Array(count).fill(1 / Math.sqrt(count))];
  for (const kind of kinds) {
    const values = Float64Array.from(kind);
    for (const other of upright) {
      const share = dot(values, other);
      for (let i = 0; i < values.length; i += 1) values[i]! -= share * other[i]!;
    }
    const size = Math.sqrt(dot(values, values));
    if (size > 1e-9) upright.push(values.map((value) => value / size));
  }
  return upright;
}
