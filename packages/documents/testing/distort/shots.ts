// Kinds of photographs, with their degrees, pixels and levels.

import type { Random } from './random.ts';

export const DISTORTIONS = [
  'clean',
  'rotated',
  'perspective',
  'blurred',
  'noisy',
  'glare',
  'dim',
  'small',
  'typical',
  'hard',
  'on_screen',
  'photocopied',
] as const;
export type Distortion = (typeof DISTORTIONS)[number];

export const TABLES = ['plain', 'wood', 'cloth', 'dark'] as const;
/** Repeating patterns, used only on request. */
export const BUSY_TABLES = ['stripes', 'keyboard'] as const;
export type Table = (typeof TABLES | typeof BUSY_TABLES)[number];

export interface Shot {
  readonly medium: 'original' | 'screen' | 'copy';
  readonly table: Table;
  /** Degrees, as in `Pose`. */
  readonly tilt: readonly [number, number, number];
  /** Range of the filled share of the frame's width or height, whichever is reached first. */
  readonly fill: readonly [number, number];
  /** Defocus deviation and motion length, in frame pixels. */
  readonly blur: number;
  readonly motion: number;
  /** Deviation in levels of 0 to 255. */
  readonly noise: number;
  /** Factor on all levels, and relative darkness of the deepest shadow. */
  readonly exposure: number;
  readonly shadow: number;
  /** 0: none; 1: white in the middle. */
  readonly glare: number;
  readonly hasFinger: boolean;
  /** JPEG quality, 100 is best; undefined: uncompressed. */
  readonly quality?: number;
}

export function planShot(how: Distortion, random: Random): Shot {
  const part = () => random.sign() * random.between(0.35, 1);
  const signed = (a: number, b: number, c: number) =>
    [a * random.sign(), b * random.sign(), c * random.sign()] as const;
  const still: Shot = {
    medium: 'original',
    table: random.pick(TABLES),
    tilt: [random.between(-1, 1), random.between(-1, 1), random.between(-0.8, 0.8)],
    fill: [0.84, 0.86],
    blur: 0.35,
    motion: 0,
    noise: 1.5,
    exposure: random.between(0.94, 1.02),
    shadow: random.between(0.03, 0.1),
    glare: 0,
    hasFinger: false,
  };
  switch (how) {
    case 'clean':
      return still;
    case 'rotated':
      return { ...still, tilt: [still.tilt[0], still.tilt[1], 12 * part()], noise: 3 };
    case 'perspective':
      return { ...still, tilt: [18 * part(), 18 * part(), still.tilt[2]], noise: 3 };
    case 'blurred':
      return { ...still, blur: 1.5, motion: random.between(0, 1.5), noise: 3 };
    case 'noisy':
      return { ...still, noise: 12, quality: 82 };
    case 'glare':
      return { ...still, glare: random.between(0.95, 1.35), blur: 0.5, noise: 3 };
    case 'dim':
      return { ...still, exposure: random.between(0.26, 0.4), shadow: 0.35, blur: 0.6, noise: 5 };
    case 'small':
      return { ...still, fill: [0.55, 0.9], blur: 0.5, noise: 3 };
    case 'typical':
      return {
        ...still,
        tilt: signed(8, 6, 3),
        blur: 0.8,
        noise: 6,
        shadow: random.between(0.1, 0.25),
        hasFinger: random.next() < 0.5,
        quality: 88,
      };
    case 'hard':
      return {
        ...still,
        tilt: signed(14, 10, 6),
        blur: 1.2,
        motion: random.between(0.5, 1.5),
        noise: 10,
        exposure: random.between(0.65, 0.95),
        shadow: random.between(0.2, 0.4),
        glare: random.next() < 0.4 ? random.between(0.4, 0.8) : 0,
        hasFinger: random.next() < 0.6,
        quality: 78,
      };
    case 'on_screen':
      return {
        ...still,
        medium: 'screen',
        tilt: signed(4, 5, 2),
        noise: random.between(2, 6),
        // Glass mirrors the room.
        glare: random.next() < 0.3 ? random.between(0.2, 0.6) : 0,
      };
    case 'photocopied':
      return { ...still, medium: 'copy', tilt: signed(4, 4, 2), blur: 0.7, noise: 4, quality: 90 };
  }
}
