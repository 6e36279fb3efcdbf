// The files of a built page. Only the files in its build record are opened, and they stay as they were at the start.
import { closeSync, openSync, read, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Encoding } from '../body/negotiation.ts';

/** Larger files, such as onnxruntime's 14 MB, are read from the disk for each reply. */
const MAX_IN_MEMORY = 256 * 1024;
const CHUNK_BYTES = 128 * 1024;

const TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.webp', 'image/webp'],
  ['.woff2', 'font/woff2'],
]);

interface Content {
  bytes: number;
  /** Returns the buffer of a small file, or a new stream of a large one. */
  open(): Buffer | Readable;
}

export interface PageFile {
  type: string;
  sha256: string;
  plain: Content;
  compressed: ReadonlyMap<Encoding, Content>;
}

export interface PageFiles {
  /** Undefined if the page is not built; there are no assets then */
  page: PageFile | undefined;
  findAsset(name: string): PageFile | undefined;
  /** Closes large files; call it after the last reply. */
  close(): void;
}

const NOTHING: PageFiles = { page: undefined, findAsset: () => undefined, close() {} };
const readAt = promisify(read);

/** Reads small files and opens large ones at once, so that the service keeps its page even if the folder is built again. */
export function createPageFiles(folder: string): PageFiles {
  const record = readBuildRecord(folder);
  if (!record) return NOTHING;
  const opened: number[] = [];
  const close = () => {
    for (const file of opened.splice(0)) closeSync(file);
  };
  try {
    const page = open(join(folder, PAGE), record.page);
    const assets = new Map(
      Object.entries(record.assets).map(([name, built]) => [name, open(join(folder, ASSETS, name), built)]),
    );
    return { page, findAsset: (name) => assets.get(name), close };
  } catch {
    // The build was replaced while it was read, or is damaged.
    close();
    return NOTHING;
  }

  function open(path: string, { sha256, bytes, gzip, br }: BuiltFile): PageFile {
    const compressed = new Map<Encoding, Content>();
    if (br !== undefined) compressed.set('br', contentOf(`${path}.br`, br));
    if (gzip !== undefined) compressed.set('gzip', contentOf(`${path}.gz`, gzip));
    const type = TYPES.get(extname(path)) ?? 'application/octet-stream';
    return { type, sha256, plain: contentOf(path, bytes), compressed };
  }

  function contentOf(path: string, bytes: number): Content {
    if (bytes <= MAX_IN_MEMORY) {
      const buffer = readFileSync(path);
      if (buffer.length !== bytes) throw new Error('not the file that was built');
      return { bytes, open: () => buffer };
    }
    const file = openSync(path, 'r');
    opened.push(file);
    return { bytes, open: () => Readable.from(readChunks(file, bytes), { objectMode: false }) };
  }
}

/** Reads by position, because replies share the open file. The streams of `node:fs` would close it. */
async function* readChunks(file: number, bytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < bytes; ) {
    const length = Math.min(CHUNK_BYTES, bytes - position);
    const { bytesRead, buffer } = await readAt(file, Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) throw new Error('a file of the page is shorter than it was');
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** Written last; a folder without it is not a finished build */
export const BUILD_RECORD = 'build.json';
export const ASSETS = 'assets';
export const PAGE = 'index.html';

export interface BuiltFile {
  sha256: string;
  bytes: number;
  /** Sizes of `<file>.gz` and `<file>.br`, if compression is worth it */
  gzip?: number;
  br?: number;
}

export interface BuildRecord {
  sources: string;
  /** Stamp of the sources' sizes and times, for a quick check at the start */
  stamp: string;
  effort: string;
  page: BuiltFile;
  assets: Record<string, BuiltFile>;
}

export function readBuildRecord(folder: string): BuildRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, BUILD_RECORD), 'utf8')) as BuildRecord;
  } catch {
    return undefined;
  }
}
