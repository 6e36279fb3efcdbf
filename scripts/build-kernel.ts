// Builds the WebAssembly modules of packages/gallery from their text; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import createWabt from 'wabt';
import { KERNELS } from '../packages/gallery/src/kernel-text.ts';

const FEATURES = { simd: true, relaxed_simd: true, threads: true };

/** The file each module belongs in, and its bytes. */
export async function buildKernels(): Promise<{ file: URL; bytes: Uint8Array }[]> {
  const wabt = await createWabt();
  return Object.entries(KERNELS).map(([name, text]) => {
    const parsed = wabt.parseWat(name, text, FEATURES);
    try {
      parsed.resolveNames();
      const { buffer } = parsed.toBinary({});
      return { file: new URL(`../packages/gallery/src/${name}`, import.meta.url), bytes: buffer };
    } finally {
      parsed.destroy();
    }
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isCheck = process.argv.includes('--check');
  for (const { file, bytes } of await buildKernels()) {
    if (!isCheck) writeFileSync(file, bytes);
    else if (!readFileSync(file).equals(bytes)) {
      console.error(`${file.pathname} is not what its text builds to: run npm run kernel`);
      process.exitCode = 1;
    }
  }
}
