// Asks a camera for another frame rate and for the first one again, and gathers what it answers.
import { nameOf } from '../error-name.ts';
import { attempt } from './attempt.ts';
import { type CameraAnswer, chooseRate, type Pace } from './request-ignored.ts';

interface AskOptions {
  track: Partial<Pick<MediaStreamTrack, 'applyConstraints' | 'getSettings' | 'getConstraints'>>;
  /** Of the frames that were shown between two times of `now`. */
  measurePace(fromMs: number, toMs: number): Pace;
  now(): number;
  /** Resolves after so long, or at once when nobody is interested any more. */
  wait(ms: number): Promise<void>;
  /** The camera has agreed or refused, and not too late. */
  onReply?(): void;
}

/** A camera that takes longer may still do it, and nobody waits for it. */
const REPLY_MS = 700;
/** Frames that were on their way. */
const SETTLE_MS = 200;
const LOOK_MS = 700;
const BEFORE_MS = 1_500;

/** Null where the browser or the camera cannot be asked. Never rejects. */
export async function askCamera({ track, measurePace, now, wait, onReply }: AskOptions): Promise<CameraAnswer | null> {
  const { applyConstraints } = track;
  const askedRate = chooseRate(readRate(track));
  if (typeof applyConstraints !== 'function' || askedRate === null) return null;
  // What it was opened with stays: without it, browsers choose another size.
  const constraints = attempt(() => track.getConstraints?.()) ?? {};
  const apply = async (wanted: MediaTrackConstraints) => applyConstraints.call(track as MediaStreamTrack, wanted);
  const before = measurePace(now() - BEFORE_MS, now());
  const reply = await Promise.race<CameraAnswer['reply']>([
    apply({ ...constraints, frameRate: { ideal: askedRate, max: askedRate } }).then(
      () => 'agreed',
      (error: unknown) => ({ refused: nameOf(error) }),
    ),
    wait(REPLY_MS).then(() => 'pending'),
  ]);
  if (reply !== 'pending') onReply?.();
  if (reply === 'agreed') await wait(SETTLE_MS);
  const start = now();
  if (reply === 'agreed') await wait(LOOK_MS);
  const answer = { reply, isNative: isNative(applyConstraints), askedRate, toldRate: readRate(track), before };
  const after = measurePace(start, now());
  apply(constraints).catch(() => undefined);
  return { ...answer, after };
}

/** What a page or an extension has put in its place shows its text. */
function isNative(called: unknown): boolean {
  return Function.prototype.toString.call(called).includes('[native code]');
}

function readRate(track: AskOptions['track']): number | undefined {
  return attempt(() => track.getSettings?.().frameRate) ?? undefined;
}
