// When the graphics processor runs a model: with runtimes that only pretend to be one.
import { describe, expect, it, vi } from 'vitest';
import type { ModelInput } from '../../face/index.ts';
import { agree, type Backend, canUseGpu, chooseBackend, makeTestInput, type OpenModel } from './choose-backend.ts';

const INPUT: ModelInput = { width: 4, height: 3, channels: 'rgb', mean: [127, 127, 127], scale: 128, layout: 'nchw' };

interface Pretended {
  ms?: number;
  answer?: number[];
  fails?: 'open' | 'run';
  hangs?: boolean;
}

/** Each run takes its time on a clock that stands still otherwise. */
function pretend(parts: Record<Backend, Pretended>) {
  let time = 0;
  const released: Backend[] = [];
  return {
    released,
    options: {
      input: INPUT,
      now: () => time,
      async open(backend: Backend): Promise<OpenModel> {
        const { ms = 10, answer = [1, 2], fails, hangs } = parts[backend];
        if (fails === 'open') throw new Error('no');
        return {
          async run() {
            if (fails === 'run') throw new Error('lost');
            if (hangs) await new Promise(() => {});
            time += ms;
            return { out: Float32Array.from(answer) };
          },
          release: async () => void released.push(backend),
        };
      },
    },
  };
}

describe('chooseBackend', () => {
  it('takes the graphics processor where it is as fast and computes the same', async () => {
    const { options, released } = pretend({ wasm: {}, webgpu: { answer: [1.0005, 2.0005] } });
    expect(await chooseBackend(options)).toMatchObject({ backend: 'webgpu', gpuFailed: false });
    expect(released).toEqual(['wasm']);
  });

  it.each<[string, Pretended, boolean]>([
    ['is slower', { ms: 11 }, false],
    ['computes something else', { answer: [1, 2.1] }, false],
    ['computes no numbers', { answer: [1, Number.NaN] }, false],
    ['gives fewer values', { answer: [1] }, false],
    ['cannot run', { fails: 'run' }, true],
  ])('stays with WebAssembly where the graphics processor %s', async (_, webgpu, gpuFailed) => {
    const { options, released } = pretend({ wasm: {}, webgpu });
    expect(await chooseBackend(options)).toMatchObject({ backend: 'wasm', gpuFailed });
    expect(released).toEqual(['webgpu']);
  });

  it('stays with WebAssembly where the graphics processor cannot open the model', async () => {
    const { options, released } = pretend({ wasm: {}, webgpu: { fails: 'open' } });
    expect(await chooseBackend(options)).toMatchObject({ backend: 'wasm', gpuFailed: true });
    expect(released).toEqual([]);
  });

  it('says so where the graphics processor hangs', async () => {
    const { options } = pretend({ wasm: {}, webgpu: { hangs: true } });
    await expect(chooseBackend({ ...options, limitMs: 1 })).rejects.toMatchObject({ code: 'gpu' });
  });

  it('does not hide that WebAssembly cannot open the model', async () => {
    const { options } = pretend({ wasm: { fails: 'open' }, webgpu: {} });
    await expect(chooseBackend(options)).rejects.toThrow('no');
  });
});

describe('canUseGpu', () => {
  const navigator = { gpu: { requestAdapter: async () => ({}) } };
  const WebAssembly = { Suspending: Object };

  it('wants an adapter and WebAssembly that can wait', async () => {
    expect(await canUseGpu({ navigator, WebAssembly })).toBe(true);
    expect(await canUseGpu({ navigator, WebAssembly: {} })).toBe(false);
    expect(await canUseGpu({ navigator: {}, WebAssembly })).toBe(false);
    expect(await canUseGpu({ WebAssembly })).toBe(false);
    expect(await canUseGpu({ navigator: { gpu: { requestAdapter: async () => null } }, WebAssembly })).toBe(false);
  });

  it('does not want an adapter that the processor itself computes', async () => {
    const offer = (isFallbackAdapter: boolean) =>
      canUseGpu({ navigator: { gpu: { requestAdapter: async () => ({ info: { isFallbackAdapter } }) } }, WebAssembly });
    expect([await offer(true), await offer(false)]).toEqual([false, true]);
  });

  it('takes an error for a no, and does not ask where it is no use', async () => {
    const requestAdapter = vi.fn(() => Promise.reject(new Error('blocked')));
    expect(await canUseGpu({ navigator: { gpu: { requestAdapter } }, WebAssembly: {} })).toBe(false);
    expect(requestAdapter).not.toHaveBeenCalled();
    expect(await canUseGpu({ navigator: { gpu: { requestAdapter } }, WebAssembly })).toBe(false);
  });
});

describe('the test input', () => {
  it('is the same each time, fits the model and covers its range', () => {
    const { values, shape } = makeTestInput(INPUT);
    expect(values).toEqual(makeTestInput(INPUT).values);
    expect([values.length, shape]).toEqual([36, [1, 3, 3, 4]]);
    expect(makeTestInput({ ...INPUT, layout: 'nhwc' }).shape).toEqual([1, 3, 4, 3]);
    expect(Math.min(...values)).toBeLessThan(-0.5);
    expect(Math.max(...values)).toBeGreaterThan(0.5);
  });
});

describe('agree', () => {
  it('measures against the largest value of each output', () => {
    const [one, other] = [{ a: Float32Array.of(1000, 0), b: Float32Array.of(1) }, { b: Float32Array.of(1) }];
    expect(agree(one, { ...other, a: Float32Array.of(1000, 1.9) })).toBe(true);
    expect(agree(one, { ...other, a: Float32Array.of(1000, 2.1) })).toBe(false);
    expect(agree(one, other)).toBe(false);
  });
});
