// Loads with a fake runtime from a real loopback server.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { UnsupportedModelError } from '@limen/inference';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPromise } from '../../../testing/fakes/fake-flow.ts';
import type { ModelRole } from '../../face/index.ts';
import '../../../testing/file-links.ts';
import type { RuntimeParts } from './model-loader.ts';
import type { RuntimeBuild } from './runtime.ts';

const [{ createModelLoader }, { isSupported, RUNTIME_FILES }] = await Promise.all([
  import('./model-loader.ts'),
  import('./runtime.ts'),
]);

const computeSha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const INPUT = { width: 1, height: 1, channels: 'gray', mean: [0], scale: 1, layout: 'nchw' } as const;

function makeManifest(contents: Partial<Record<ModelRole, string>>) {
  const models = Object.entries(contents).map(([role, content]) => {
    const identity = `identity of ${role}`;
    return {
      role,
      file: `${role}.onnx`,
      sha256: computeSha256(content),
      bytes: content.length,
      identity,
      input: INPUT,
    };
  });
  const text = JSON.stringify({ models });
  return { text, manifestHash: computeSha256(text) };
}

async function serve(contents: Partial<Record<ModelRole, string>>) {
  const current = { contents, ...makeManifest(contents) };
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const name = /([a-z_]+)\.(onnx|json)/.exec(url)?.[1] ?? '';
    asked.push(name);
    const body = name === 'manifest' ? current.text : current.contents[name as ModelRole];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const modelsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { current, asked, wish: { modelsUrl, manifestHash: current.manifestHash, workers: 2 } };
}

interface FakeRuntimeOptions {
  /** Models that our runtime does not support. */
  unknown?: string[];
  /** Models that fail for another reason. */
  broken?: string[];
  supported?: boolean;
  opening?: (content: string) => Promise<void>;
}

const WIDENED = Buffer.from(', widened');

/** Each model reports its content. */
function createFakeRuntime({ unknown = [], broken = [], supported = true, opening }: FakeRuntimeOptions = {}) {
  const opened: `${RuntimeBuild} ${string}`[] = [];
  const shapes: number[][] = [];
  const state = { fetched: [] as RuntimeBuild[], released: 0, fails: false, forgotten: [] as string[], workers: 0 };
  const parts: RuntimeParts = {
    isSupported: () => supported,
    widen: (model) => Uint8Array.of(...model, ...WIDENED),
    now: () => 0,
    async fetchWasm(which, { onBytes }) {
      state.fetched.push(which);
      onBytes?.(RUNTIME_FILES[which].wasmBytes);
      if (state.fails) throw new Error('no');
      return new Uint8Array();
    },
    async start(build, wasm, workers) {
      state.workers = workers;
      await wasm;
      return {
        build,
        threads: 2,
        async open(bytes, shape) {
          shapes.push([...shape]);
          const content = Buffer.from(bytes).toString();
          await opening?.(content);
          opened.push(`${build} ${content}`);
          if (build === 'own' && unknown.includes(content)) throw new UnsupportedModelError('no');
          if (broken.includes(content)) throw new RangeError('Out of memory');
          return {
            run: async () => ({ out: Float32Array.of(content.length) }),
            forget: () => void state.forgotten.push(content),
            async release() {
              state.released += 1;
            },
          };
        },
      };
    },
  };
  return { loader: createModelLoader(parts), opened, shapes, state };
}

describe('load', () => {
  it('loads the models of the requested roles, each once', async () => {
    const { wish, asked } = await serve({ detect: 'dd', eye: 'e', liveness: 'l' });
    const { loader, state } = createFakeRuntime();
    await loader.load({ ...wish, roles: ['detect'] }, {});
    await loader.load({ ...wish, roles: ['detect', 'eye'] }, {});
    expect(asked).toEqual(['manifest', 'detect', 'eye']);
    expect(state.fetched).toEqual(['own']);
    expect([...loader.models.inputs.keys()]).toEqual(['detect', 'eye']);
    expect(await loader.models.run('detect', new Float32Array(1), [1])).toEqual({ out: Float32Array.of(2) });
    loader.forget();
    expect(state.forgotten).toEqual(['dd', 'e']);
    await expect(loader.models.run('liveness', new Float32Array(1), [1])).rejects.toThrow('not loaded');
    expect(loader.describe()).toMatchObject({
      threads: 2,
      roles: { detect: 'own', eye: 'own' },
      work: { detect: { runs: 1 }, eye: { runs: 0 } },
    });
  });

  it('reuses a model of another manifest, with its new thresholds', async () => {
    const { wish, asked, current } = await serve({ detect: 'd' });
    const { loader } = createFakeRuntime();
    await loader.load({ ...wish, manifestHash: null, roles: ['detect'] }, {});
    await loader.load({ ...wish, roles: ['detect'] }, {});
    expect(asked).toEqual(['manifest', 'detect']);
    const { models } = JSON.parse(current.text) as { models: object[] };
    current.text = JSON.stringify({ models: models.map((model) => ({ ...model, thresholds: { live: 0.7 } })) });
    await loader.load({ ...wish, manifestHash: computeSha256(current.text), roles: ['detect'] }, {});
    expect(asked).toEqual(['manifest', 'detect', 'manifest']);
    expect(loader.models.thresholds.get('detect')).toEqual({ live: 0.7 });
  });

  it('runs concurrent loads one after the other', async () => {
    const { wish, asked } = await serve({ detect: 'd', eye: 'e' });
    const { loader, state } = createFakeRuntime();
    const load = (roles: ModelRole[]) => loader.load({ ...wish, roles }, {});
    await Promise.all([load(['detect', 'eye']), load(['eye']), load(['detect'])]);
    expect(asked.toSorted()).toEqual(['detect', 'eye', 'manifest']);
    expect(state.fetched).toEqual(['own']);
  });

  it('fetches a later load while an earlier one is opened, and opens it afterwards', async () => {
    const { wish, asked } = await serve({ detect: 'd', embedding: 'v', age_deep: 'a' });
    const held = createPromise<void>();
    const { loader, opened } = createFakeRuntime({
      opening: async (content) => void (content === 'd' && (await held.promise)),
    });
    const load = (roles: ModelRole[]) => loader.load({ ...wish, roles }, {});
    const loads = [load(['detect']), load(['detect', 'embedding']), load(['embedding', 'age_deep'])];
    await expect.poll(() => asked).toEqual(['manifest', 'detect', 'embedding', 'age_deep']);
    expect(opened).toEqual([]);
    held.resolve();
    await Promise.all(loads);
    expect(opened).toEqual(['own d', 'own v', 'own a']);
    expect(asked).toHaveLength(4);
  });

  it('loads a model itself after another load failed to', async () => {
    const { wish, asked } = await serve({ detect: 'd' });
    const [begun, held] = [createPromise<void>(), createPromise<void>()];
    let isFirst = true;
    const { loader } = createFakeRuntime({
      async opening() {
        if (!isFirst) return;
        isFirst = false;
        begun.resolve();
        await held.promise;
        throw new Error('no');
      },
    });
    const load = () => loader.load({ ...wish, roles: ['detect'] }, {});
    const [first, second] = [load(), load()];
    await begun.promise;
    // Everything of the first was fetched, so the second has started by then.
    await new Promise((resolve) => setTimeout(resolve));
    expect(asked).toEqual(['manifest', 'detect']);
    held.resolve();
    await expect(first).rejects.toMatchObject({ code: 'failed' });
    await second;
    expect(asked).toEqual(['manifest', 'detect', 'detect']);
    expect(await loader.models.run('detect', new Float32Array(1), [1])).toEqual({ out: Float32Array.of(1) });
  });

  it('reports a share of all bytes that never falls and ends with one', async () => {
    const { wish } = await serve({ detect: 'd'.repeat(5_000_000), eye: 'e'.repeat(5_000_000) });
    const { loader } = createFakeRuntime();
    const shares: number[] = [];
    await loader.load({ ...wish, roles: ['detect', 'eye'] }, { onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(3);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    expect(shares.length).toBeLessThan(102);
  });

  it('replaces a model that changed in a newer manifest', async () => {
    const { wish, current } = await serve({ detect: 'old', eye: 'e' });
    const { loader, opened, state } = createFakeRuntime();
    await loader.load({ ...wish, roles: ['detect', 'eye'] }, {});
    const contents = { detect: 'newer', eye: 'e' };
    Object.assign(current, { contents, ...makeManifest(contents) });
    await loader.load({ ...wish, manifestHash: current.manifestHash, roles: ['detect', 'eye'] }, {});
    expect(opened.toSorted()).toEqual(['own e', 'own newer', 'own old']);
    expect([state.released, state.forgotten]).toEqual([1, ['old']]);
    expect(await loader.models.run('detect', new Float32Array(1), [1])).toEqual({ out: Float32Array.of(5) });
  });

  it('identifies a model by its identity in the manifest, not by the hash of its file', async () => {
    const { wish } = await serve({ embedding: 'a smaller file' });
    const { loader } = createFakeRuntime();
    expect(loader.findIdentity('embedding')).toBeUndefined();
    await loader.load({ ...wish, roles: ['embedding'] }, {});
    expect(loader.findIdentity('embedding')).toBe('identity of embedding');
  });

  it('fails as a whole if one model is missing, and can be retried', async () => {
    const { wish, current } = await serve({ detect: 'd', eye: 'e' });
    const { loader } = createFakeRuntime();
    current.contents = { detect: 'd' };
    const load = () => loader.load({ ...wish, roles: ['detect', 'eye'] }, {});
    await expect(load()).rejects.toMatchObject({ code: 'failed' });
    current.contents = { detect: 'd', eye: 'e' };
    await load();
    expect(loader.models.inputs.size).toBe(2);
  });

  it('fetches nothing if the browser cannot run the models', async () => {
    const { wish, asked } = await serve({ detect: 'd' });
    const { loader } = createFakeRuntime({ supported: false });
    await expect(loader.load({ ...wish, roles: ['detect'] }, {})).rejects.toMatchObject({ code: 'unsupported' });
    expect(asked).toEqual([]);
  });
});

describe('the library', () => {
  it('gets only models that our runtime does not support, widened', async () => {
    const { wish } = await serve({ detect: 'd', eye: 'e', embedding: 'v' });
    const { loader, opened, shapes, state } = createFakeRuntime({ unknown: ['e', 'v'] });
    await loader.load({ ...wish, roles: ['detect'] }, {});
    expect(state.fetched).toEqual(['own']);
    await loader.load({ ...wish, roles: ['eye'] }, {});
    await loader.load({ ...wish, roles: ['embedding'] }, {});
    expect(opened).toEqual(['own d', 'own e', 'library e, widened', 'own v', 'library v, widened']);
    expect(loader.describe().roles).toEqual({ detect: 'own', eye: 'library', embedding: 'library' });
    expect(state.fetched).toEqual(['own', 'library']);
    // Regardless of their files: unknown dimensions are rejected before anything runs.
    expect(shapes).toEqual(Array.from({ length: 5 }, () => [1, 1, 1, 1]));
    expect(state.workers).toBe(2);
  });

  it('is fetched again after a failure', async () => {
    const { wish } = await serve({ detect: 'd', eye: 'e' });
    const { loader, state } = createFakeRuntime({ unknown: ['e'] });
    await loader.load({ ...wish, roles: ['detect'] }, {});
    state.fails = true;
    await expect(loader.load({ ...wish, roles: ['eye'] }, {})).rejects.toMatchObject({ code: 'failed' });
    state.fails = false;
    await loader.load({ ...wish, roles: ['eye'] }, {});
    expect(loader.describe().roles).toEqual({ detect: 'own', eye: 'library' });
  });

  it('is not fetched if ours fails for another reason', async () => {
    const { wish } = await serve({ detect: 'd' });
    const { loader, state } = createFakeRuntime({ broken: ['d'] });
    await expect(loader.load({ ...wish, roles: ['detect'] }, {})).rejects.toMatchObject({ code: 'failed' });
    expect(state.fetched).toEqual(['own']);
  });
});

it('states the sizes of the runtime’s files', () => {
  const { resolve } = createRequire(import.meta.url);
  const sizeOf = (name: string) => statSync(resolve(`onnxruntime-web/${name}`)).size;
  const ours = ['kernel.wasm', 'kernel-plain.wasm'].map((name) => statSync(resolve(`@limen/inference/${name}`)).size);
  expect(RUNTIME_FILES.own.wasmBytes).toBeGreaterThanOrEqual(Math.max(...ours));
  expect(RUNTIME_FILES.library.wasmBytes).toBe(sizeOf('ort-wasm-simd-threaded.wasm'));
});

it('supports browsers with WebAssembly SIMD', () => {
  expect(isSupported()).toBe(true);
});
