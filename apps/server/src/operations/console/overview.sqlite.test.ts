// The overview: finished sessions are counted once, by day, key and world, and outlive their
// sessions.
import { beforeEach, describe, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { newHost } from '#testing/session-app.ts';
import type { OverviewView } from './views.ts';

const DAY = 24 * 60 * 60_000;

let app: ConsoleApp;
let auditor: TestOperator;
let host: Awaited<ReturnType<typeof newHost>>;

beforeEach(async () => {
  app = await startConsoleApp({ environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  auditor = await newOperator(app, 'auditor');
  host = await newHost(app);
});

async function end(outcome: string, more: object = {}): Promise<string> {
  const { body } = await host.create();
  await host.simulate(body.token, { outcome, ...more });
  return body.token;
}

async function overview(query = '', by = auditor): Promise<OverviewView> {
  const reply = await by.call('GET /console/api/overview', { query });
  expect(reply.statusCode).toBe(200);
  return reply.json();
}

describe('the overview', () => {
  it('counts the outcomes of sessions, and the funnel', async () => {
    await end('above');
    await end('above', { flags: ['LIGHT_NOT_AS_DRAWN'] });
    await end('spoof');
    await end('camera_failure');
    await host.create(); // Not finished, and so not counted.
    const { days, stages, completed, errors, flags, withDocument } = await overview();
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toMatchObject({
      recommendations: { ALLOW: 1, REVIEW: 1, BLOCK: 1 },
      states: { completed: 3, cancelled: 1 },
    });
    expect(days[0]).toMatchObject({ recommendations: {}, states: {}, webhooks: {} });
    expect(stages.map(({ count }) => count)).toEqual([4, 3, 3, 0, 0, 3]);
    expect([completed, withDocument]).toEqual([3, 0]);
    expect(errors).toEqual(
      expect.arrayContaining([
        { code: '1', meaning: 'Image spoof', count: 1 },
        { code: '-7', meaning: 'Camera failure', count: 1 },
      ]),
    );
    expect(flags).toContainEqual({ code: 'LIGHT_NOT_AS_DRAWN', count: 1 });
  });

  it('filters by kind, world, key and number of days', async () => {
    await end('above');
    const [key] = await app.apiKeys.list();
    for (const [query, expected] of [
      ['?kind=age', 1],
      ['?kind=verification', 0],
      ['?world=test', 1],
      ['?world=live', 0],
      [`?key=${key!.id}`, 1],
      ['?key=another', 0],
      ['?days=7', 1],
    ] as const)
      expect([query, (await overview(query)).completed]).toEqual([query, expected]);
    expect((await overview('?days=7')).days).toHaveLength(7);
    expect((await auditor.call('GET /console/api/overview', { query: '?days=8' })).statusCode).toBe(400);
  });

  it('keeps its numbers when a session is redacted, and separates the days', async () => {
    const token = await end('above');
    await host.redact(token);
    app.clock.advance(DAY);
    const later = await newOperator(app, 'auditor');
    await end('above');
    const { days, completed } = await overview('', later);
    expect([completed, days.at(-2)?.states, days.at(-1)?.states]).toEqual([2, { completed: 1 }, { completed: 1 }]);
  });

  it('counts webhooks that were delivered, rejected and given up', async () => {
    const { body } = await host.create({ callback: { url: 'http://127.0.0.1:1/' } });
    await host.simulate(body.token, { outcome: 'above' });
    await app.jobs.runDue();
    expect((await overview()).days.at(-1)!.webhooks).toEqual({ failed: 1 });
  });
});

it('writes its counts when the service stops, and the next one finds them', async () => {
  const database = await createTestDatabase();
  const first = await startConsoleApp({ database });
  const theirs = await newHost(first);
  const { body } = await theirs.create();
  await theirs.simulate(body.token, { outcome: 'above' });
  await first.close();
  const second = await startConsoleApp({ database });
  expect((await overview('', await newOperator(second, 'admin'))).completed).toBe(1);
  await second.close();
  await database.dispose();
});
