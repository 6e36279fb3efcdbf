import { expect, test } from 'vitest';
import { createFrameChooser, type WatchedMoment } from './choose-frames.ts';

const FRAME: WatchedMoment = { phase: 'passed', events: [], people: 1, isGood: true, isLit: false, timeMs: 0 };

/** Counts how often a frame is tied to the person. */
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

test('measures a lit face now and then, not in every frame', async () => {
  const { chooser, ties } = countTies();
  for (let timeMs = 0; timeMs < 2_700; timeMs += 100) await chooser.consider({ ...FRAME, isLit: true, timeMs });
  expect(ties.count).toBe(3);
});

test('measures at most two frames per movement, however long the return takes', async () => {
  const { chooser, ties } = countTies();
  const shown = { type: 'shown', index: 1 } as never;
  const done = { type: 'done', index: 0 } as never;
  await chooser.consider({ ...FRAME, phase: 'asking', events: [done] });
  for (let timeMs = 0; timeMs < 1_000; timeMs += 100) await chooser.consider({ ...FRAME, phase: 'asking', timeMs });
  await chooser.consider({ ...FRAME, phase: 'asking', events: [shown], timeMs: 1_100 });
  expect(ties.count).toBe(2);
});
