// Cryptographic randomness for the ring: uniform, ternary and Gaussian polynomials.
import { NOISE_SIGMA, Q, Q_BITS } from './parameters.ts';

/** Web Crypto returns at most 65,536 bytes at a time. */
const MAX_WORDS = 8192;
/** Number of sigmas beyond which values are redrawn. */
const CLIP_SIGMAS = 6;

/** Returns random words from a buffer that `wipe` clears. */
function openWords(buffer: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>) {
  let next = buffer.length;
  return {
    take() {
      if (next === buffer.length) {
        crypto.getRandomValues(buffer);
        next = 0;
      }
      return buffer[next++]!;
    },
    wipe() {
      buffer.fill(0);
    },
  };
}

/** Uniform in 0..q-1. Redraws words out of range, because a remainder would favor small values. */
export function fillUniform(out: Int32Array) {
  const words = openWords(new Uint32Array(Math.min(MAX_WORDS, out.length + 8)));
  for (let index = 0; index < out.length; ) {
    const value = words.take() >>> (32 - Q_BITS);
    if (value < Q) {
      out[index++] = value;
    }
  }
  words.wipe();
}

/** Uniform in -bound..bound, inclusive. The bound is below 32,768. */
export function fillBounded(out: Int32Array, bound: number) {
  const words = openWords(new Uint16Array(Math.min(MAX_WORDS, out.length + 8)));
  const count = 2 * bound + 1;
  const shift = Math.clz32(count) - 16;
  for (let index = 0; index < out.length; ) {
    const value = words.take() >>> shift;
    if (value < count) {
      out[index++] = value - bound;
    }
  }
  words.wipe();
}

/** Rounded normal values, truncated at six sigmas. */
export function fillGaussian(out: Int32Array, sigma = NOISE_SIGMA) {
  const words = openWords(new Uint32Array(Math.min(MAX_WORDS, out.length + 8)));
  for (let index = 0; index < out.length; ) {
    // The first is in (0, 1], so that the logarithm is finite.
    const radius = Math.sqrt(-2 * Math.log((words.take() + 1) / 2 ** 32));
    const angle = (2 * Math.PI * words.take()) / 2 ** 32;
    if (radius <= CLIP_SIGMAS) {
      out[index++] = Math.round(sigma * radius * Math.cos(angle));
      if (index < out.length) {
        out[index++] = Math.round(sigma * radius * Math.sin(angle));
      }
    }
  }
  words.wipe();
}
