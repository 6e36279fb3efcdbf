// What a build of a page leaves beside its files: which sources it was made from, and every file with its hash and sizes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  /** Of all that went in. */
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
