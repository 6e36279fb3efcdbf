// Health, descriptor and pagination.
import { describe, expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../testing/scripted-client.ts';
import { refuse, reply } from '../testing/scripted-server.ts';
import type { LimenClient } from './index.ts';

const HEALTH = { status: 'ok', service: 'limen', version: '0.1.0', uptimeSeconds: 1 };
const recordOf = (id: string) => ({ id, value: 'v', createdAt: '2026-01-01T00:00:00.000Z' });

describe('health', () => {
  it('returns the service’s reply, with or without its database', async () => {
    const unwell = { ...HEALTH, status: 'unavailable' };
    const { client, waits } = await startScriptedClient([reply(200, HEALTH), reply(503, unwell)]);
    expect(await client.health()).toEqual(HEALTH);
    expect(await client.health()).toEqual(unwell);
    expect(waits).toEqual([]);
  });

  it('throws if a proxy replies, without a retry', async () => {
    const { client, received } = await startScriptedClient([reply(503, { status: 'unavailable' })]);
    expect(await rejectionOf(client.health())).toMatchObject({ status: 503, code: 'unavailable' });
    expect(received).toMatchObject([{ method: 'GET', url: '/health' }]);
  });
});

it('returns the descriptor, with retries', async () => {
  const { client, received } = await startScriptedClient([
    refuse(503, 'unavailable'),
    reply(200, { service: 'limen' }),
  ]);
  expect(await client.describe()).toEqual({ service: 'limen' });
  expect(received.map(({ url }) => url)).toEqual(['/', '/']);
});

describe('iterate', () => {
  const pages = [
    reply(200, { strings: [recordOf('c'), recordOf('b')], nextCursor: 'b&=' }),
    reply(200, { strings: [], nextCursor: 'a' }),
    reply(200, { strings: [recordOf('a')] }),
  ];

  it('follows the cursor to the end, across an empty page', async () => {
    const { client, received } = await startScriptedClient(pages);
    expect(await idsOf(client, { pageSize: 2 })).toEqual(['c', 'b', 'a']);
    expect(received.map(({ url }) => url)).toEqual([
      '/strings?limit=2',
      '/strings?limit=2&cursor=b%26%3D',
      '/strings?limit=2&cursor=a',
    ]);
  });

  it('requests no page that the loop does not reach', async () => {
    const { client, received } = await startScriptedClient(pages);
    for await (const { id } of client.strings.iterate()) if (id === 'b') break;
    expect(received.map(({ url }) => url)).toEqual(['/strings']);
  });

  it('retries a failed page and continues from there', async () => {
    const { client } = await startScriptedClient([pages[0]!, refuse(503, 'unavailable'), pages[2]!]);
    expect(await idsOf(client)).toEqual(['c', 'b', 'a']);
  });
});

async function idsOf(client: LimenClient, options?: { pageSize: number }): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.strings.iterate(options)) ids.push(id);
  return ids;
}
