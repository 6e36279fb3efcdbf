// A process dies during an import, during a walk, or between a hit and its webhook: no subject is
// lost, and no alert is lost or duplicated. The test simulates deaths before and after a commit, so
// that many fit into seconds. watching-crash.sqlite.test.ts kills real processes.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it } from 'vitest';
import { createListedEntity, inventName } from '#testing/screening/listed-people.ts';
import { replayAlerts } from '#testing/screening/standing-hits.ts';
import { type ProcessDeath, startLife } from '#testing/screening/watching-life.ts';
import { prepareWatching } from '#testing/screening/watching-place.ts';
import { createApiKeys } from '../../platform/api-keys/api-keys.ts';
import { toOwner } from '../../platform/api-keys/owner.ts';
import { createApiKeyStore } from '../../platform/api-keys/store.ts';
import type { AlertContent } from './contents.ts';
import { importSubjects } from './import/run.ts';

const ROUNDS = onlyWhenLong(500, 2);
/** More than one batch of a walk. */
const SUBJECTS = 201;
/** Slightly fewer than a surviving process has. */
const TRANSACTIONS = 30;
const MINUTE_MS = 60_000;

const nameOf = (number: number) => Object.values(inventName(number)).join(' ');
/** Every fifteenth subject is listed, different ones in each version. */
const versionOf = (version: number) =>
  Array.from({ length: SUBJECTS }, (_, number) => number)
    .filter((number) => (number + version) % 15 === 0)
    .map((number) => createListedEntity(`e-${number}`, nameOf(number)));
const FILE = Array.from({ length: SUBJECTS }, (_, number) =>
  JSON.stringify({ reference: `s-${number}`, name: nameOf(number), callback: { url: 'https://bank.example/' } }),
).join('\n');

/** Spread over all transactions, equal in every run, and late enough for a walk to have begun. */
const deathOf = (round: number): ProcessDeath => ({
  at: 1 + ((round * 37 + 14) % TRANSACTIONS),
  isCommitted: round % 2 === 0,
});

it(
  `loses and duplicates nothing in ${ROUNDS} deaths`,
  async () => {
    const place = await prepareWatching();
    const { database, sealer, clock, ids, log } = place.shared;
    const store = createApiKeyStore(database, sealer, log);
    const apiKeys = createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys: true });
    const { record: key } = await apiKeys.create({ kind: 'live', clientCredentials: false });
    const told = new Set<string>();
    let version = 0;
    const publish = () => place.publish('north', versionOf(version), `${version}`);
    await publish();

    async function live(death?: ProcessDeath): Promise<boolean> {
      let isSwitched = false;
      const life = startLife(place, {
        apiKeys,
        death,
        onSent: (body) => void told.add((JSON.parse(body) as { id: string }).id),
        async onWalk() {
          if (isSwitched || !death) return;
          isSwitched = true;
          version += 1;
          await publish();
        },
      });
      const order = {
        format: 'ndjson',
        owner: toOwner(key),
        apiKeyId: key.id,
        requireDataset: async () => {},
      } as const;
      const defaults = { dataset: 'north', scoreThreshold: 0.85 };
      const work = async () => {
        while ((await life.jobs.runDue()) > 0);
      };
      await Promise.allSettled([
        importSubjects(life.watched.puts, { ...order, defaults, input: inChunks(FILE) }),
        work(),
      ]);
      await Promise.allSettled([life.follow(), work()]);
      await Promise.allSettled([work()]);
      // Releases the leases of dead processes.
      clock.advance(MINUTE_MS);
      return life.isDead();
    }

    let deaths = 0;
    for (let round = 0; deaths < ROUNDS; round += 1) if (await live(deathOf(round))) deaths += 1;
    // Some died before their walk came this far.
    expect(version).toBeGreaterThan(ROUNDS / 4);
    // Runs due jobs several times, because failed ones return after their backoff.
    for (let more = 0; more < 3; more += 1) {
      expect(await live()).toBe(false);
      clock.advance(15 * MINUTE_MS);
    }
    const { watched } = startLife(place, { apiKeys, onSent() {}, onWalk: async () => {} });
    const owner = toOwner(key);
    expect(await watched.count(owner)).toEqual({ total: SUBJECTS, due: 0, withoutList: 0, outdated: 0 });
    const alerts = await watched.alerts(owner, { limit: 1_000_000, before: undefined, subjectId: undefined });
    const oldestFirst = alerts
      .reverse()
      .map(({ row, content }) => ({ ...(content as AlertContent), kind: row.kind as 'new' }));
    expect([...replayAlerts(oldestFirst)].toSorted()).toEqual(
      versionOf(version)
        .map(({ id }) => `${id.replace('e-', 's-')} ${id}`)
        .toSorted(),
    );
    expect(alerts.map(({ row }) => row.id).filter((id) => !told.has(id))).toEqual([]);
    expect(told.size).toBe(alerts.length);
  },
  onlyWhenLong(3_600_000, 300_000),
);

async function* inChunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
