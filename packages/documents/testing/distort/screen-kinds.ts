// Screens that show documents: resolution, subpixel layout, and size of the document.

import type { Size } from './canvas.ts';
import { blurCell, type FinePattern, lookUp, type Patch, type Spread } from './fine-pattern.ts';
import type { Random } from './random.ts';

export const SCREENS = ['phone_oled', 'phone_lcd', 'tablet', 'laptop', 'monitor', 'monitor_4k'] as const;
export type ScreenName = (typeof SCREENS)[number];

interface ScreenKind {
  readonly layout: 'stripes' | 'diamonds';
  readonly pixelsPerInch: readonly [number, number];
  /** Display area in millimeters, longer side first. */
  readonly area: Size;
  /** Range of the document's size relative to the maximum. */
  readonly part: readonly [number, number];
  /** Whether the screen is hand-held, and may show a document along either side. */
  readonly isHeld: boolean;
}

const KINDS: Readonly<Record<ScreenName, ScreenKind>> = {
  phone_oled: {
    layout: 'diamonds',
    pixelsPerInch: [390, 460],
    area: { width: 145, height: 67 },
    part: [0.8, 1],
    isHeld: true,
  },
  phone_lcd: {
    layout: 'stripes',
    pixelsPerInch: [270, 400],
    area: { width: 135, height: 65 },
    part: [0.8, 1],
    isHeld: true,
  },
  tablet: {
    layout: 'stripes',
    pixelsPerInch: [220, 265],
    area: { width: 215, height: 160 },
    part: [0.5, 0.9],
    isHeld: true,
  },
  laptop: {
    layout: 'stripes',
    pixelsPerInch: [125, 225],
    area: { width: 310, height: 190 },
    part: [0.35, 0.8],
    isHeld: false,
  },
  monitor: {
    layout: 'stripes',
    pixelsPerInch: [90, 110],
    area: { width: 530, height: 300 },
    part: [0.25, 0.6],
    isHeld: false,
  },
  monitor_4k: {
    layout: 'stripes',
    pixelsPerInch: [140, 185],
    area: { width: 600, height: 340 },
    part: [0.3, 0.7],
    isHeld: false,
  },
};

/** Red, green and blue stripes in a pixel. */
const STRIPES: readonly (readonly Patch[])[] = [0, 1, 2].map((stripe) => [
  { x: (stripe + 0.5) / 3, y: 0.5, width: 0.28, height: 0.9 },
]);
/** Diamond layout of 2 × 2 pixels: each has green, with red or blue in between. */
const DIAMONDS: readonly (readonly Patch[])[] = [
  lay(0.22, [0, 0], [0.5, 0.5]),
  lay(0.16, [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]),
  lay(0.22, [0.5, 0], [0, 0.5]),
];

function lay(size: number, ...places: [number, number][]): Patch[] {
  return places.map(([x, y]) => ({ x, y, width: size, height: size }));
}

/** In millimeters of the real document, so an enlarged document has a finer grid. */
export function createGrid(name: ScreenName, document: Size, spread: Spread, random: Random): FinePattern {
  const { layout, pixelsPerInch, area, part, isHeld } = KINDS[name];
  const longer = Math.max(document.width, document.height);
  const shorter = Math.min(document.width, document.height);
  const shown = Math.min(area.width / longer, area.height / shorter) * random.between(...part);
  const pixel = 25.4 / random.between(...pixelsPerInch) / shown;
  const period = layout === 'diamonds' ? pixel * 2 : pixel;
  const cells = (layout === 'diamonds' ? DIAMONDS : STRIPES).map((patches) =>
    blurCell(patches, 0, 1 / patches.reduce((sum, { width, height }) => sum + width * height, 0), period, spread),
  );
  const isTurned = isHeld && random.next() < 0.5;
  const turn = (isTurned ? Math.PI / 2 : 0) + random.between(-0.02, 0.02);
  const [cos, sin] = [Math.cos(turn) / period, Math.sin(turn) / period];
  return (x, y, channel) => lookUp(cells[channel]!, x * cos + y * sin, y * cos - x * sin);
}
