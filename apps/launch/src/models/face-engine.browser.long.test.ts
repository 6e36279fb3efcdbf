// The engine in a real Chromium: built by Vite, served isolated and under the strict policy, and
// compared with Node.

import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { MODEL_ROLES } from '@limen/face-models';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { encode } from 'jpeg-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../server/testing/browser.ts';
import { buildEnginePage, serveEnginePage } from '../../testing/engine-page.ts';
import { openModels } from '../../testing/models.ts';
import { cutPortrait, decodePicture, readSample } from '../../testing/pictures.ts';
import {
  compareEmbeddings,
  type Examination,
  examineFrame,
  type FaceModels,
  type Frame,
  type FrameReport,
  watchFrame,
} from '../face/index.ts';
import { detectFaces } from '../face/read/detect.ts';
import type { EngineDescription } from './face-engine.ts';

interface Seen {
  report: Omit<FrameReport, 'face'> & { face: NonNullable<FrameReport['face']> };
  pixelReport: FrameReport;
  examination: Examination;
  nothingLeft: null;
  description: EngineDescription;
  shares: number[];
  busy: string;
  /** Peak memory, because WebAssembly memory never shrinks. */
  memoryBytes: number;
}

/** The document role is loaded with documents. */
const FACE_ROLES = MODEL_ROLES.filter((role) => role !== 'document_text');

/** Runs in the worker before its own script and reports the runtime's memory with every reply. */
const watchMemory = (mostPages: number) => `{
  const channel = new BroadcastChannel('memory');
  const worker = crypto.randomUUID();
  const post = self.postMessage.bind(self);
  const memories = [];
  WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
    construct(Memory, options) {
      // Simulates a device with little memory.
      if (options[0].maximum > ${mostPages}) throw new RangeError('Out of memory');
      const memory = new Memory(...options);
      memories.push(memory);
      self.postMessage = (...message) => {
        channel.postMessage([worker, memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)]);
        post(...message);
      };
      return memory;
    },
  });
}`;

const pretendCores = (count: number) => `Object.defineProperty(navigator, 'hardwareConcurrency', { value: ${count} });`;

/** Makes our runtime read another operator name. The library decodes names itself. */
const MAKE_STRANGE = `{
  const { decode } = TextDecoder.prototype;
  TextDecoder.prototype.decode = function (...given) {
    const text = decode.apply(this, given);
    return text === 'Conv' ? 'Strange' : text;
  };
}`;

/** Runs on the page as text, so it must not be compiled here. */
const programFor = (manifestHash: string) => `(async () => {
  const memories = new Map();
  new BroadcastChannel('memory').onmessage = ({ data }) => memories.set(...data);
  const engine = createFaceEngine();
  const shares = [];
  const load = (roles) => engine.load({ roles, manifestHash: '${manifestHash}', onProgress: (share) => shares.push(share) });
  await load(['detect', 'landmarks', 'eye', 'embedding']);
  const picture = await createImageBitmap(await (await fetch('/picture.jpg')).blob());
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [picture.width, picture.height];
  canvas.getContext('2d').drawImage(picture, 0, 0);
  const pixels = () => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const second = await createImageBitmap(picture);
  const watching = engine.watch(picture);
  const busy = await engine.watch(second).catch((error) => error.message);
  const report = await watching;
  await engine.tie({ isAhead: true });
  const pixelReport = await engine.watch(pixels());
  await load(['liveness', 'age_small', 'age_deep', 'detect']);
  const examination = await engine.examine({ age: true, embedding: true });
  for (let nth = 0; nth < 6; nth += 1) {
    await engine.watch(pixels());
    await engine.tie({ isAhead: true });
  }
  await engine.examine({ age: true, embedding: true });
  const nothingLeft = await engine.examine({ age: true, embedding: true });
  const description = await engine.describe();
  const memoryBytes = [...memories.values()].reduce((sum, bytes) => sum + bytes, 0);
  engine.close();
  // Not allowed: proves that the list of violations is recorded.
  await fetch('http://127.0.0.1:1/').catch(() => {});
  const plain = (value) => JSON.parse(JSON.stringify(value, (_, v) => ArrayBuffer.isView(v) ? Array.from(v) : v));
  return plain({ report, pixelReport, examination, nothingLeft, description, shares, busy, memoryBytes });
})()`;

describe.skipIf(!chromiumPath)('in Chromium', () => {
  let folder: string;
  let models: FaceModels;
  let frame: Frame;
  let picture: Buffer<ArrayBuffer>;

  beforeAll(async () => {
    folder = await buildEnginePage();
    models = await openModels(FACE_ROLES);
    const group = await readSample(1);
    const portrait = cutPortrait(group, (await detectFaces(models, group))[0]!.box);
    picture = Buffer.from(encode({ ...portrait, data: Buffer.from(portrait.data) }, 95).data);
    frame = decodePicture(picture);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  interface Circumstances {
    isolated: boolean;
    mostPages?: number;
    /** Whether our runtime rejects all models. */
    areStrange?: boolean;
    cores?: number;
  }

  async function run({
    isolated,
    mostPages = 8192,
    areStrange = false,
    cores = availableParallelism(),
  }: Circumstances) {
    const served = await serveEnginePage(folder, { isolated, picture });
    onTestFinished(() => served.close());
    const page = await (await launchBrowser()).newPage();
    await page.route('**/face-worker*.js', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({
        response: reply,
        body: `${watchMemory(mostPages)}${pretendCores(cores)}${areStrange ? MAKE_STRANGE : ''}${await reply.text()}`,
      });
    });
    await page.goto(served.url);
    const seen = await page.evaluate<Seen>(programFor(served.manifestHash));
    await expect.poll(() => served.violations).toContain('connect-src');
    return { ...served, seen };
  }

  it('reports the same as the models in Node, on the allowed threads and within the policy', async () => {
    const { seen, asked, violations } = await run({ isolated: true });
    const expected = await watchFrame(models, frame);
    const wanted = await examineFrame(models, frame, expected.face!, { age: true, embedding: true });

    // Browsers decode pictures slightly differently from the decoder here.
    const { report, examination } = seen;
    expect(report.people).toBe(1);
    expect(report.problems).toEqual(expected.problems);
    const off = report.face.landmarks.map((value, i) => Math.abs(value - expected.face!.landmarks[i]!));
    expect(Math.max(...off)).toBeLessThan(1);
    expect(report.face.pose.yaw).toBeCloseTo(expected.face!.pose.yaw, 0);
    expect(report.face.eyes.closed).toBeCloseTo(expected.face!.eyes.closed, 1);
    expect(report.face.sharpness / expected.face!.sharpness).toBeCloseTo(1, 1);
    expect(seen.pixelReport).toEqual(report);
    expect(examination.liveness).toBeCloseTo(wanted.liveness, 1);
    expect(Math.abs(examination.age!.age - wanted.age!.age)).toBeLessThan(1);
    const embedding = Float32Array.from(examination.embedding!);
    expect(compareEmbeddings(embedding, wanted.embedding!)).toBeGreaterThan(0.995);
    expect(seen.nothingLeft).toBeNull();

    expect(violations).toEqual(['connect-src']);
    expect(seen.busy).toBe('A frame is being watched already');
    expect(seen.description.roles).toEqual(Object.fromEntries(FACE_ROLES.map((role) => [role, 'own'])));
    expect(seen.shares.filter((share) => share === 1)).toHaveLength(2);
    expect(seen.shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    // Fetches each model once and the library never.
    const fetched = asked.filter((path) => path.endsWith('.onnx'));
    expect(new Set(fetched).size).toBe(fetched.length);
    expect(fetched).toHaveLength(FACE_ROLES.length);
    const runtimes = new Set(asked.filter((path) => path.endsWith('.wasm')));
    expect([...runtimes]).toEqual([expect.stringMatching(/\/kernel-[^/]*\.wasm$/)]);
    expect(seen.description.threads).toBe(1);
    // Below the smallest initial maximum of 128 MB. Weights are expanded while loading, one model
    // after the other.
    expect(seen.memoryBytes).toBeGreaterThan(16 * 2 ** 20);
    expect(seen.memoryBytes).toBeLessThan(112 * 2 ** 20);
  });

  const IN_LIBRARY = Object.fromEntries(FACE_ROLES.map((role) => [role, 'library']));

  it.runIf(IS_LONG)('runs unknown models in the library, on a phone’s share of threads for each worker', async () => {
    const { seen } = await run({ isolated: true, areStrange: true, cores: 8 });
    // One core is left to the page, and two workers share the other seven.
    expect(seen.description).toMatchObject({ roles: IN_LIBRARY, threads: 3 });
    expect(seen.examination.age!.age).toBeGreaterThan(0);
  });

  it.runIf(IS_LONG)('runs the library on a device with little memory', async () => {
    const { seen } = await run({ isolated: true, mostPages: 2048, areStrange: true });
    expect(seen.report.people).toBe(1);
    expect(seen.examination.age!.age).toBeGreaterThan(0);
  });

  it.skipIf(!IS_LONG)('runs the library on one thread if the page is not isolated', async () => {
    const { seen, violations } = await run({ isolated: false, areStrange: true });
    expect(seen.description).toMatchObject({ roles: IN_LIBRARY, threads: 1 });
    expect(seen.report.people).toBe(1);
    expect(violations).toEqual(['connect-src']);
  });
});
