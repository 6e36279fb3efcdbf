// Reads named files from a tar stream, with limits and without touching the disk.

const BLOCK_BYTES = 512;
/** A path and a size need far less. */
const MAX_PAX_BYTES = 64 * 1024;

export interface TarLimits {
  maxFileBytes: number;
  /** Maximum size of the whole archive, against decompression bombs. */
  maxArchiveBytes: number;
}

/** Returns the wanted files by path, each exactly once. Stops after the last one. */
export async function readTar(
  chunks: AsyncIterable<Uint8Array>,
  wanted: ReadonlySet<string>,
  limits: TarLimits,
): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const reader = createReader(chunks, limits.maxArchiveBytes);
  let pax: PaxRecords = {};
  try {
    while (found.size < wanted.size) {
      const header = await reader.read(BLOCK_BYTES);
      if (header.every((byte) => byte === 0)) break;
      const entry = parseHeader(header, pax);
      pax = {};
      if (entry.type === 'x') {
        if (entry.size > MAX_PAX_BYTES) throw new Error('an extended header is too large');
        pax = parsePax(await reader.read(entry.size));
      } else if (wanted.has(entry.path)) {
        if (entry.type !== '0') throw new Error(`${entry.path} is not a plain file`);
        if (found.has(entry.path)) throw new Error(`${entry.path} is there twice`);
        if (entry.size > limits.maxFileBytes) throw new Error(`${entry.path} has ${entry.size} bytes: too large`);
        found.set(entry.path, await reader.read(entry.size));
      } else {
        await reader.skip(entry.size);
      }
      await reader.skip((BLOCK_BYTES - (entry.size % BLOCK_BYTES)) % BLOCK_BYTES);
    }
  } finally {
    await reader.close();
  }
  const missing = [...wanted].filter((path) => !found.has(path));
  if (missing.length > 0) throw new Error(`not in the archive: ${missing.join(', ')}`);
  return found;
}

interface PaxRecords {
  path?: string;
  size?: number;
}

interface Entry {
  path: string;
  size: number;
  /** Type in the header; empty for plain files of older writers. */
  type: string;
}

function parseHeader(header: Buffer, pax: PaxRecords): Entry {
  if (parseOctal(header, 148, 8) !== sumHeader(header)) throw new Error('the checksum of a header is wrong');
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? readText(header, 345, 155) : '';
  const name = readText(header, 0, 100);
  const type = header[156] === 0 ? '0' : String.fromCharCode(header[156]!);
  const written = parseOctal(header, 124, 12);
  // Names of global and extended headers are meaningless.
  if (type === 'x' || type === 'g') return { path: '', size: written, type };
  const size = pax.size ?? written;
  return { path: checkPath(pax.path ?? (prefix === '' ? name : `${prefix}/${name}`)), size, type };
}

/** Rejects the archive, because none of ours has a reason for such a path. */
function checkPath(path: string): string {
  const parts = path.replace(/\/$/, '').split('/');
  const odd = parts.some((part) => part === '' || part === '.' || part === '..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (odd || /[\u0000-\u001f\u007f\\]/.test(path)) throw new Error(`an odd path: ${JSON.stringify(path)}`);
  return path;
}

function sumHeader(header: Buffer): number {
  let sum = 8 * 32; // the checksum's own field counts as spaces
  for (let index = 0; index < BLOCK_BYTES; index += 1) if (index < 148 || index >= 156) sum += header[index]!;
  return sum;
}

function readText(header: Buffer, start: number, length: number): string {
  const end = header.indexOf(0, start);
  return header.toString('utf8', start, end === -1 ? start + length : Math.min(end, start + length));
}

function parseOctal(header: Buffer, start: number, length: number): number {
  const text = header
    .toString('latin1', start, start + length)
    .replace(/[\0 ]+$/, '')
    .replace(/^ +/, '');
  if (!/^[0-7]{1,11}$/.test(text)) throw new Error('a number in a header is not octal');
  return Number.parseInt(text, 8);
}

/** Parses records of the form `LENGTH KEY=VALUE\n`, where LENGTH counts the whole record. */
function parsePax(content: Buffer): PaxRecords {
  const records: PaxRecords = {};
  let offset = 0;
  while (offset < content.length) {
    const space = content.indexOf(0x20, offset);
    const digits = space === -1 ? '' : content.toString('latin1', offset, space);
    const end = /^[1-9][0-9]{0,5}$/.test(digits) ? offset + Number(digits) : -1;
    if (end <= space || end > content.length || content[end - 1] !== 0x0a)
      throw new Error('an extended header is damaged');
    const [key, ...rest] = content.toString('utf8', space + 1, end - 1).split('=');
    const value = rest.join('=');
    if (key === 'path') records.path = value;
    if (key === 'size') {
      if (!/^[0-9]{1,15}$/.test(value)) throw new Error('a size in an extended header is not a number');
      records.size = Number(value);
    }
    offset = end;
  }
  return records;
}

function createReader(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  let seen = 0;

  async function take(length: number, use: (part: Uint8Array) => void): Promise<void> {
    let left = length;
    while (left > 0) {
      if (rest.length === 0) {
        const next = await iterator.next();
        if (next.done) throw new Error('the archive ends too early');
        rest = next.value;
        seen += rest.length;
        if (seen > maxBytes) throw new Error(`the archive unpacks to more than ${maxBytes} bytes`);
        continue;
      }
      const part = rest.subarray(0, left);
      use(part);
      left -= part.length;
      rest = rest.subarray(part.length);
    }
  }

  return {
    /** Reads exactly this many bytes. */
    async read(length: number): Promise<Buffer> {
      const result = Buffer.alloc(length);
      let offset = 0;
      await take(length, (part) => {
        result.set(part, offset);
        offset += part.length;
      });
      return result;
    },
    skip: (length: number): Promise<void> => take(length, () => {}),
    async close(): Promise<void> {
      await iterator.return?.();
    },
  };
}
