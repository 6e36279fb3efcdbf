// The files of a built page, listed once: only what is in the list is ever opened, and it stays as it was at the start.
import { closeSync, openSync, read, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Encoding } from '../body/negotiation.ts';

/** Larger ones are read from the disk for each reply; of onnxruntime's 14 MB and more none stays in memory. */
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

/** The bytes of a file, as they are or compressed. */
export interface Content {
  bytes: number;
  /** A buffer of small ones, a new stream of large ones. */
  open(): Buffer | Readable;
}

export interface PageFile {
  type: string;
  sha256: string;
  plain: Content;
  compressed: ReadonlyMap<Encoding, Content>;
}

export interface PageFiles {
  /** Undefined where the page is not built; then there are no assets either. */
  page: PageFile | undefined;
  findAsset(name: string): PageFile | undefined;
  /** Once nothing is being sent any more. */
  close(): void;
}

const NOTHING: PageFiles = { page: undefined, findAsset: () => undefined, close() {} };
const readAt = promisify(read);
/** What is in memory, by what it is: whoever makes several applications in a process, as tests do, holds one copy. */
const held = new Map<string, WeakRef<Buffer>>();

/**
 * Reads small files and opens large ones at once, so that a service goes on with the page it started with when the
 * folder is built anew meanwhile.
 */
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
    // Replaced or damaged while it was read: no half of a page is served.
    close();
    return NOTHING;
  }

  function open(path: string, { sha256, bytes, gzip, br }: BuiltFile): PageFile {
    const compressed = new Map<Encoding, Content>();
    if (br !== undefined) compressed.set('br', contentOf(`${path}.br`, br, `${sha256} br`));
    if (gzip !== undefined) compressed.set('gzip', contentOf(`${path}.gz`, gzip, `${sha256} gzip`));
    const type = TYPES.get(extname(path)) ?? 'application/octet-stream';
    return { type, sha256, plain: contentOf(path, bytes, sha256), compressed };
  }

  function contentOf(path: string, bytes: number, identity: string): Content {
    if (bytes <= MAX_IN_MEMORY) {
      const buffer = readOnce(path, bytes, identity);
      return { bytes, open: () => buffer };
    }
    const file = openSync(path, 'r');
    opened.push(file);
    return { bytes, open: () => Readable.from(readChunks(file, bytes), { objectMode: false }) };
  }
}

/** What a file was compressed to depends on the effort, and with that its size. */
function readOnce(path: string, bytes: number, identity: string): Buffer {
  const name = `${identity} ${bytes}`;
  const known = held.get(name)?.deref();
  const buffer = known ?? readFileSync(path);
  if ((known ? statSync(path).size : buffer.length) !== bytes) throw new Error('not the file that was built');
  held.set(name, new WeakRef(buffer));
  return buffer;
}

/** By position, so that replies share the open file; and without closing it, as the streams of `node:fs` would. */
async function* readChunks(file: number, bytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < bytes; ) {
    const length = Math.min(CHUNK_BYTES, bytes - position);
    const { bytesRead, buffer } = await readAt(file, Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) throw new Error('a file of the page is shorter than it was');
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** Written last; a folder without it is no finished build. */
export const BUILD_RECORD = 'build.json';
/** The folder of everything but the page itself. */
export const ASSETS = 'assets';
export const PAGE = 'index.html';

export interface BuiltFile {
  /** Of the file as it is, in hex. */
  sha256: string;
  bytes: number;
  /** Bytes of the compressed copies beside it, `<file>.gz` and `<file>.br`; left out where they are not worth it. */
  gzip?: number;
  br?: number;
}

export interface BuildRecord {
  /** Hash of all sources that went into the build. */
  sources: string;
  /** Stamp of the sources' sizes and times, by which most starts know that nothing changed */
  stamp: string;
  /** How well large files were compressed. */
  effort: string;
  page: BuiltFile;
  assets: Record<string, BuiltFile>;
}

/** Undefined where there is no finished build. */
export function readBuildRecord(folder: string): BuildRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, BUILD_RECORD), 'utf8')) as BuildRecord;
  } catch {
    return undefined;
  }
}
