// Loading with a pretended runtime and a real loopback server: what is fetched, what is not, and how far it is.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelRole } from '../../face/index.ts';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { Backend } from './choose-backend.ts';
import { createModelLoader, type RuntimeParts } from './model-loader.ts';
import { isSupported, RUNTIME_FILES } from './runtime.ts';

const sha256Of = (content: string) => createHash('sha256').update(content).digest('hex');
const INPUT = { width: 1, height: 1, channels: 'gray', mean: [0], scale: 1, layout: 'nchw' } as const;

function makeManifest(contents: Partial<Record<ModelRole, string>>) {
  const models = Object.entries(contents).map(([role, content]) => {
    const identity = `identity of ${role}`;
    return { role, file: `${role}.onnx`, sha256: sha256Of(content), bytes: content.length, identity, input: INPUT };
  });
  const text = JSON.stringify({ models });
  return { text, manifestHash: sha256Of(text) };
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
  return { current, asked, wish: { modelsUrl, mayUseGpu: true, mayBeOwn: true, manifestHash: current.manifestHash } };
}

interface Pretended {
  hasGpu?: boolean;
  /** What our own runtime cannot open. */
  unknown?: string[];
  gpu?: 'works' | 'cannot open' | 'gets lost';
  supported?: boolean;
}

const WIDENED = Buffer.from(', widened');

/** A model says what it is made of; on the graphics processor it computes the same, for as long as that works. */
function pretendRuntime({ hasGpu = false, unknown = [], gpu = 'works', supported = true }: Pretended = {}) {
  const opened: `${Backend} ${string}`[] = [];
  const state = { starts: 0, gpuRuns: 0, released: 0 };
  const parts: RuntimeParts = {
    isSupported: () => supported,
    canUseGpu: async () => hasGpu,
    widen: (model) => Uint8Array.of(...model, ...WIDENED),
    now: () => 0,
    gpuWorthBytes: 0,
    async fetchWasm(which, { onBytes }) {
      onBytes?.(RUNTIME_FILES[which].wasmBytes);
      return new Uint8Array();
    },
    async start(started, wasm) {
      await wasm;
      state.starts += 1;
      return {
        build: started,
        threads: 2,
        async open(bytes, backend) {
          const content = Buffer.from(bytes).toString();
          opened.push(`${backend} ${content}`);
          if (started === 'own' && unknown.includes(content)) throw new ModelLoadError('own');
          if (backend === 'webgpu' && gpu === 'cannot open') throw new Error('no');
          return {
            async run() {
              // Enough for the self-test: one run to compare, three to time.
              if (backend === 'webgpu' && ++state.gpuRuns > 4 && gpu === 'gets lost') throw new Error('lost');
              return { out: Float32Array.of(content.length) };
            },
            async release() {
              state.released += 1;
            },
          };
        },
      };
    },
  };
  return { loader: createModelLoader(parts), opened, state };
}

describe('load', () => {
  it('brings the models of the roles asked for, and each only once', async () => {
    const { wish, asked } = await serve({ detect: 'dd', eye: 'e', liveness: 'l' });
    const { loader, state } = pretendRuntime();
    await loader.load({ ...wish, roles: ['detect'] }, {});
    await loader.load({ ...wish, roles: ['detect', 'eye'] }, {});
    expect(asked).toEqual(['manifest', 'detect', 'eye']);
    expect(state.starts).toBe(1);
    expect([...loader.models.inputs.keys()]).toEqual(['detect', 'eye']);
    expect(await loader.models.run('detect', new Float32Array(1), [1])).toEqual({ out: Float32Array.of(2) });
    await expect(loader.models.run('liveness', new Float32Array(1), [1])).rejects.toThrow('not loaded');
    expect(loader.describe()).toMatchObject({
      threads: 2,
      build: 'own',
      roles: { detect: 'wasm', eye: 'wasm' },
      work: { detect: { runs: 1 }, eye: { runs: 0 } },
    });
  });

  it('keeps a model that another manifest has too, with what that one says of it', async () => {
    const { wish, asked, current } = await serve({ detect: 'd' });
    const { loader } = pretendRuntime();
    await loader.load({ ...wish, manifestHash: null, roles: ['detect'] }, {});
    await loader.load({ ...wish, roles: ['detect'] }, {});
    expect(asked).toEqual(['manifest', 'detect']);
    const { models } = JSON.parse(current.text) as { models: object[] };
    current.text = JSON.stringify({ models: models.map((model) => ({ ...model, thresholds: { live: 0.7 } })) });
    await loader.load({ ...wish, manifestHash: sha256Of(current.text), roles: ['detect'] }, {});
    expect(asked).toEqual(['manifest', 'detect', 'manifest']);
    expect(loader.models.thresholds.get('detect')).toEqual({ live: 0.7 });
  });

  it('takes turns where two are asked for at once', async () => {
    const { wish, asked } = await serve({ detect: 'd', eye: 'e' });
    const { loader, state } = pretendRuntime();
    const load = (roles: ModelRole[]) => loader.load({ ...wish, roles }, {});
    await Promise.all([load(['detect', 'eye']), load(['eye']), load(['detect'])]);
    expect(asked.toSorted()).toEqual(['detect', 'eye', 'manifest']);
    expect(state.starts).toBe(1);
  });

  it('tells a share of all bytes that never falls and ends with one', async () => {
    const { wish } = await serve({ detect: 'd'.repeat(5_000_000), eye: 'e'.repeat(5_000_000) });
    const { loader } = pretendRuntime();
    const shares: number[] = [];
    await loader.load({ ...wish, roles: ['detect', 'eye'] }, { onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(3);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    expect(shares.length).toBeLessThan(102);
  });

  it('replaces a model that is another one in a newer manifest', async () => {
    const { wish, current } = await serve({ detect: 'old', eye: 'e' });
    const { loader, opened, state } = pretendRuntime();
    await loader.load({ ...wish, roles: ['detect', 'eye'] }, {});
    const contents = { detect: 'newer', eye: 'e' };
    Object.assign(current, { contents, ...makeManifest(contents) });
    await loader.load({ ...wish, manifestHash: current.manifestHash, roles: ['detect', 'eye'] }, {});
    expect(opened.toSorted()).toEqual(['wasm e', 'wasm newer', 'wasm old']);
    expect(state.released).toBe(1);
    expect(await loader.models.run('detect', new Float32Array(1), [1])).toEqual({ out: Float32Array.of(5) });
  });

  it('names a model by the identity that the manifest gives it, which need not be the hash of its file', async () => {
    const { wish } = await serve({ embedding: 'a smaller file' });
    const { loader } = pretendRuntime();
    expect(loader.identityOf('embedding')).toBeUndefined();
    await loader.load({ ...wish, roles: ['embedding'] }, {});
    expect(loader.identityOf('embedding')).toBe('identity of embedding');
  });

  it('fails as a whole where one model is missing, and can be asked again', async () => {
    const { wish, current } = await serve({ detect: 'd', eye: 'e' });
    const { loader } = pretendRuntime();
    current.contents = { detect: 'd' };
    const load = () => loader.load({ ...wish, roles: ['detect', 'eye'] }, {});
    await expect(load()).rejects.toMatchObject({ code: 'failed' });
    current.contents = { detect: 'd', eye: 'e' };
    await load();
    expect(loader.models.inputs.size).toBe(2);
  });

  it('stops where it is no longer wanted', async () => {
    const { wish } = await serve({ detect: 'd' });
    const { loader, opened } = pretendRuntime();
    const signal = AbortSignal.abort(new Error('left'));
    await expect(loader.load({ ...wish, roles: ['detect'] }, { signal })).rejects.toThrow('left');
    expect(opened).toEqual([]);
  });

  it('fetches nothing where the browser cannot run it', async () => {
    const { wish, asked } = await serve({ detect: 'd' });
    const { loader } = pretendRuntime({ supported: false });
    await expect(loader.load({ ...wish, roles: ['detect'] }, {})).rejects.toMatchObject({ code: 'unsupported' });
    expect(asked).toEqual([]);
  });
});

describe('the graphics processor', () => {
  it('is left alone where it is not wanted', async () => {
    const { wish } = await serve({ detect: 'd' });
    const { loader, opened } = pretendRuntime({ hasGpu: true });
    await loader.load({ ...wish, mayUseGpu: false, roles: ['detect'] }, {});
    expect(opened).toEqual(['wasm d']);
  });

  it('runs what it computes right, and WebAssembly takes over where it gets lost', async () => {
    const { wish, asked } = await serve({ detect: 'dd' });
    const { loader, opened } = pretendRuntime({ hasGpu: true, gpu: 'gets lost' });
    await loader.load({ ...wish, roles: ['detect'] }, {});
    expect(loader.describe()).toMatchObject({ build: 'jspi', roles: { detect: 'webgpu' } });
    const run = () => loader.models.run('detect', new Float32Array(1), [1]);
    const out = Float32Array.of('dd, widened'.length);
    expect(await run()).toEqual({ out });
    expect(await run()).toEqual({ out });
    expect(opened).toEqual(['wasm dd, widened', 'webgpu dd, widened', 'wasm dd, widened']);
    expect(asked).toEqual(['manifest', 'detect', 'detect']);
    expect(loader.describe().roles).toEqual({ detect: 'wasm' });
  });

  it('that cannot open one model is not tried with the next', async () => {
    const { wish } = await serve({ detect: 'd', eye: 'e' });
    const { loader, opened } = pretendRuntime({ hasGpu: true, gpu: 'cannot open' });
    await loader.load({ ...wish, roles: ['detect'] }, {});
    await loader.load({ ...wish, roles: ['eye'] }, {});
    expect(opened).toEqual(['wasm d, widened', 'webgpu d, widened', 'wasm e, widened']);
    expect(loader.describe().roles).toEqual({ detect: 'wasm', eye: 'wasm' });
  });
});

describe('our own runtime', () => {
  it('is taken, and gets the models as they travel', async () => {
    const { wish } = await serve({ detect: 'd', eye: 'e' });
    const { loader, opened } = pretendRuntime();
    await loader.load({ ...wish, roles: ['detect', 'eye'] }, {});
    expect(loader.describe().build).toBe('own');
    expect(opened.toSorted()).toEqual(['wasm d', 'wasm e']);
  });

  it('is not taken where the graphics processor is, or where it failed before; the library gets widened models', async () => {
    const { wish } = await serve({ detect: 'd' });
    const withGpu = pretendRuntime({ hasGpu: true });
    await withGpu.loader.load({ ...wish, roles: ['detect'] }, {});
    expect(withGpu.loader.describe().build).toBe('jspi');
    const careful = pretendRuntime();
    await careful.loader.load({ ...wish, mayBeOwn: false, roles: ['detect'] }, {});
    expect(careful.loader.describe().build).toBe('plain');
    expect(careful.opened).toEqual(['wasm d, widened']);
  });

  it('says so where it cannot open a model', async () => {
    const { wish } = await serve({ detect: 'd', eye: 'e' });
    const { loader } = pretendRuntime({ unknown: ['e'] });
    await loader.load({ ...wish, roles: ['detect'] }, {});
    await expect(loader.load({ ...wish, roles: ['eye'] }, {})).rejects.toMatchObject({ code: 'own' });
  });
});

it('knows how big the files of the runtime are', () => {
  const { resolve } = createRequire(import.meta.url);
  const sizeOf = (name: string) => statSync(resolve(`onnxruntime-web/${name}`)).size;
  const ours = ['kernel.wasm', 'kernel-plain.wasm'].map((name) => statSync(resolve(`@limen/inference/${name}`)).size);
  expect(RUNTIME_FILES.own.wasmBytes).toBeGreaterThanOrEqual(Math.max(...ours));
  expect(RUNTIME_FILES.plain.wasmBytes).toBe(sizeOf('ort-wasm-simd-threaded.wasm'));
  expect(RUNTIME_FILES.jspi.wasmBytes).toBe(sizeOf('ort-wasm-simd-threaded.jspi.wasm'));
});

it('runs where WebAssembly computes with vectors', () => {
  expect(isSupported()).toBe(true);
});
