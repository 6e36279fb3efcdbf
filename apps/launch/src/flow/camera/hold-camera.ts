// Has the camera on while somebody is there: left alone for a while it is turned off, and on again when they are back.
import type { Camera } from '../../camera/open-camera.ts';
import type { Platform } from '../platform.ts';
import { type Attention, untilThere } from './attention.ts';

interface HoldOptions {
  open(signal: AbortSignal): Promise<Camera>;
  attention: Attention;
  platform: Pick<Platform, 'after'>;
  signal: AbortSignal;
  /** Just before it is turned off. */
  onOff(): void;
  /** It was taken away from somebody who is there. */
  onLost(): void;
}

/** A glance at another page is no reason to turn it off and on. */
const AWAY_MS = 5_000;

export function holdCamera({ open, attention, platform, signal, onOff, onLost }: HoldOptions) {
  let camera: Camera | undefined;
  let opening: Promise<Camera> | undefined;
  let isOver = false;
  let stopTimer: (() => void) | undefined;
  const stopWatching = attention.onChange(countAbsence);

  function countAbsence(): void {
    if (!camera || attention.isThere()) {
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
    await untilThere(attention, signal);
    const opened = await open(signal);
    if (isOver) {
      opened.stop();
      throw new Error('The camera is not wanted any more');
    }
    camera = opened;
    opened.onLost(() => {
      if (camera !== opened) return;
      // Phones take it away from pages out of sight: it may be there again afterwards.
      if (attention.isThere()) onLost();
      else turnOff();
    });
    countAbsence();
    return opened;
  }

  return {
    /** Turned on if it is off, and not before somebody is there. */
    get(): Promise<Camera> {
      if (camera) return Promise.resolve(camera);
      opening ??= turnOn().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    /** Turned off until it is wanted again. */
    rest: turnOff,
    stop(): void {
      isOver = true;
      stopWatching();
      turnOff();
    },
  };
}
