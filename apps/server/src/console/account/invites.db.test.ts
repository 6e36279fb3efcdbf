// Concurrent invites.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleApp, call, startConsoleApp } from '#testing/console/console-app.ts';

let app: ConsoleApp;

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  await app.operators.invite('First', 'admin');
});

async function countAlive(tokens: string[]): Promise<number> {
  const replies = tokens.map((invite) => call(app, 'POST /console/api/invite/question', { body: { invite } }));
  return (await Promise.all(replies)).filter(({ statusCode }) => statusCode === 200).length;
}

it('keeps only the latest of two concurrent links for an existing operator', async () => {
  for (let round = 0; round < 12; round += 1) {
    await app.operators.invite(`Known ${round}`, 'auditor');
    const made = await Promise.all(Array.from({ length: 4 }, () => app.operators.invite(`Known ${round}`, undefined)));
    expect(await countAlive(made.map((invite) => invite!.token))).toBe(1);
  }
});

it('creates one operator when concurrent invites differ only in letter case', async () => {
  for (let round = 0; round < 6; round += 1) {
    const names = [`New ${round}`, `new ${round}`, `New ${round}`];
    const made = await Promise.allSettled(names.map((name) => app.operators.invite(name, 'auditor')));
    const tokens = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value!.token] : []));
    expect(await countAlive(tokens)).toBe(1);
    const known = (await app.operators.list()).filter(({ name }) => name.toLowerCase() === `new ${round}`);
    expect(known).toHaveLength(1);
  }
});
