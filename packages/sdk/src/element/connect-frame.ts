// Gives the page in a frame one end of a channel, and hears what it says through it.
import type { Connect, HostMessage, LimenCheckMode, PageMessage } from './messages.ts';

/** After the frame has loaded; the page answers at once, or it is not the page. */
const ANSWER_MS = 8_000;
/** A frame that does not load at all. */
const LOAD_MS = 45_000;

interface ConnectOptions {
  frame: HTMLIFrameElement;
  /** Of the page: no other gets the port. */
  origin: string;
  mode: LimenCheckMode;
  onMessage(message: PageMessage): void;
  /** Nobody has answered; it may still come. */
  onSilence(): void;
}

export interface FrameConnection {
  /** False before the page has taken its port. */
  send(message: HostMessage): boolean;
  close(): void;
}

export function connectFrame({ frame, origin, mode, onMessage, onSilence }: ConnectOptions): FrameConnection {
  let port: MessagePort | undefined;
  let isTaken = false;
  let timer = setTimeout(onSilence, LOAD_MS);

  /** Again whenever the page was loaded anew: each page takes one port. */
  function offer(): void {
    port?.close();
    isTaken = false;
    clearTimeout(timer);
    timer = setTimeout(onSilence, ANSWER_MS);
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port1.onmessage = ({ data }: MessageEvent<PageMessage>) => {
      isTaken = true;
      clearTimeout(timer);
      onMessage(data);
    };
    const message: Connect = { limen: 'connect', mode };
    frame.contentWindow?.postMessage(message, origin, [port2]);
  }

  frame.addEventListener('load', offer);
  return {
    send(message) {
      if (isTaken) port?.postMessage(message);
      return isTaken;
    },
    close() {
      frame.removeEventListener('load', offer);
      clearTimeout(timer);
      port?.close();
    },
  };
}
