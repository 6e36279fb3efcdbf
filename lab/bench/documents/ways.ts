// Ways of holding and photographing documents in eval:documents, and which of them are mild.
import { DISTORTIONS, type Distortion, type PhotographOptions } from '@limen/documents/testing/distort/index.ts';

export interface Way {
  name: string;
  how: Distortion;
  held?: Pick<PhotographOptions, 'turn' | 'width' | 'height'>;
  /** Target share that is read correctly. */
  aim?: number;
}

const MILD: readonly Distortion[] = ['rotated', 'perspective', 'blurred', 'noisy', 'glare', 'dim', 'typical'];
const COPIES: readonly Distortion[] = ['on_screen', 'photocopied'];

export const WAYS: readonly Way[] = [
  ...DISTORTIONS.filter((how) => !COPIES.includes(how)).map(describe),
  { name: 'typical, upside down', how: 'typical', held: { turn: 180 } },
  { name: 'typical, upright phone', how: 'typical', held: { turn: 90, width: 720, height: 1280 } },
  ...COPIES.map(describe),
];

function describe(how: Distortion): Way {
  if (how === 'clean') return { name: how, how, aim: 0.95 };
  return MILD.includes(how) ? { name: how, how, aim: 0.85 } : { name: how, how };
}
