// Gives the page in a frame one end of a channel, and hears what it says through it.
import type { Connect, Hello, HostMessage, PageMessage } from './messages.ts';

/** After the frame has loaded, or the page has said that it listens; it answers at once, or it is not the page. */
const ANSWER_MS = 8_000;
/** A frame that does not load at all. */
const LOAD_MS = 45_000;

interface ConnectOptions {
  frame: HTMLIFrameElement;
  /** Of the page: no other gets the port. */
  origin: string;
  /** What the page is told together with the port. */
  connect: Connect;
  onMessage(message: PageMessage): void;
  /** Nobody has answered. `isGreeted`: the page was there at some time, and did not take its port or is gone. */
  onSilence(isGreeted: boolean): void;
}

export type FrameConnection = ReturnType<typeof connectFrame>;

export function connectFrame({ frame, origin, connect, onMessage, onSilence }: ConnectOptions) {
  let port: MessagePort | undefined;
  let isTaken = false;
  let isGreeted = false;
  let isSilent = false;
  let timer = setTimeout(fallSilent, LOAD_MS);

  function fallSilent(): void {
    isSilent = true;
    onSilence(isGreeted);
  }

  function wait(): void {
    clearTimeout(timer);
    timer = setTimeout(fallSilent, ANSWER_MS);
  }

  /** Again whenever the page was loaded anew: each page takes one port. */
  function offer({ source, origin: from, data }: MessageEvent<Partial<Hello> | null>): void {
    if (source !== frame.contentWindow || from !== origin || data?.limen !== 'hello') return;
    port?.close();
    isTaken = false;
    isGreeted = true;
    wait();
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port1.onmessage = ({ data: message }: MessageEvent<PageMessage>) => {
      isTaken = true;
      isSilent = false;
      clearTimeout(timer);
      onMessage(message);
    };
    frame.contentWindow?.postMessage(connect, origin, [port2]);
  }

  /**
   * Whatever it was that loaded; what a browser shows in place of a page that may not be framed counts, too. If it is another
   * document than the one that took the port, that one is gone, and does not answer.
   */
  function ask(): void {
    wait();
    const ping: HostMessage = { type: 'ping' };
    port?.postMessage(ping);
  }

  addEventListener('message', offer);
  frame.addEventListener('load', ask);
  return {
    /** False before the page has taken its port. */
    send(message: HostMessage): boolean {
      if (isTaken) port?.postMessage(message);
      return isTaken;
    },
    /** From `onSilence` on, until the page answers after all. */
    isSilent: (): boolean => isSilent,
    close(): void {
      removeEventListener('message', offer);
      frame.removeEventListener('load', ask);
      clearTimeout(timer);
      port?.close();
    },
  };
}
