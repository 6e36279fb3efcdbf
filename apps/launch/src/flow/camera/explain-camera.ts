// Explains why the camera is needed before the browser asks for it. Skips this if the browser will
// not ask.
import type { Camera } from '../../camera/open-camera.ts';
import type { PermissionScreen } from '../../course/screens.ts';
import { createInbox } from '../waiting/person-input.ts';
import type { CameraParts } from './step-camera.ts';

export interface ExplainedCamera extends CameraParts {
  isAllowed(): Promise<boolean>;
}

export interface Explainer {
  /** Wraps the camera; opening it marks the explanation as known. */
  camera: CameraParts;
  /** Shows the explanation and waits for the person, unless it is known or not needed. */
  untilKnown(signal: AbortSignal): Promise<void>;
  goOn(): void;
}

export function createExplainer(camera: ExplainedCamera, show: (screen: PermissionScreen) => void): Explainer {
  const presses = createInbox<true>();
  let isKnown = false;
  return {
    camera: {
      async open(...how): Promise<Camera> {
        const opened = await camera.open(...how);
        isKnown = true;
        return opened;
      },
      start: camera.start,
    },
    async untilKnown(signal) {
      if (isKnown) return;
      const isAllowed = await camera.isAllowed();
      signal.throwIfAborted();
      if (isAllowed) return;
      show({ name: 'permission', state: 'explain' });
      isKnown = await presses.take(signal);
    },
    goOn: () => presses.put(true),
  };
}
