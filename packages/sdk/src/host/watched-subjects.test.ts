// Calls of watched subjects: requests, and retries after a lost reply.
import { expect, it } from 'vitest';
import { startScriptedClient } from '../../testing/scripted-client.ts';
import { reply, reset } from '../../testing/scripted-server.ts';

const SUBJECT = { reference: 'c-1', name: 'Maria Beispiel' };

it('puts a subject, and again after a lost reply', async () => {
  const { client, received } = await startScriptedClient([reset, reply(201, { id: 'a' })]);
  expect(await client.screening.subjects.put(SUBJECT)).toEqual({ id: 'a' });
  expect(received.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
    ['POST', '/v2/screening/subjects', SUBJECT],
    ['POST', '/v2/screening/subjects', SUBJECT],
  ]);
});

it('does not retry a decision', async () => {
  const { client, received } = await startScriptedClient([reset]);
  const decision = { decision: 'confirmed', reason: 'r', author: 'a', entryHash: 'h' } as const;
  await expect(client.screening.subjects.decide('a', 'b', decision)).rejects.toThrow();
  expect(received).toHaveLength(1);
});

it('reads by id and by reference, and iterates over pages', async () => {
  const { client, received } = await startScriptedClient([
    reply(200, { id: 'a' }),
    reply(200, { hits: [] }),
    reply(200, { history: [] }),
    reply(200, { id: 'a' }),
    reply(200, { alerts: [{ id: '2' }], nextCursor: 'x' }),
    reply(200, { alerts: [{ id: '1' }] }),
    reply(200, { subjects: [{ id: 'a' }] }),
    reply(204, undefined),
  ]);
  const { subjects, alerts } = client.screening;
  await subjects.find('c-1');
  await subjects.hits('a');
  await subjects.evidence('a');
  await subjects.get('a');
  const seen: string[] = [];
  for await (const { id } of alerts.iterate({ subjectId: 'a' })) seen.push(id);
  for await (const { id } of subjects.iterate()) seen.push(id);
  await subjects.delete('a');
  expect(seen).toEqual(['2', '1', 'a']);
  expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v2/screening/subjects/find',
    'GET /v2/screening/subjects/a/hits',
    'GET /v2/screening/subjects/a/evidence',
    'GET /v2/screening/subjects/a',
    'GET /v2/screening/alerts?subjectId=a',
    'GET /v2/screening/alerts?cursor=x&subjectId=a',
    'GET /v2/screening/subjects',
    'DELETE /v2/screening/subjects/a',
  ]);
});

it('fetches the evidence as a page and a refusal as an error', async () => {
  const { client, received } = await startScriptedClient([
    reply(200, '<!doctype html>'),
    reply(404, { message: 'There is none.' }),
  ]);
  expect(await client.screening.subjects.evidencePage('a')).toBe('<!doctype html>');
  expect([received[0]!.url, received[0]!.headers.accept]).toEqual(['/v2/screening/subjects/a/evidence', 'text/html']);
  await expect(client.screening.subjects.evidencePage('b')).rejects.toMatchObject({ status: 404 });
});

it('sends a file unchanged, with the defaults for its lines', async () => {
  const { client, received } = await startScriptedClient([reply(200, { added: 1 }), reply(200, { total: 1, due: 0 })]);
  const { subjects } = client.screening;
  await subjects.import('reference,name\nc-1,A B\n', { format: 'csv', dataset: 'default' });
  expect(await subjects.count()).toEqual({ total: 1, due: 0 });
  const [sent] = received;
  expect([sent!.method, sent!.url, sent!.headers['content-type'], sent!.body]).toEqual([
    'POST',
    '/v2/screening/subjects/import?dataset=default',
    'text/csv',
    'reference,name\nc-1,A B\n',
  ]);
});

it.each([
  ['{"reference":"c-1"}\n', 'application/x-ndjson'],
  ['\ufeff {"reference":"c-1"}', 'application/x-ndjson'],
  ['reference,name\n', 'text/csv'],
  [new Uint8Array(Buffer.from('{}')), 'application/x-ndjson'],
])('detects %j as %s', async (content, type) => {
  const { client, received } = await startScriptedClient([reply(200, { added: 1 })]);
  await client.screening.subjects.import(content);
  expect(received[0]!.headers['content-type']).toBe(type);
});

it('filters by open decisions and by time', async () => {
  const { client, received } = await startScriptedClient([
    reply(200, { subjects: [], nextCursor: 'x' }),
    reply(200, { subjects: [] }),
    reply(200, { alerts: [] }),
  ]);
  for await (const _ of client.screening.subjects.iterate({ state: 'screened', hits: 'open' }));
  await client.screening.alerts.list({ kind: 'new', since: new Date(0) });
  expect(received.map(({ url }) => url)).toEqual([
    '/v2/screening/subjects?state=screened&hits=open',
    '/v2/screening/subjects?cursor=x&state=screened&hits=open',
    '/v2/screening/alerts?kind=new&since=1970-01-01T00%3A00%3A00.000Z',
  ]);
});
