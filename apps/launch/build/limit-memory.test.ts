import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { limitMemory, lowerMaximum } from './limit-memory.ts';

const { resolve } = createRequire(import.meta.url);
const readGlue = (name: string) => readFileSync(resolve(`onnxruntime-web/${name}`), 'utf8');

it('replaces only the 4 GB limit in the script', () => {
  const shipped = readGlue('ort-wasm-simd-threaded.mjs');
  const limited = lowerMaximum(shipped)!;
  expect(limited).not.toContain('65536,shared');
  const [before, after] = limited.split(/\(a=>\{for\(let b of a\).*?\[8192,4096,2048\]\)/);
  expect(shipped.startsWith(before!) && shipped.endsWith(after!)).toBe(true);
});

it.each(['', 'new WebAssembly.Memory({initial:256,maximum:32768,shared:!0})'])(
  'returns undefined if the script is %j',
  (script) => {
    expect(lowerMaximum(script)).toBeUndefined();
  },
);

function buildWith(glue: string, name = 'ort-wasm-simd-threaded.mjs') {
  const root = mkdtempSync(join(tmpdir(), 'limen-glue-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src', name), glue);
  writeFileSync(join(root, 'src/main.js'), `import url from './${name}?url';\nconsole.log(url);\n`);
  writeFileSync(join(root, 'index.html'), '<script type="module" src="./src/main.js"></script>');
  return build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [limitMemory()],
    build: { outDir: join(root, 'dist'), assetsInlineLimit: 0 },
  });
}

it('limits the memory of the shipped scripts in a build', async () => {
  await buildWith(readGlue('ort-wasm-simd-threaded.mjs'));
});

it('fails the build if a script requests memory differently or has another name', async () => {
  await expect(buildWith('export default 1;')).rejects.toThrow('asks for memory in another way');
  const glue = readGlue('ort-wasm-simd-threaded.mjs');
  await expect(buildWith(glue, 'ort-wasm-relaxed.mjs')).rejects.toThrow('is not limited');
});
