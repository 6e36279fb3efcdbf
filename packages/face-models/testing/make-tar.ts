// Creates valid and invalid tar archives.
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  path: string;
  content?: Uint8Array;
  /** `0`: plain file, `5`: folder, `2`: link, `x`: extended header. */
  type?: string;
}

export function makeTar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(writeEntry), Buffer.alloc(1024)]);
}

/** Creates a tarball like npm: everything below one folder, compressed. */
export function makeTarball(files: ReadonlyMap<string, Uint8Array>): Buffer {
  return gzipSync(makeTar([...files].map(([path, content]) => ({ path: `package/${path}`, content }))));
}

/** Creates an extended header with the path of the next entry. */
export function makePathRecord(path: string): TarEntry {
  const tail = ` path=${path}\n`;
  let length = Buffer.byteLength(tail);
  while (String(length).length + Buffer.byteLength(tail) !== length)
    length = String(length).length + Buffer.byteLength(tail);
  return { path: 'PaxHeader', type: 'x', content: Buffer.from(`${length}${tail}`) };
}

function writeEntry({ path, content = new Uint8Array(0), type = '0' }: TarEntry): Buffer[] {
  const header = Buffer.alloc(512);
  header.write(path, 0, 100, 'utf8');
  header.write('0000644\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\0', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)];
}
