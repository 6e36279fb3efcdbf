// Fetching over a real loopback server: what is used, what is refused, and what is tried again.
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPromise } from '../../../testing/fakes/fake-flow.ts';
import { fetchManifest, fetchModel, findEntry, type ModelEntry } from './fetch-models.ts';

const sha256Of = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

const CONTENT = Buffer.from('a model '.repeat(50_000));
const ENTRY: ModelEntry = {
  role: 'detect',
  file: 'detect.onnx',
  sha256: sha256Of(CONTENT),
  identity: sha256Of('what it was made from'),
  bytes: CONTENT.length,
  input: { width: 1, height: 1, channels: 'gray', mean: [0], scale: 1, layout: 'nchw' },
  thresholds: {},
};
const MANIFEST = JSON.stringify({ models: [ENTRY] });

type Reply = (response: ServerResponse) => void;
const send =
  (body: string | Buffer): Reply =>
  (response) =>
    void response.end(body);
const refuse =
  (status: number, headers = {}): Reply =>
  (response) =>
    void response.writeHead(status, headers).end('no');
const breakOff: Reply = (response) => {
  response.writeHead(200, { 'content-length': CONTENT.length });
  response.write(CONTENT.subarray(0, 1000), () => response.destroy());
};

const hang: Reply = (response) => {
  response.writeHead(200, { 'content-length': CONTENT.length });
  response.write(CONTENT.subarray(0, 1000));
};

function createTimers() {
  const timers = new Set<() => void>();
  return {
    get running() {
      return timers.size;
    },
    after(_: number, callback: () => void) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    passSeconds(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        const [due] = timers;
        if (due) timers.delete(due);
        due?.();
      }
    },
  };
}

/** Answers one after the other; the last one for ever. */
async function serve(...replies: Reply[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    replies[Math.min(asked.length, replies.length) - 1]!(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const waits: number[] = [];
  return {
    asked,
    waits,
    close,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/limen/launch/models/`,
    options: { wait: async (ms: number) => void waits.push(ms) },
  };
}

describe('the manifest', () => {
  it('with the expected hash gives the models by role', async () => {
    const { url, options, asked } = await serve(send(MANIFEST));
    const { entries } = await fetchManifest(url, sha256Of(MANIFEST), options);
    expect(findEntry(entries, 'detect')).toEqual(ENTRY);
    expect(asked).toEqual(['/limen/launch/models/manifest.json']);
    expect(() => findEntry(entries, 'eye')).toThrow(expect.objectContaining({ code: 'mismatch' }));
  });

  it('with another hash is not read, after one more look past the cache', async () => {
    const { url, options, asked } = await serve(send(`${MANIFEST} `));
    await expect(fetchManifest(url, sha256Of(MANIFEST), options)).rejects.toMatchObject({ code: 'mismatch' });
    expect(asked).toHaveLength(2);
  });

  it('that is endless is not read to its end', async () => {
    const { url, options } = await serve(send(Buffer.alloc(2 * 1024 * 1024)));
    await expect(fetchManifest(url, sha256Of(MANIFEST), options)).rejects.toMatchObject({ code: 'mismatch' });
  });
});

describe('a model', () => {
  it('comes from the address that names its content, with progress up to its size', async () => {
    const { url, options, asked } = await serve(send(CONTENT));
    const received: number[] = [];
    const bytes = await fetchModel(url, ENTRY, { ...options, onBytes: (count) => received.push(count) });
    expect(Buffer.from(bytes)).toEqual(CONTENT);
    expect(asked).toEqual([`/limen/launch/models/detect.onnx?v=${ENTRY.sha256}`]);
    expect(received.at(-1)).toBe(CONTENT.length);
    expect(received).toEqual(received.toSorted((a, b) => a - b));
  });

  it.each([
    ['changed', Buffer.from(CONTENT).fill(0, 0, 1)],
    ['shortened', CONTENT.subarray(1)],
    ['lengthened', Buffer.concat([CONTENT, Buffer.from('!')])],
  ])('that was %s is refused', async (_, content) => {
    const { url, options } = await serve(send(content));
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'mismatch' });
  });

  it('that was damaged once is fetched again', async () => {
    const { url, options } = await serve(send(CONTENT.subarray(1)), send(CONTENT));
    expect(await fetchModel(url, ENTRY, options)).toHaveLength(CONTENT.length);
  });

  it('that is still being prepared is waited for as long as the server says', async () => {
    const { url, options, waits } = await serve(refuse(503, { 'retry-after': '5' }), refuse(503), send(CONTENT));
    expect(await fetchModel(url, ENTRY, options)).toHaveLength(CONTENT.length);
    expect(waits).toEqual([5000, 1500]);
  });

  it('that is not there for long is unready, and no server makes the page wait for hours', async () => {
    const { url, options, waits } = await serve(refuse(503, { 'retry-after': '86400' }));
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'unready' });
    expect(waits).toEqual([10_000, 10_000, 10_000, 10_000]);
  });

  it('that breaks off is fetched again from its beginning', async () => {
    const { url, options } = await serve(breakOff, breakOff, send(CONTENT));
    const received: number[] = [];
    await fetchModel(url, ENTRY, { ...options, onBytes: (count) => received.push(count) });
    expect(received.filter((count) => count === 0)).toHaveLength(3);
    expect(received.at(-1)).toBe(CONTENT.length);
  });

  it('that brings nothing for a quarter of a minute is fetched again, and not a moment sooner', async () => {
    const { url, options, asked } = await serve(hang, send(CONTENT));
    const timers = createTimers();
    const first = createPromise<void>();
    const onBytes = (count: number) => void (count > 0 && first.resolve());
    const fetching = fetchModel(url, ENTRY, { ...options, after: timers.after, onBytes });
    await first.promise;
    // What came begins the time anew, with the next second.
    timers.passSeconds(15);
    expect(timers.running).toBe(1);
    timers.passSeconds(1);
    expect(await fetching).toHaveLength(CONTENT.length);
    expect([asked.length, timers.running]).toEqual([2, 0]);
  });

  it('that waits while another one comes is not given up', async () => {
    const { url, options, asked } = await serve(hang);
    const timers = createTimers();
    const control = new AbortController();
    const fetching = fetchModel(url, ENTRY, { ...options, after: timers.after, signal: control.signal });
    const left = expect(fetching).rejects.toThrow('enough');
    const other = await serve(send(CONTENT));
    for (let round = 0; round < 3; round += 1) {
      timers.passSeconds(14);
      await fetchModel(other.url, ENTRY, other.options);
    }
    expect([asked.length, timers.running]).toEqual([1, 1]);
    control.abort(new Error('enough'));
    await left;
    expect(timers.running).toBe(0);
  });

  it('that never brings anything means the network is bad', async () => {
    const { url, options, asked } = await serve(() => undefined);
    // Every second is over at once.
    let seconds = 0;
    const after = (_: number, callback: () => void) => {
      seconds += 1;
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    };
    const passed: number[] = [];
    const wait = async () => void passed.push(seconds);
    await expect(fetchModel(url, ENTRY, { ...options, after, wait })).rejects.toMatchObject({ code: 'offline' });
    // The later a try, the more patient.
    expect([...passed, seconds]).toEqual([15, 30, 50, 75, 105]);
    expect(asked.length).toBeLessThanOrEqual(5);
  });

  it('that always breaks off means the network is bad', async () => {
    const { url, options } = await serve(breakOff);
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'offline' });
  });

  it('without a network is offline', async () => {
    const { url, options, waits, close } = await serve(send(CONTENT));
    close();
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'offline' });
    expect(waits).toEqual([500, 1500, 4000, 8000]);
  });

  it('that the server does not have is not asked for twice', async () => {
    const { url, options, asked } = await serve(refuse(404));
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'failed' });
    expect(asked).toHaveLength(1);
  });

  it('is given up when nobody wants it any more, also between two tries', async () => {
    const controller = new AbortController();
    const { url, asked } = await serve(refuse(503));
    const wait = async () => controller.abort(new Error('left'));
    await expect(fetchModel(url, ENTRY, { wait, signal: controller.signal })).rejects.toThrow('left');
    expect(asked).toHaveLength(1);
    await expect(fetchModel(url, ENTRY, { signal: controller.signal })).rejects.toThrow('left');
  });
});
