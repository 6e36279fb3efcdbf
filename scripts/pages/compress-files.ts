// Compresses the files of a built page in advance, so that replies need not wait.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuiltFile } from '../../apps/server/src/platform/http/pages/files.ts';

/** Minimum size for a compressed copy. */
const MIN_BYTES = 512;
/** Size above which the best levels take too long for an interactive build. */
const LARGE_BYTES = 256 * 1024;
/** Already compressed formats. */
const DENSE = /\.(?:jpg|png|webp|woff2)$/;

/**
 * Measured with onnxruntime's 14.2 MB: gzip 6 gives 3.70 MB in 0.4 s (9: 3.69 MB); brotli 6 gives
 * 2.77 MB in 0.6 s (5: 2.83 MB in 0.4 s, 9: 2.69 MB in 3.1 s).
 */
const LARGE = { quick: { gzip: 6, brotli: 6 }, thorough: { gzip: 9, brotli: 10 } };
const SMALL = { gzip: 9, brotli: 11 };

export type Effort = keyof typeof LARGE;

const runGzip = promisify(gzip);
const runBrotli = promisify(brotliCompress);

/** Both in parallel on Node's thread pool. */
export async function compressFile(path: string, effort: Effort): Promise<BuiltFile> {
  const content = await readFile(path);
  const built: BuiltFile = {
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
  };
  if (content.length < MIN_BYTES || DENSE.test(path)) return built;
  const levels = content.length > LARGE_BYTES ? LARGE[effort] : SMALL;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: levels.brotli,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    // At level 6, a larger window than the default finds less.
    ...(levels.brotli >= 9 && { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS }),
  };
  const [zipped, squeezed] = await Promise.all([
    runGzip(content, { level: levels.gzip }),
    runBrotli(content, { params }),
  ]);
  if (zipped.length < content.length) {
    await writeFile(`${path}.gz`, zipped);
    built.gzip = zipped.length;
  }
  if (squeezed.length < content.length) {
    await writeFile(`${path}.br`, squeezed);
    built.br = squeezed.length;
  }
  return built;
}
