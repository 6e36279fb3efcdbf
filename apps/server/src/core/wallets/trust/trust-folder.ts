// Trust anchors as files: DATA_DIR/trust/PROFILE/*.pem, put there by `limen trust` or by hand.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AnchorError,
  describeAnchor,
  PROFILES,
  type ProfileId,
  readAnchors,
  type TrustAnchor,
  writeAnchor,
} from '@limen/wallet';

export interface KeptAnchor {
  /** From the trust folder on. */
  file: string;
  anchor: TrustAnchor;
}

export interface ReadTrust {
  kept: readonly KeptAnchor[];
  /** Files that are no use, with a sentence each. */
  problems: readonly { file: string; sentence: string }[];
}

export interface TrustFolder {
  /** Another text whenever a file has come, gone or changed. */
  stamp(): Promise<string>;
  read(): Promise<ReadTrust>;
  /** One file for each certificate, so that each can be removed. Those that are there already are left as they are. */
  add(anchors: readonly TrustAnchor[]): Promise<{ added: number }>;
  remove(kept: KeptAnchor): Promise<void>;
}

const FILE = /^[^.].*\.(?:pem|crt|cer)$/i;
const IDS = Object.keys(PROFILES) as ProfileId[];

export function createTrustFolder(dataDir: string): TrustFolder {
  const root = join(dataDir, 'trust');

  return {
    async stamp() {
      const files = await listFiles();
      const stats = await Promise.all(files.map(({ file }) => stat(join(root, file)).catch(() => null)));
      return stats.map((one, at) => [files[at]?.file, one?.mtimeMs, one?.size].join(' ')).join('\n');
    },

    async read() {
      const kept: KeptAnchor[] = [];
      const problems: { file: string; sentence: string }[] = [];
      for (const { file, profile } of await listFiles()) {
        try {
          const anchors = await readAnchors(await readFile(join(root, file), 'utf8'), profile);
          kept.push(...anchors.map((anchor) => ({ file, anchor })));
        } catch (error) {
          if (!(error instanceof AnchorError) && !isFileProblem(error)) throw error;
          problems.push({ file, sentence: error instanceof AnchorError ? error.message : 'The file cannot be read.' });
        }
      }
      return { kept, problems };
    },

    async add(anchors) {
      const { kept } = await this.read();
      const known = new Set(kept.map(({ anchor }) => keyOf(anchor)));
      const fresh = anchors.filter((anchor) => !known.has(keyOf(anchor)));
      for (const anchor of fresh) {
        const folder = join(root, anchor.profile);
        await mkdir(folder, { recursive: true });
        const { fingerprint } = describeAnchor(anchor);
        // A service that reads meanwhile sees all of it or nothing.
        const begun = join(folder, `.${randomBytes(8).toString('hex')}`);
        await writeFile(begun, writeAnchor(anchor), { mode: 0o644 });
        await rename(begun, join(folder, `${fingerprint.slice(0, 32)}.pem`));
      }
      return { added: fresh.length };
    },

    async remove({ file }) {
      await rm(join(root, file));
    },
  };

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
