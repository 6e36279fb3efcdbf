// Observes the camera stream during a step and reports signs that no real camera shows.
import { CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';
import { getErrorName } from '../open-camera.ts';
import { attempt } from './attempt.ts';
import type { FrameMark } from './frame-mark.ts';
import { hasOddTiming } from './frame-timing.ts';
import { type CameraAnswer, chooseRate, isRequestIgnored, measurePace, type Pace } from './request-ignored.ts';
import { hasMismatch, readTrackFacts } from './settings-mismatch.ts';

/** Observer of every frame of the playing stream. */
export interface StreamListener {
  begin(stream: MediaStream): void;
  note(mark: FrameMark): void;
}

interface CameraWitness extends StreamListener {
  see(picture: { repeats?: true; light: number | null }): void;
  /** Requests another frame rate. Calls `onReply` if the camera agrees or refuses. */
  ask(onReply?: () => void): void;
  /** Signs so far, in the order of the list. */
  signs(): CameraSign[];
  stop(): void;
}

interface WitnessOptions {
  now(): number;
  /** Calls back once. Returns a function that cancels the timer. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Half a minute for most cameras. Every rule needs much less. */
const MAX_MARKS = 900;

export function createCameraWitness({ now, after }: WitnessOptions): CameraWitness {
  const seen = new Set<CameraSign>();
  const pending = new Map<() => void, () => void>();
  let track: MediaStreamTrack | undefined;
  let marks: FrameMark[] = [];
  let light: number | null = null;
  let isAsking = false;

  function judge(): void {
    if (!track) return;
    if (hasOddTiming(marks)) seen.add('frame_timing');
    if (hasStandingClock(marks)) seen.add('standing_clock');
    if (hasMismatch(readTrackFacts(track), marks, light)) seen.add('settings_mismatch');
  }

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        pending.delete(finish);
        resolve();
      };
      pending.set(finish, after(ms, finish));
    });
  }

  /** Completes all pending waits at once. */
  function hurry(): void {
    for (const [finish, stop] of [...pending]) {
      stop();
      finish();
    }
  }

  async function askTrack(asked: MediaStreamTrack, onReply: (() => void) | undefined): Promise<void> {
    isAsking = true;
    const answer = await askCamera({
      track: asked,
      measurePace: (fromMs, toMs) => measurePace(marks, fromMs, toMs),
      now,
      wait,
      ...(onReply && { onReply }),
    });
    isAsking = false;
    if (answer && isRequestIgnored(answer)) seen.add('request_ignored');
  }

  return {
    begin(stream) {
      const [next] = stream.getVideoTracks?.() ?? [];
      if (next === track) return;
      judge();
      hurry();
      track = next;
      marks = [];
    },
    note(mark) {
      marks.push(mark);
      // Removed in bulk, because removing one by one would copy the list with every frame.
      if (marks.length > 2 * MAX_MARKS) marks = marks.slice(-MAX_MARKS);
    },
    see(picture) {
      if (picture.repeats) seen.add('repeated_noise');
      light = picture.light ?? light;
    },
    ask(onReply) {
      if (track && !isAsking) void askTrack(track, onReply);
    },
    signs() {
      judge();
      return CAMERA_SIGN_NAMES.filter((name) => seen.has(name));
    },
    stop: hurry,
  };
}

/** Far longer than a repeated frame. A hanging camera shows no new frames. */
const STANDING_MS = 2_000;
const STANDING_MARKS = 20;
/** Backward jumps that count as a sign. Cameras that the system interrupts jump once or twice. */
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
    // Without new frames the time may stand still.
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

interface AskOptions {
  track: Partial<Pick<MediaStreamTrack, 'applyConstraints' | 'getSettings' | 'getConstraints'>>;
  /** Measures the pace of the frames that were shown between two times of `now`. */
  measurePace(fromMs: number, toMs: number): Pace;
  now(): number;
  /** Resolves after the delay, or at once if the answer is no longer needed. */
  wait(ms: number): Promise<void>;
  /** Called when the camera agreed or refused in time. */
  onReply?(): void;
}

/** Maximum wait for the camera's reply. A slower camera may still apply the request later. */
const REPLY_MS = 700;
/** Time for frames in flight. */
const SETTLE_MS = 200;
const LOOK_MS = 700;
const BEFORE_MS = 1_500;

/** Returns null if the browser or camera does not support the request. Never rejects. */
async function askCamera({ track, measurePace, now, wait, onReply }: AskOptions): Promise<CameraAnswer | null> {
  const { applyConstraints } = track;
  const askedRate = chooseRate(readRate(track));
  if (typeof applyConstraints !== 'function' || askedRate === null) return null;
  // The original constraints stay. Without them, browsers choose another size.
  const constraints = attempt(() => track.getConstraints?.()) ?? {};
  const apply = async (wanted: MediaTrackConstraints) => applyConstraints.call(track as MediaStreamTrack, wanted);
  const before = measurePace(now() - BEFORE_MS, now());
  const reply = await Promise.race<CameraAnswer['reply']>([
    apply({ ...constraints, frameRate: { ideal: askedRate, max: askedRate } }).then(
      () => 'agreed',
      (error: unknown) => ({ refused: getErrorName(error) }),
    ),
    wait(REPLY_MS).then(() => 'pending'),
  ]);
  if (reply !== 'pending') onReply?.();
  if (reply === 'agreed') await wait(SETTLE_MS);
  const start = now();
  if (reply === 'agreed') await wait(LOOK_MS);
  const answer = { reply, isNative: isNative(applyConstraints), askedRate, reportedRate: readRate(track), before };
  const after = measurePace(start, now());
  apply(constraints).catch(() => undefined);
  return { ...answer, after };
}

/** Returns whether a function is native. A replacement by a page or extension shows its text. */
function isNative(called: unknown): boolean {
  return Function.prototype.toString.call(called).includes('[native code]');
}

function readRate(track: AskOptions['track']): number | undefined {
  return attempt(() => track.getSettings?.().frameRate) ?? undefined;
}
