// Builds the WebAssembly modules of packages/gallery, packages/inference and packages/token from
// their text. With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import createWabt from 'wabt';
import { KERNELS as GALLERY_KERNELS } from '../packages/gallery/src/kernel/kernel-text.ts';
import { KERNELS as INFERENCE_KERNELS } from '../packages/inference/src/kernel/kernel-text.ts';
import { KERNELS as TOKEN_KERNELS } from '../packages/token/shared/kernel/kernel-text.ts';

const FEATURES = { simd: true, relaxed_simd: true, threads: true };
const FOLDERS = [
  { folder: '../packages/gallery/src/kernel/', kernels: GALLERY_KERNELS },
  { folder: '../packages/inference/src/kernel/', kernels: INFERENCE_KERNELS },
  { folder: '../packages/token/shared/kernel/', kernels: TOKEN_KERNELS },
];

/** Module files and their bytes. */
export async function buildKernels(): Promise<{ file: URL; bytes: Uint8Array }[]> {
  const wabt = await createWabt();
  return FOLDERS.flatMap(({ folder, kernels }) =>
    Object.entries(kernels).map(([name, text]) => {
      const parsed = wabt.parseWat(name, text, FEATURES);
      try {
        parsed.resolveNames();
        const { buffer } = parsed.toBinary({});
        return { file: new URL(`${folder}${name}`, import.meta.url), bytes: buffer };
      } finally {
        parsed.destroy();
      }
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isCheck = process.argv.includes('--check');
  for (const { file, bytes } of await buildKernels()) {
    if (!isCheck) writeFileSync(file, bytes);
    else if (!readFileSync(file).equals(bytes)) {
      console.error(`${file.pathname} does not match its source; run: npm run kernel`);
      process.exitCode = 1;
    }
  }
}
