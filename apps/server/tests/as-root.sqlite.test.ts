// Commands that root runs on the folder of a service without root: every new file belongs to the
// service.
import { chownSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAnchor } from '@limen/wallet';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { expect, it } from 'vitest';
import { engine } from '#testing/database/test-database.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { ftmList, ftmPerson } from '#testing/screening/publisher.ts';
import { runToolHere } from '../../../tools/testing/run-tool-here.ts';

const SERVICE = 12_345;

it.runIf(process.getuid?.() === 0)(
  "gives lists, keys, certificates and the database to the service's user",
  async () => {
    const { dataDir, environment } = await prepareDatabase();
    const [list, anchor] = [join(dataDir, 'list.ftm.json'), join(dataDir, 'anchor.pem')];
    writeFileSync(list, ftmList(ftmPerson('a', 'Maria Beispiel')));
    writeFileSync(anchor, writeAnchor((await createTestIssuer({ profile: 'mdl', now: new Date() })).anchor));
    const mine = readdirSync(dataDir);
    chownSync(dataDir, SERVICE, SERVICE);
    for (const args of [
      ['keys', 'create'],
      ['master-key', 'rotate'],
      ['datasets', 'add', 'north', list],
      ['trust', 'add', 'mdl', anchor],
    ])
      expect(await runLimenHere(args, { environment }), args.join(' ')).toMatchObject({ code: 0 });
    expect(await runToolHere('dev-cert', [], environment)).toMatchObject({ code: 0 });
    const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => !mine.includes(name));
    expect(names).toEqual(
      expect.arrayContaining(['master.key', 'datasets/north/dataset.json', 'trust/mdl', 'dev-cert/key.pem']),
    );
    expect(names.includes('limen.db')).toBe(engine === 'sqlite');
    expect(names.filter((name) => lstatSync(join(dataDir, name)).uid !== SERVICE)).toEqual([]);
  },
);
