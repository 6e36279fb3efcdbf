// An upgrade without downtime: processes of the previous release and of today's code share one
// PostgreSQL under load while each is replaced. Nothing is refused and nothing is lost.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createLimenClient } from '@limen/sdk';
import { createDeviceClient, generateDeviceKeyPair } from '@limen/sdk/device';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { startBalancer } from '#testing/processes/balancer.ts';
import { checkOutEarlierRelease, hasEarlierRelease } from '#testing/processes/earlier-release.ts';
import { startListening } from '#testing/processes/listening-process.ts';
import { startServer } from '#testing/processes/server-process.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';

const API_KEY = 'limen-rolling-upgrade-key';
const AT_ONCE = 6;
/** Complete rounds of strings and sessions in each stage of the upgrade */
const ROUNDS_PER_STAGE = 40;

const hasHistory = hasEarlierRelease();
const lack = hasHistory ? '' : ' (skipped: the history does not reach back to it)';

it.runIf(engine === 'postgres' && hasHistory)(
  `runs the previous release alongside this one, with requests to either${lack}`,
  async () => {
    const storage = await createTestDatabase({ empty: true });
    onTestFinished(() => storage.dispose());
    const earlier = checkOutEarlierRelease();
    onTestFinished(earlier.remove);
    const receiver = await startReceiver(() => 200);
    const balancer = await startBalancer();
    onTestFinished(() => balancer.close());
    const secret = randomBytes(32).toString('base64');
    const holder = await startListening(earlier.keyHolder, {
      KEYHOLDER_SECRET: secret,
      KEYHOLDER_DATA_DIR: join(storage.dataDir, 'holder'),
      KEYHOLDER_MASTER_KEY: randomBytes(32).toString('base64'),
      KEYHOLDER_PORT: '0',
    });
    const environment = {
      ...storage.environment,
      ...{ MASTER_KEY: Buffer.alloc(32, 3).toString('base64'), DEV_API_KEY: API_KEY, SERVE: 'core,launch' },
      ...{ KEYHOLDER_URL: holder.address, KEYHOLDER_SECRET: secret, LOG_LEVEL: 'warn', PORT: '0' },
      ...{ DISK_RESERVE_MB: '0', PUBLIC_URL: balancer.url },
    };
    const startEarlier = () => startListening(earlier.service, environment);
    const startToday = () => startServer(environment);

    const users = await createUsers(balancer.url, receiver.url);
    const [first, second] = [await startEarlier(), await startEarlier()];
    for (const { address } of [first, second]) balancer.add(address);
    const load = users.begin();
    await load.rounds(ROUNDS_PER_STAGE);

    // The first process of today's code migrates the schema while the two continue.
    const third = await startToday();
    balancer.add(third.address);
    await load.rounds(ROUNDS_PER_STAGE);

    await balancer.remove(first.address);
    expect(await first.stop('SIGTERM')).toBe(0);
    const fourth = await startToday();
    balancer.add(fourth.address);
    await load.rounds(ROUNDS_PER_STAGE);

    await balancer.remove(second.address);
    expect(await second.stop('SIGTERM')).toBe(0);
    await load.rounds(ROUNDS_PER_STAGE);
    const { strings, webhooks } = await load.end();

    expect(balancer.refusals).toEqual([]);
    for (const { address } of [first, second, third, fourth])
      expect(balancer.answered.get(address)).toBeGreaterThan(ROUNDS_PER_STAGE);
    expect(await users.missing(strings)).toEqual([]);
    // At least once: webhooks may be repeated, but none is missing.
    const arrived = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).metadata.number));
    await expect.poll(() => webhooks.filter((number) => !arrived().has(number)), { timeout: 60_000 }).toEqual([]);
    for (const { stderr, stdout } of [first, second, third, fourth])
      expect(`${stdout()}${stderr()}`).not.toMatch(/edited in the database|"level":50/);
  },
);

/** Clients and hosts, through the one address that they know */
async function createUsers(url: string, webhookUrl: string) {
  const client = createLimenClient({ baseUrl: url, apiKey: API_KEY });
  const pair = await generateDeviceKeyPair();
  const keys = { load: async () => pair, save: async () => {} };
  const strings = new Map<string, string>();
  const webhooks: number[] = [];
  let [number, done, goesOn] = [0, 0, true];

  async function keepString(value: string): Promise<void> {
    const { id } = await client.strings.create(value);
    strings.set(id, value);
    expect((await client.strings.get(id)).value).toBe(value);
  }

  async function simulateSession(mine: number): Promise<void> {
    const { token } = await client.ageSessions.create({ callback: { url: webhookUrl }, metadata: { number: mine } });
    await client.ageSessions.simulate(token, { outcome: 'above' });
    webhooks.push(mine);
    expect((await client.ageSessions.result(token)).flowStatus).toBe('COMPLETED');
  }

  /** Goes from claim to answer, with each call at the next process. */
  async function goThroughSession(mine: number): Promise<void> {
    const { launchUrl, token } = await client.ageSessions.create({
      callback: { url: webhookUrl },
      metadata: { number: mine },
    });
    const sessionId = new URL(launchUrl).searchParams.get('sessionId')!;
    const device = await createDeviceClient({ baseUrl: url, sessionId, keys });
    const [step] = (await device.claim()).steps;
    const { challenges = [], cameraRequest, light } = step?.step === 'face' ? step : {};
    await device.record('started', 0);
    for (const index of challenges.keys()) {
      await device.record('shown', index);
      await device.record('done', index);
      if (cameraRequest?.after === index) await device.record('asked', index);
    }
    await device.record('finished', 0);
    const declined = light && { light: 'declined' as const };
    const face = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', ...declined } as const;
    const { end } = await device.submit({ face, indicators: null });
    expect(end?.flowStatus).toBe('COMPLETED');
    webhooks.push(mine);
    expect((await client.ageSessions.result(token)).flowStatus).toBe('COMPLETED');
  }

  async function use(): Promise<void> {
    while (goesOn) {
      const mine = ++number;
      await keepString(`value ${mine}`);
      await (mine % 2 === 0 ? simulateSession(mine) : goThroughSession(mine));
      done += 1;
    }
  }

  return {
    begin() {
      const all = Promise.all(Array.from({ length: AT_ONCE }, use));
      // A refused client ends the wait for the others.
      const rounds = async (more: number) => {
        const target = done + more;
        await Promise.race([all, expect.poll(() => done, { timeout: 300_000 }).toBeGreaterThanOrEqual(target)]);
      };
      const end = async () => {
        goesOn = false;
        await all;
        return { strings, webhooks };
      };
      return { rounds, end };
    },
    async missing(kept: ReadonlyMap<string, string>): Promise<string[]> {
      const found = await Promise.all(
        [...kept].map(async ([id, value]) => (await client.strings.get(id)).value === value),
      );
      return [...kept.values()].filter((_, index) => !found[index]);
    },
  };
}
