// Feature maps in a kernel's memory: rows of columns of channels, with empty columns at either end.
import type { Block, Kernel } from './kernel.ts';

/** Zero columns on both sides of every map, so that kernels may reach outside. */
export const MARGIN = 4;

export interface Maps extends Block {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  /** Values between rows. */
  readonly row: number;
}

export function makeMaps(kernel: Kernel, height: number, width: number, channels: number): Maps {
  const row = (width + 2 * MARGIN) * channels;
  return { ...kernel.allocate(height * row), height, width, channels, row };
}
