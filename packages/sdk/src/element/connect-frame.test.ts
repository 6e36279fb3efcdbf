// The element's end of the channel: who gets a port, and when nobody answers.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectFrame } from './connect-frame.ts';
import type { PageMessage } from './messages.ts';

const ORIGIN = 'https://limen.example';
const LONG_MS = 60_000;

/** A frame whose documents a test loads; the page's end of the port answers where the test lets it. */
function openFrame() {
  const around = new EventTarget();
  vi.stubGlobal('addEventListener', around.addEventListener.bind(around));
  vi.stubGlobal('removeEventListener', around.removeEventListener.bind(around));
  const ports: MessagePort[] = [];
  const contentWindow = { postMessage: (_: unknown, __: string, given: MessagePort[]) => ports.push(...given) };
  const frame = Object.assign(new EventTarget(), { contentWindow });
  const heard: PageMessage[] = [];
  const silences: boolean[] = [];
  const connection = connectFrame({
    frame: frame as unknown as HTMLIFrameElement,
    origin: ORIGIN,
    connect: { limen: 'connect', mode: 'inline' },
    onMessage: (message) => heard.push(message),
    onSilence: (isGreeted) => silences.push(isGreeted),
  });
  return {
    connection,
    ports,
    heard,
    silences,
    load: () => frame.dispatchEvent(new Event('load')),
    hello(origin = ORIGIN, source: unknown = contentWindow) {
      around.dispatchEvent(Object.assign(new Event('message'), { source, origin, data: { limen: 'hello' } }));
    },
    /** The page takes the last port, and answers everything that comes through it. */
    async answer() {
      const port = ports.at(-1)!;
      port.onmessage = () => port.postMessage({ type: 'connected' });
      port.postMessage({ type: 'connected' });
      await expect.poll(() => heard.length).toBeGreaterThan(0);
    },
  };
}

describe('a frame', () => {
  let opened: ReturnType<typeof openFrame>;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    opened = openFrame();
  });
  afterEach(() => {
    opened.connection.close();
    for (const port of opened.ports) port.close();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const settle = () => new Promise(setImmediate).then(() => new Promise(setImmediate));

  it('whose page has answered stays connected, whether it greeted before it had loaded or after', async () => {
    const { hello, load, answer, silences, connection } = opened;
    hello();
    await answer();
    load();
    await settle();
    vi.advanceTimersByTime(LONG_MS);
    expect([silences, connection.send({ type: 'cancel' })]).toEqual([[], true]);
  });

  it('that is led away afterwards is noticed the first time', async () => {
    const { hello, load, answer, silences, ports, connection } = opened;
    load();
    hello();
    await answer();
    // The document with the other end is gone.
    ports[0]!.onmessage = null;
    load();
    await settle();
    vi.advanceTimersByTime(LONG_MS);
    expect([silences, connection.isSilent()]).toEqual([[true], true]);
  });

  it('in which nobody greets is told apart from one whose page did not take its port', () => {
    const { load, hello, silences } = opened;
    load();
    vi.advanceTimersByTime(LONG_MS);
    expect(silences).toEqual([false]);
    hello();
    vi.advanceTimersByTime(LONG_MS);
    expect(silences).toEqual([false, true]);
  });

  it('port theft: gives a port to nobody else', () => {
    opened.hello('https://evil.example');
    opened.hello(ORIGIN, {});
    expect(opened.ports).toEqual([]);
  });
});
