// Keeps the camera on while the person is present. Turns it off after an absence and on again on
// return.
import type { Camera } from '../../camera/open-camera.ts';
import type { Platform } from '../platform.ts';
import { type Attention, waitUntilPresent } from './attention.ts';

interface HoldOptions {
  open(signal: AbortSignal): Promise<Camera>;
  attention: Attention;
  platform: Pick<Platform, 'after'>;
  signal: AbortSignal;
  /** Called just before the camera is turned off. */
  onOff(): void;
  /** Called when the camera was taken away while the person was present. */
  onLost(): void;
}

/** Shorter absences leave the camera on. */
const AWAY_MS = 5_000;

export function holdCamera({ open, attention, platform, signal, onOff, onLost }: HoldOptions) {
  let camera: Camera | undefined;
  let opening: Promise<Camera> | undefined;
  let isOver = false;
  let stopTimer: (() => void) | undefined;
  const stopWatching = attention.onChange(countAbsence);

  function countAbsence(): void {
    if (!camera || attention.isPresent()) {
      stopTimer?.();
      stopTimer = undefined;
    } else {
      stopTimer ??= platform.after(AWAY_MS, turnOff);
    }
  }

  function turnOff(): void {
    stopTimer?.();
    stopTimer = undefined;
    onOff();
    camera?.stop();
    camera = undefined;
  }

  async function turnOn(): Promise<Camera> {
    await waitUntilPresent(attention, signal);
    const opened = await open(signal);
    if (isOver) {
      opened.stop();
      throw new Error('The camera is no longer wanted');
    }
    camera = opened;
    opened.onLost(() => {
      if (camera !== opened) return;
      // Phones take the camera from hidden pages and may return it later.
      if (attention.isPresent()) onLost();
      else turnOff();
    });
    countAbsence();
    return opened;
  }

  return {
    /** Opens the camera if it is off, after waiting for the person. */
    get(): Promise<Camera> {
      if (camera) return Promise.resolve(camera);
      opening ??= turnOn().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    /** Turns the camera off until the next `get`. */
    rest: turnOff,
    stop(): void {
      isOver = true;
      stopWatching();
      turnOff();
    },
  };
}
