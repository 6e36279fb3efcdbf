// Resources for planning a network: memory, kernels and constants in that memory.
import { instantiateKernel, type KernelModule } from '../kernel/kernel.ts';
import { refuse } from '../tensor.ts';
import { createArena } from './arena.ts';
import { type Constant, type Maps, type Plain, padChannels } from './values.ts';

export type Workshop = ReturnType<typeof createWorkshop>;

export function createWorkshop(module: KernelModule) {
  const arena = createArena();
  const uniform = new Map<string, number>();
  const plain: Plain[] = [];
  const floats = () => new Float32Array(arena.memory.buffer);

  function keepValues(values: ArrayLike<number>): number {
    const at = arena.keep(padChannels(values.length) * 4);
    const kept = floats().subarray(at / 4);
    for (let index = 0; index < values.length; index += 1) kept[index] = settle(values[index]!);
    return at;
  }

  return {
    arena,
    kernel: instantiateKernel(module, arena.memory),
    /** A view of the current memory. Earlier views are detached after it has grown. */
    floats,
    /** Stores values permanently, zero-padded to a whole panel. */
    keepValues,
    /** Stores a constant for each channel. */
    keepUniform(value: number, channels: number): number {
      const key = `${value} ${channels}`;
      const at = uniform.get(key) ?? keepValues(new Float32Array(padChannels(channels)).fill(value));
      uniform.set(key, at);
      return at;
    },
    takeMaps(dims: Maps['dims']): Maps {
      const [images, channels, height, width] = dims;
      const pixelBytes = padChannels(channels) * 4;
      return { kind: 'maps', dims, at: arena.take(images * height * width * pixelBytes), pixelBytes };
    },
    makePlain(dims: readonly number[]): Plain {
      const value: Plain = { kind: 'plain', dims, current: undefined };
      plain.push(value);
      return value;
    },
    /** Drops the plain values of a run, and overwrites all except those in the given buffers. */
    dropPlain(spared: readonly ArrayBufferLike[]): void {
      for (const value of plain) {
        if (value.current && !spared.includes(value.current.buffer)) value.current.fill(0);
        value.current = undefined;
      }
    },
  };
}

/** Smaller numbers become zero: denormal ones are up to a hundred times slower. */
export const LEAST = 1e-20;

export const settle = (value: number) => (Math.abs(value) < LEAST ? 0 : value);

/** Expands one value per channel, or one for all. */
export function spreadOverChannels(constant: Constant, channels: number): ArrayLike<number> {
  const { dims, values } = constant.read();
  if (values.length === 1) return new Float32Array(channels).fill(values[0]!);
  // Channels, height and width are the last three.
  if (values.length !== channels || (dims.at(-3) ?? 0) !== channels)
    refuse('a constant has another number of values than there are channels');
  return values;
}
