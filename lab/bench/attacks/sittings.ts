// A sitting at the simulated camera: subject, room, and the page's result.

import { SKIN_TONES } from '@limen/light/testing/head.ts';
import { drawRoom, type RoomChoice } from '@limen/light/testing/room.ts';
import { playAndJudge, type Species } from '@limen/light/testing/simulate.ts';
import type { LightFinding } from '@limen/plan';

export const AMBIENT_LUX = [20, 50, 100, 200, 300, 500, 1_000] as const;
const FRAMES_PER_SECOND = [5, 8, 10, 15, 30];
const DISTANCES = { phone: [0.3, 0.35, 0.4, 0.45], laptop: [0.45, 0.55, 0.65] } as const;

export interface Sitting {
  species: Species;
  /** Equal numbers mean the same room, camera and skin for every kind. */
  seed: number;
  tone: number;
  choice: RoomChoice;
}

export interface Verdict extends Sitting {
  finding: LightFinding;
  because: string;
}

/** People of every skin tone sit in the same room, so that only the tone differs. */
export function drawSittings(species: Species, seed: number): Sitting[] {
  const sitting = drawSitting(species, seed);
  return species === 'person' ? SKIN_TONES.map((_, tone) => ({ ...sitting, tone })) : [sitting];
}

/** Covers every combination, because the numbers of choices are nearly coprime. */
export function drawSitting(species: Species, seed: number): Sitting {
  const screen = seed % 2 === 0 ? 'phone' : 'laptop';
  const distances = DISTANCES[screen];
  return {
    species,
    seed,
    tone: Math.floor(seed / 2) % SKIN_TONES.length,
    choice: {
      ambientLux: AMBIENT_LUX[seed % AMBIENT_LUX.length]!,
      framesPerSecond: FRAMES_PER_SECOND[Math.floor(seed / 3) % FRAMES_PER_SECOND.length]!,
      distance: distances[Math.floor(seed / 5) % distances.length]!,
      screen,
    },
  };
}

export function judgeSitting(sitting: Sitting): Verdict {
  const { species, tone, seed, choice } = sitting;
  const { finding, because } = playAndJudge({ room: drawRoom(choice, seed + 1), species, tone, seed: seed + 1 });
  return { ...sitting, finding, because };
}
