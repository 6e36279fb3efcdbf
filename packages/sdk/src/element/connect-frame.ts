// Connects the element with the page in its frame by a message channel.
import type { Connect, Hello, HostMessage, PageMessage } from './messages.ts';

/** Timeout for the page's answer after the frame has loaded or the page has greeted. */
const ANSWER_MS = 8_000;
/** Timeout for loading the frame. */
const LOAD_MS = 45_000;

interface ConnectOptions {
  frame: HTMLIFrameElement;
  /** Origin of the page. No other origin gets the port. */
  origin: string;
  /** Message sent to the page together with the port. */
  connect: Connect;
  onMessage(message: PageMessage): void;
  /** Called if the page does not answer. `isGreeted`: the page greeted earlier. */
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

  /** Repeats for every page load, because each page takes one port. */
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
   * Any load counts, including the browser's error page for a page that may not be framed. If
   * another document replaced the connected one, the ping stays unanswered.
   */
  function ask(): void {
    wait();
    const ping: HostMessage = { type: 'ping' };
    port?.postMessage(ping);
  }

  addEventListener('message', offer);
  frame.addEventListener('load', ask);
  return {
    /** Returns false before the page has taken its port. */
    send(message: HostMessage): boolean {
      if (isTaken) port?.postMessage(message);
      return isTaken;
    },
    /** True from `onSilence` until the page answers after all. */
    isSilent: (): boolean => isSilent,
    close(): void {
      removeEventListener('message', offer);
      frame.removeEventListener('load', ask);
      clearTimeout(timer);
      port?.close();
    },
  };
}
