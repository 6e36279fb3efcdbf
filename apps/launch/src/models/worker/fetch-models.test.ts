// Fetches from a real loopback server: accepted, rejected and retried files.
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPromise } from '../../../testing/fakes/fake-flow.ts';
import { fetchManifest, fetchModel, findEntry, type ModelEntry } from './fetch-models.ts';

const hash = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

const CONTENT = Buffer.from('a model '.repeat(50_000));
const ENTRY: ModelEntry = {
  role: 'detect',
  file: 'detect.onnx',
  sha256: hash(CONTENT),
  identity: hash('what it was made from'),
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

/** Gives the replies in order and repeats the last one. */
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
  it('with the expected hash returns the models by role', async () => {
    const { url, options, asked } = await serve(send(MANIFEST));
    const { entries } = await fetchManifest(url, hash(MANIFEST), options);
    expect(findEntry(entries, 'detect')).toEqual(ENTRY);
    expect(asked).toEqual(['/limen/launch/models/manifest.json']);
    expect(() => findEntry(entries, 'eye')).toThrow(expect.objectContaining({ code: 'mismatch' }));
  });

  it('with another hash is rejected after one fetch that bypasses the cache', async () => {
    const { url, options, asked } = await serve(send(`${MANIFEST} `));
    await expect(fetchManifest(url, hash(MANIFEST), options)).rejects.toMatchObject({ code: 'mismatch' });
    expect(asked).toHaveLength(2);
  });

  it('that is endless is aborted', async () => {
    const { url, options } = await serve(send(Buffer.alloc(2 * 1024 * 1024)));
    await expect(fetchManifest(url, hash(MANIFEST), options)).rejects.toMatchObject({ code: 'mismatch' });
  });
});

describe('a model', () => {
  it('is fetched from the address of its hash, with progress up to its size', async () => {
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
  ])('that was %s is rejected', async (_, content) => {
    const { url, options } = await serve(send(content));
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'mismatch' });
  });

  it('is fetched again after it was damaged once', async () => {
    const { url, options } = await serve(send(CONTENT.subarray(1)), send(CONTENT));
    expect(await fetchModel(url, ENTRY, options)).toHaveLength(CONTENT.length);
  });

  it('is awaited as long as the server says while it is being prepared', async () => {
    const { url, options, waits } = await serve(refuse(503, { 'retry-after': '5' }), refuse(503), send(CONTENT));
    expect(await fetchModel(url, ENTRY, options)).toHaveLength(CONTENT.length);
    expect(waits).toEqual([5000, 1500]);
  });

  it('is reported as unready after a while, whatever Retry-After the server sends', async () => {
    const { url, options, waits } = await serve(refuse(503, { 'retry-after': '86400' }));
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'unready' });
    expect(waits).toEqual([10_000, 10_000, 10_000, 10_000]);
  });

  it('is fetched again from the start after an interruption', async () => {
    const { url, options } = await serve(breakOff, breakOff, send(CONTENT));
    const received: number[] = [];
    await fetchModel(url, ENTRY, { ...options, onBytes: (count) => received.push(count) });
    expect(received.filter((count) => count === 0)).toHaveLength(3);
    expect(received.at(-1)).toBe(CONTENT.length);
  });

  it('is fetched again after exactly fifteen seconds without data', async () => {
    const { url, options, asked } = await serve(hang, send(CONTENT));
    const timers = createTimers();
    const first = createPromise<void>();
    const onBytes = (count: number) => void (count > 0 && first.resolve());
    const fetching = fetchModel(url, ENTRY, { ...options, after: timers.after, onBytes });
    await first.promise;
    // Data resets the limit, from the next tick.
    timers.passSeconds(15);
    expect(timers.running).toBe(1);
    timers.passSeconds(1);
    expect(await fetching).toHaveLength(CONTENT.length);
    expect([asked.length, timers.running]).toEqual([2, 0]);
  });

  it('does not time out while another model makes progress', async () => {
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

  it('is reported as offline if no data ever arrives', async () => {
    const { url, options, asked } = await serve(() => undefined);
    // Every second passes at once.
    let seconds = 0;
    const after = (_: number, callback: () => void) => {
      seconds += 1;
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    };
    const passed: number[] = [];
    const wait = async () => void passed.push(seconds);
    await expect(fetchModel(url, ENTRY, { ...options, after, wait })).rejects.toMatchObject({ code: 'offline' });
    // Later tries have longer limits.
    expect([...passed, seconds]).toEqual([15, 30, 50, 75, 105]);
    expect(asked.length).toBeLessThanOrEqual(5);
  });

  it('is reported as offline after repeated interruptions', async () => {
    const { url, options } = await serve(breakOff);
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'offline' });
  });

  it('is reported as offline without a network', async () => {
    const { url, options, waits, close } = await serve(send(CONTENT));
    close();
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'offline' });
    expect(waits).toEqual([500, 1500, 4000, 8000]);
  });

  it('is requested once if the server does not have it', async () => {
    const { url, options, asked } = await serve(refuse(404));
    await expect(fetchModel(url, ENTRY, options)).rejects.toMatchObject({ code: 'failed' });
    expect(asked).toHaveLength(1);
  });

  it('is aborted by the signal, also between two tries', async () => {
    const controller = new AbortController();
    const { url, asked } = await serve(refuse(503));
    const wait = async () => controller.abort(new Error('left'));
    await expect(fetchModel(url, ENTRY, { wait, signal: controller.signal })).rejects.toThrow('left');
    expect(asked).toHaveLength(1);
    await expect(fetchModel(url, ENTRY, { signal: controller.signal })).rejects.toThrow('left');
  });
});
