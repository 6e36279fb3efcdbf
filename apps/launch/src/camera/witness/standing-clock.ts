// The sign `standing_clock`: pictures come while the stream's own time stands still or runs backwards.
import type { FrameMark } from './frame-mark.ts';

/** Far beyond a frame that is shown twice, and a camera that hangs shows no new ones. */
const STANDING_MS = 2_000;
const STANDING_MARKS = 20;
/** A camera that the system takes away and gives back begins to count anew: once is none, nor is twice. */
const TIMES_BACK = 3;
const BACK_MS = 1;

export function hasStandingClock(marks: readonly FrameMark[]): boolean {
  return (['mediaMs', 'capturedAt'] as const).some((name) => standsStill(marks, name) || runsBack(marks, name));
}

type StreamTime = 'mediaMs' | 'capturedAt';

function standsStill(marks: readonly FrameMark[], name: StreamTime): boolean {
  let start = 0;
  for (const [i, mark] of marks.entries()) {
    const begin = marks[start]!;
    if (mark[name] === null || mark[name] !== begin[name]) start = i;
    // Without new frames there is no new time either.
    else if (mark.count !== null && begin.count !== null && mark.count - begin.count < i - start) start = i;
    else if (i - start >= STANDING_MARKS && mark.readAt - begin.readAt >= STANDING_MS) return true;
  }
  return false;
}

function runsBack(marks: readonly FrameMark[], name: StreamTime): boolean {
  const back = marks.filter((mark, i) => {
    const [time, before] = [mark[name], marks[i - 1]?.[name] ?? null];
    return time !== null && before !== null && before - time > BACK_MS;
  });
  return back.length >= TIMES_BACK;
}
