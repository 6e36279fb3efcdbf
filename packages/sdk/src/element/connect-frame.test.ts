// The element's end of the channel: who gets a port, and the timeouts.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectFrame } from './connect-frame.ts';
import type { PageMessage } from './messages.ts';

const ORIGIN = 'https://limen.example';
const LONG_MS = 60_000;

/** A frame whose documents are loaded by the test. The page's end of the port answers on demand. */
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
    /** Takes the last port and answers everything on it. */
    async answer() {
      const port = ports.at(-1)!;
      port.onmessage = () => port.postMessage({ type: 'connected' });
      port.postMessage({ type: 'connected' });
      await expect.poll(() => heard.length).toBeGreaterThan(0);
    },
  };
}

describe('connectFrame', () => {
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

  it('stays connected after the page answered, whether it greeted before or after the load', async () => {
    const { hello, load, answer, silences, connection } = opened;
    hello();
    await answer();
    load();
    await settle();
    vi.advanceTimersByTime(LONG_MS);
    expect([silences, connection.send({ type: 'cancel' })]).toEqual([[], true]);
  });

  it('notices the first navigation away from the page', async () => {
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

  it('distinguishes a frame without a greeting from one whose page did not take its port', () => {
    const { load, hello, silences } = opened;
    load();
    vi.advanceTimersByTime(LONG_MS);
    expect(silences).toEqual([false]);
    hello();
    vi.advanceTimersByTime(LONG_MS);
    expect(silences).toEqual([false, true]);
  });

  it('port theft: gives a port to no other origin', () => {
    opened.hello('https://evil.example');
    opened.hello(ORIGIN, {});
    expect(opened.ports).toEqual([]);
  });
});
