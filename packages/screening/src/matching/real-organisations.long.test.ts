// Companies of OFAC's list under their own names with abbreviated legal forms. Runs if the list is
// available next to the repository.
import { createReadStream, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { screenAgainst } from '../../testing/small-list.ts';
import type { ListedEntity } from '../entity.ts';
import { createLoadReport, loadList } from '../loaders/load-list.ts';

const LIST = fileURLToPath(
  new URL('../../../../../shared/data/sanctions/us_ofac_sdn.targets.simple.csv', import.meta.url),
);
const FOUND = 0.85;

const SOCIETY = 'OB\\w{2,5}ESTVO';
const IN_SHARES = `A\\w{3,5}ION\\w+ ${SOCIETY}`;
/** As tolerant as a reader. The first match counts. */
const WRITTEN_OUT: readonly (readonly [written: RegExp, short: string])[] = [
  [new RegExp(`\\bPUBL\\w+ ${IN_SHARES}`), 'PAO'],
  [new RegExp(`\\bOTKR\\w+ ${IN_SHARES}`), 'OAO'],
  [new RegExp(`\\bZAKR\\w+ ${IN_SHARES}`), 'ZAO'],
  [new RegExp(`\\b${IN_SHARES}`), 'AO'],
  [new RegExp(`\\b${SOCIETY} S OGR\\w+ OTV\\w+`), 'OOO'],
  [/\bTOV\w+STVO Z OBM\w+ VID\w+/, 'TOV'],
  [/\b(?:FEDERAL\w* )?GOSUDARSTVEN\w+ UNITAR\w+ PREDPR\w+/, 'GUP'],
];

async function readCases(): Promise<{ entity: ListedEntity; name: string; asked: string }[]> {
  const cases = [];
  for await (const entity of loadList(
    'targets-simple-csv',
    { main: createReadStream(LIST) },
    'ofac',
    createLoadReport(),
  )) {
    if (entity.schema !== 'Organization') continue;
    for (const name of entity.names) {
      const [written, short] = WRITTEN_OUT.find(([form]) => form.test(name)) ?? [];
      if (written) cases.push({ entity, name, asked: name.replace(written, short!) });
    }
  }
  return cases;
}

describe.skipIf(!existsSync(LIST))('OFAC’s list', () => {
  it('finds each Russian company by its name with an abbreviated legal form', async () => {
    const cases = await readCases();
    const missed = cases.filter(
      ({ entity, name, asked }) => screenAgainst({ ...entity, names: [name] }).scoreOf('Company', asked) < FOUND,
    );
    expect(cases.length).toBeGreaterThan(700);
    // Misspelled in the list itself, and a branch whose name is in another grammatical case.
    expect(missed.length).toBeLessThan(0.01 * cases.length);
  });
});
