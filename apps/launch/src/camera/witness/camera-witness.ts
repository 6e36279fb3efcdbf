// Watches the stream itself while a step looks at its pictures, and says at the end what no camera does.
import { CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';
import { askCamera } from './ask-camera.ts';
import type { FrameMark } from './frame-mark.ts';
import { hasOddTiming } from './frame-timing.ts';
import { isRequestIgnored, measurePace } from './request-ignored.ts';
import { hasMismatch, readTrackFacts } from './settings-mismatch.ts';
import { hasStandingClock } from './standing-clock.ts';

/** Told of every frame by whoever plays the stream. */
export interface StreamListener {
  /** Another stream from here on. */
  begin(stream: MediaStream): void;
  note(mark: FrameMark): void;
}

interface CameraWitness extends StreamListener {
  /** A picture was looked at. */
  see(picture: { repeats?: true; light: number | null }): void;
  /** Asks the camera for another frame rate. Nobody waits for it; `onReply` is called if it agrees or refuses. */
  ask(onReply?: () => void): void;
  /** Those that were seen so far, in the order of their list. */
  signs(): CameraSign[];
  stop(): void;
}

interface WitnessOptions {
  now(): number;
  /** Calls back once; the result stops it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Half a minute of most cameras; every rule is content with much less. */
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

  /** What still waits goes on at once. */
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
      // Not one by one: that would move all of them with every frame.
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
