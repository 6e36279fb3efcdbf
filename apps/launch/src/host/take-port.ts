// Accepts one message port from the embedding page, if its origin is allowed.
import type { Connect, LimenCheckMode } from '@limen/sdk/element';

export interface TakenPort {
  port: MessagePort;
  mode: LimenCheckMode;
  /** Whether the host navigates the window itself and needs the target. */
  redirect: boolean;
}

/** Subset of `Window` used here. */
export interface FramedWindow {
  readonly parent: unknown;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void;
}

/** Listens at once; offers wait for the origins. Closes the ports of all other offers. */
export function takePort(framed: FramedWindow, origins: Promise<readonly string[]>): Promise<TakenPort> {
  return new Promise((resolve) => {
    let isTaken = false;

    async function consider({ data, source, origin, ports }: MessageEvent<unknown>): Promise<void> {
      const [port] = ports;
      // Sibling and nested frames can reach this window too.
      if (source !== framed.parent || !isConnect(data) || !port) return;
      const isAllowed = (await origins).includes(origin);
      if (isTaken || !isAllowed) return port.close();
      isTaken = true;
      resolve({ port, mode: data.mode === 'modal' ? 'modal' : 'inline', redirect: data.redirect === true });
    }

    framed.addEventListener('message', (event) => void consider(event));
  });
}

function isConnect(data: unknown): data is Connect {
  return typeof data === 'object' && data !== null && Reflect.get(data, 'limen') === 'connect';
}
