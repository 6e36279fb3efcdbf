// The kernel modules of the page.
import { readFileSync } from 'node:fs';
import type { KernelModule } from '../src/index.ts';

export const KERNEL_FILES = ['kernel.wasm', 'kernel-plain.wasm'] as const;

export function loadModule(file: (typeof KERNEL_FILES)[number] = 'kernel.wasm'): KernelModule {
  return new WebAssembly.Module(readFileSync(new URL(`../src/kernel/${file}`, import.meta.url)));
}
