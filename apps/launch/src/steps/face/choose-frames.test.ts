import { expect, test } from 'vitest';
import { createFrameChooser, type FrameAtHand } from './choose-frames.ts';

const FRAME: FrameAtHand = { phase: 'passed', events: [], people: 1, isGood: true, isLit: false, timeMs: 0 };

/** How often the person was looked at. */
function countTies() {
  const ties = { count: 0 };
  const chooser = createFrameChooser({
    kept: 2,
    isDoubted: false,
    async tie() {
      ties.count += 1;
      return 'same';
    },
    clear() {},
  });
  return { chooser, ties };
}

test('in the light of the screen a face is measured now and then, not in every frame that is looked at for the light', async () => {
  const { chooser, ties } = countTies();
  for (let timeMs = 0; timeMs < 2_700; timeMs += 100) await chooser.consider({ ...FRAME, isLit: true, timeMs });
  expect(ties.count).toBe(3);
});

test('two frames at most are measured for a movement, however long the way back takes', async () => {
  const { chooser, ties } = countTies();
  const shown = { type: 'shown', index: 1 } as never;
  const done = { type: 'done', index: 0 } as never;
  await chooser.consider({ ...FRAME, phase: 'asking', events: [done] });
  for (let timeMs = 0; timeMs < 1_000; timeMs += 100) await chooser.consider({ ...FRAME, phase: 'asking', timeMs });
  await chooser.consider({ ...FRAME, phase: 'asking', events: [shown], timeMs: 1_100 });
  expect(ties.count).toBe(2);
});
