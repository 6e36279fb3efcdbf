// Trust anchors as files: DATA_DIR/trust/PROFILE/*.pem, put there by `limen trust` or by hand. Those of a list are all in one
// file, PROFILE/NAME.list.pem, so that a new version of the list takes the place of the old one at once. Beside them lie lists of
// revoked certificates, PROFILE/*.crl, for services that cannot fetch them.

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
import { giveToOwnerOf } from '../../../../platform/files/owner.ts';

export interface KeptAnchor {
  /** From the trust folder on. */
  file: string;
  /** The list that it came with; null where somebody added it by itself. */
  list: string | null;
  anchor: TrustAnchor;
}

/** A list of revoked certificates; nothing of it is believed yet. */
export interface KeptCrl {
  file: string;
  profile: ProfileId;
  bytes: Uint8Array;
  description: CrlDescription;
}

const FILE = /^[^.].*\.(?:pem|crt|cer|crl)$/i;
const CRL = /\.crl$/i;
const OF_LIST = /^(?<list>[a-z0-9_]+)\.list\.pem$/;
const IDS = Object.keys(PROFILES) as ProfileId[];

export function createTrustFolder(dataDir: string) {
  const root = join(dataDir, 'trust');

  return {
    /** Another text whenever a file has come, gone or changed. */
    async stamp() {
      const files = await listFiles();
      const stats = await Promise.all(files.map(({ file }) => stat(join(root, file)).catch(() => null)));
      return stats.map((one, at) => [files[at]?.file, one?.mtimeMs, one?.size].join(' ')).join('\n');
    },

    async read() {
      const kept: KeptAnchor[] = [];
      const crls: KeptCrl[] = [];
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
          if (!(error instanceof AnchorError) && !isFileProblem(error)) throw error;
          problems.push({ file, sentence: error instanceof AnchorError ? error.message : 'The file cannot be read.' });
        }
      }
      return { kept, crls, problems };
    },

    /**
     * Writes one file per certificate, so that each can be removed. Leaves existing certificates
     * unchanged.
     */
    async add(anchors: readonly TrustAnchor[]) {
      const { kept } = await this.read();
      const known = new Set(kept.map(({ anchor }) => keyOf(anchor)));
      const fresh = anchors.filter((anchor) => !known.has(keyOf(anchor)));
      for (const anchor of fresh) {
        const { fingerprint } = describeAnchor(anchor);
        await writeWhole(join(root, anchor.profile, `${fingerprint.slice(0, 32)}.pem`), writeAnchor(anchor));
      }
      return { added: fresh.length };
    },

    /** Others in the same file stay. */
    async remove({ file, anchor }: KeptAnchor) {
      const { kept } = await this.read();
      const others = kept.filter((one) => one.file === file && keyOf(one.anchor) !== keyOf(anchor));
      await writeAll(
        file,
        others.map((one) => one.anchor),
      );
    },

    /** All that came with the list before are gone, and these are there, in one step. None: the file is gone. */
    replaceList: (name: string, profile: ProfileId, anchors: readonly TrustAnchor[]) =>
      writeAll(join(profile, `${name}.list.pem`), anchors),
  };

  async function writeAll(file: string, anchors: readonly TrustAnchor[]): Promise<void> {
    if (anchors.length === 0) await rm(join(root, file), { force: true });
    else await writeWhole(join(root, file), anchors.map(writeAnchor).join(''));
  }

  async function listFiles(): Promise<{ file: string; profile: ProfileId }[]> {
    const all = await Promise.all(
      IDS.map(async (profile) => {
        const names = await readdir(join(root, profile)).catch(nothingThere);
        return names
          .filter((name) => FILE.test(name))
          .sort()
          .map((name) => ({ file: join(profile, name), profile }));
      }),
    );
    return all.flat();
  }
}

export type TrustFolder = ReturnType<typeof createTrustFolder>;

function keyOf(anchor: TrustAnchor): string {
  return `${anchor.profile} ${describeAnchor(anchor).fingerprint}`;
}

function nothingThere(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}

function isFileProblem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  makeInnerFolder(folder, 0o755);
  const begun = join(folder, `.${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(begun, 'wx', 0o644);
    try {
      giveToOwnerOf(folder, file.fd);
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
