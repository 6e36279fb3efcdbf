// What is known of each list, as small files beside the anchors: DATA_DIR/trust/lists/NAME.json.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../write-whole.ts';
import { parseTrustList, type TrustList } from './list.ts';

const FILE = /^[a-z0-9_]+\.json$/;

export function createTrustListStore(dataDir: string) {
  const folder = join(dataDir, 'trust', 'lists');
  const pathOf = (name: string) => join(folder, `${name}.json`);
  return {
    async read() {
      const names = (await readdir(folder).catch(nothingThere)).filter((name) => FILE.test(name)).sort();
      const lists: TrustList[] = [];
      const problems: { file: string; sentence: string }[] = [];
      for (const file of names) {
        const list = parseTrustList(await readFile(join(folder, file), 'utf8').catch(() => ''));
        if (list && file === `${list.name}.json`) lists.push(list);
        else problems.push({ file: join('lists', file), sentence: 'The file does not describe a list.' });
      }
      return { lists, problems };
    },
    write: (list: TrustList) => writeWhole(pathOf(list.name), `${JSON.stringify(list, null, 2)}\n`),
    remove: (name: string) => rm(pathOf(name), { force: true }),
  };
}

export type TrustListStore = ReturnType<typeof createTrustListStore>;

function nothingThere(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}
