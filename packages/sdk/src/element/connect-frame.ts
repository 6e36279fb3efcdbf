// Gives the page in a frame one end of a channel, and hears what it says through it.
import type { Connect, Hello, HostMessage, LimenCheckMode, PageMessage } from './messages.ts';

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
  let isGreeted = false;
  let timer = setTimeout(onSilence, LOAD_MS);

  /** Again whenever the page was loaded anew: each page takes one port. */
  function offer({ source, origin: from, data }: MessageEvent<Partial<Hello> | null>): void {
    if (source !== frame.contentWindow || from !== origin || data?.limen !== 'hello') return;
    port?.close();
    isTaken = false;
    isGreeted = true;
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port1.onmessage = ({ data: message }: MessageEvent<PageMessage>) => {
      isTaken = true;
      clearTimeout(timer);
      onMessage(message);
    };
    const connect: Connect = { limen: 'connect', mode };
    frame.contentWindow?.postMessage(connect, origin, [port2]);
  }

  /** Whatever it was that loaded; what a browser shows in place of a page that may not be framed counts, too. */
  function wait(): void {
    clearTimeout(timer);
    // Another document than the one that took the port, and it has not said that it listens.
    if (!isGreeted) isTaken = false;
    isGreeted = false;
    if (!isTaken) timer = setTimeout(onSilence, ANSWER_MS);
  }

  addEventListener('message', offer);
  frame.addEventListener('load', wait);
  return {
    send(message) {
      if (isTaken) port?.postMessage(message);
      return isTaken;
    },
    close() {
      removeEventListener('message', offer);
      frame.removeEventListener('load', wait);
      clearTimeout(timer);
      port?.close();
    },
  };
}
