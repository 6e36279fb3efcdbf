// Says why the camera is wanted before the browser asks for it: once, and not where it will not ask.
import type { Camera } from '../../camera/open-camera.ts';
import type { PermissionScreen } from '../../course/screens.ts';
import { createInbox } from '../waiting/person-input.ts';
import type { CameraParts } from './step-camera.ts';

export interface ExplainedCamera extends CameraParts {
  /** Without a question to the person. */
  isAllowed(): Promise<boolean>;
}

export interface Explainer {
  /** The same one. Who had it open knows what the browser asks. */
  camera: CameraParts;
  /** Shows the explanation and waits for the person, if there is anything to explain. */
  untilKnown(signal: AbortSignal): Promise<void>;
  /** The person has read it. */
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
