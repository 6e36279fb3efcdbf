// Takes the port that the page around the frame offers: from an allowed origin, and once.
import type { Connect, LimenCheckMode } from '@limen/sdk/element';

export interface TakenPort {
  port: MessagePort;
  mode: LimenCheckMode;
  /** The host leads the window on, and wants to know where to. */
  redirect: boolean;
}

/** What of the window it needs. */
export interface FramedWindow {
  readonly parent: unknown;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void;
}

/** Listens from now on; what comes before the origins are known waits for them. Whoever else offers a port finds it closed. */
export function takePort(framed: FramedWindow, origins: Promise<readonly string[]>): Promise<TakenPort> {
  return new Promise((resolve) => {
    let isTaken = false;

    async function consider({ data, source, origin, ports }: MessageEvent<unknown>): Promise<void> {
      const [port] = ports;
      // A frame beside this one, or one within, can reach this window too.
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
