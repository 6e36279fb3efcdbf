// Trust anchors as files: PROFILE/*.pem, or PROFILE/NAME.list.pem for all of a list, and PROFILE/*.crl.
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  AnchorError,
  type CrlDescription,
  describeAnchor,
  describeCrl,
  PROFILES,
  type ProfileId,
  readAnchors,
  type TrustAnchor,
  writeAnchor,
} from '@limen/wallet';
import { makeInnerFolder } from '../../../../platform/files/folder.ts';
import { matchOwner } from '../../../../platform/files/owner.ts';

export interface StoredAnchor {
  file: string;
  /** Name of the list that it came with; null if it was added alone */
  list: string | null;
  anchor: TrustAnchor;
}

/** A revocation list whose signature is not verified yet. */
export interface StoredCrl {
  file: string;
  profile: ProfileId;
  bytes: Uint8Array;
  description: CrlDescription;
}

const FILE = /^[^.].*\.(?:pem|crt|cer|crl)$/i;
const CRL = /\.crl$/i;
const OF_LIST = /^(?<list>[a-z0-9_]+)\.list\.pem$/;

export function createTrustFolder(dataDir: string) {
  const root = join(dataDir, 'trust');

  return {
    async stamp() {
      const files = await listFiles();
      const stats = await Promise.all(files.map(({ file }) => stat(join(root, file)).catch(() => null)));
      return stats.map((found, at) => [files[at]?.file, found?.mtimeMs, found?.size].join(' ')).join('\n');
    },

    async read() {
      const kept: StoredAnchor[] = [];
      const crls: StoredCrl[] = [];
      const problems: { file: string; sentence: string }[] = [];
      for (const { file, profile } of await listFiles()) {
        try {
          const bytes = await readFile(join(root, file));
          if (CRL.test(file)) {
            crls.push({ file, profile, bytes, description: await describeCrl(bytes) });
            continue;
          }
          const anchors = await readAnchors(bytes.toString('utf8'), profile);
          const list = OF_LIST.exec(basename(file))?.groups?.['list'] ?? null;
          kept.push(...anchors.map((anchor) => ({ file, list, anchor })));
        } catch (error) {
          if (error instanceof AnchorError) problems.push({ file, sentence: error.message });
          else if (error instanceof Error && 'syscall' in error)
            problems.push({ file, sentence: 'The file cannot be read.' });
          else throw error;
        }
      }
      return { kept, crls, problems };
    },

    /** Writes one file per certificate, so that each can be removed. Skips known certificates. */
    async add(anchors: readonly TrustAnchor[]) {
      const { kept } = await this.read();
      const known = new Set(kept.map(({ anchor }) => anchorKey(anchor)));
      const fresh = anchors.filter((anchor) => !known.has(anchorKey(anchor)));
      for (const anchor of fresh) {
        const { fingerprint } = describeAnchor(anchor);
        await writeWhole(join(root, anchor.profile, `${fingerprint.slice(0, 32)}.pem`), writeAnchor(anchor));
      }
      return { added: fresh.length };
    },

    async remove({ file, anchor }: StoredAnchor) {
      const anchors = (await this.read()).kept.filter((kept) => kept.file === file).map((kept) => kept.anchor);
      await writeAll(
        file,
        anchors.filter((kept) => anchorKey(kept) !== anchorKey(anchor)),
      );
    },

    /** Replaces all anchors of a list at once. Without any, deletes the file. */
    replaceList: (name: string, profile: ProfileId, anchors: readonly TrustAnchor[]) =>
      writeAll(join(profile, `${name}.list.pem`), anchors),
  };

  async function writeAll(file: string, anchors: readonly TrustAnchor[]): Promise<void> {
    if (anchors.length === 0) await rm(join(root, file), { force: true });
    else await writeWhole(join(root, file), anchors.map(writeAnchor).join(''));
  }

  async function listFiles() {
    const ofProfile = async (profile: ProfileId) =>
      (await listNames(join(root, profile), FILE)).map((name) => ({ file: join(profile, name), profile }));
    return (await Promise.all((Object.keys(PROFILES) as ProfileId[]).map(ofProfile))).flat();
  }
}

export type TrustFolder = ReturnType<typeof createTrustFolder>;

function anchorKey(anchor: TrustAnchor): string {
  return `${anchor.profile} ${describeAnchor(anchor).fingerprint}`;
}

/** Lists the files whose names match, sorted. Returns none if the folder does not exist. */
export async function listNames(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => pattern.test(name)).sort();
}

/** Replaces a file at once, so that readers never see a part of it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  makeInnerFolder(folder, 0o755);
  const begun = join(folder, `.${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(begun, 'wx', 0o644);
    try {
      matchOwner(folder, file.fd);
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(begun, path);
  } catch (error) {
    await rm(begun, { force: true });
    throw error;
  }
}
