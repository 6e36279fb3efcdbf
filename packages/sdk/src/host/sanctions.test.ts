// Screening of files: requests, and retries after a lost reply.
import { expect, it } from 'vitest';
import { rejectionOf, startScriptedClient } from '../../testing/scripted-client.ts';
import { refuse, reply, reset } from '../../testing/scripted-server.ts';

const CSV = 'id,firstname,lastname,dob\n1,Maria,Beispiel,1970-01-01\n';
const REPLY = { summary: { total: 1 }, results: [] };

it('sends the text as a form file with the threshold in the query', async () => {
  const { client, received } = await startScriptedClient([reply(200, REPLY)]);
  expect(await client.sanctions.screenFile('us_ofac_sdn', CSV, { scoreThreshold: 0.8 })).toEqual(REPLY);
  const [{ method, url, headers, body } = {} as never] = received;
  expect([method, url]).toEqual(['POST', '/v2/open-sanctions/file/us_ofac_sdn?scoreThreshold=0.8']);
  expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(headers['accept']).toBe('application/json');
  expect(body).toContain('name="file"; filename="people.csv"');
  expect(body.replaceAll('\r\n', '\n')).toContain(CSV);
});

it.each([
  [new File([CSV], 'customers.csv'), {}, 'customers.csv'],
  [new Blob([CSV]), {}, 'people.csv'],
  [new File([CSV], ''), {}, 'people.csv'],
  [new File([CSV], 'a.txt'), { fileName: 'b.csv' }, 'b.csv'],
])('names the file (%#)', async (file, options, name) => {
  const { client, received } = await startScriptedClient([reply(200, REPLY)]);
  await client.sanctions.screenFile('demo', file, options);
  expect(received[0]!.body).toContain(`filename="${name}"`);
  expect(received[0]!.url).toBe('/v2/open-sanctions/file/demo');
});

it.each([
  ['a Buffer', Buffer.from(CSV)],
  ['a Uint8Array', new TextEncoder().encode(CSV)],
  ['shared memory', shared(CSV)],
])('accepts %s as the file’s bytes', async (_, bytes) => {
  const { client, received } = await startScriptedClient([reply(200, REPLY)]);
  expect(await client.sanctions.screenFile('demo', bytes)).toEqual(REPLY);
  expect(received[0]!.body).toContain('filename="people.csv"');
  expect(received[0]!.body).toContain(CSV);
});

function shared(text: string): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(text.length));
  bytes.set(new TextEncoder().encode(text));
  return bytes;
}

it.each([
  [[CSV]],
  [{ text: CSV }],
  [new TextEncoder().encode(CSV).buffer],
  [Uint16Array.from(Buffer.from(CSV))],
  [undefined],
])('rejects other values without quoting them (%#)', async (file) => {
  const { client, received } = await startScriptedClient([reply(200, REPLY)]);
  const error = await rejectionOf(client.sanctions.screenFile('demo', file as never));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: 'file must be a Blob, a File, a Uint8Array or a string' });
  expect(received).toEqual([]);
});

it.each([[''], [undefined]])('requires the name of the dataset (%j)', async (dataset) => {
  const { client, received } = await startScriptedClient([reply(200, REPLY)]);
  const error = await rejectionOf(client.sanctions.screenFile(dataset as never, CSV));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: expect.stringMatching(/^dataset must be the name of/) });
  expect(received).toEqual([]);
});

it('is retried with the whole file, because nothing is stored', async () => {
  const busy = refuse(503, 'unavailable');
  const { client, received } = await startScriptedClient([
    busy,
    reset,
    refuse(429, 'too_many_requests'),
    reply(200, REPLY),
  ]);
  expect(await client.sanctions.screenFile('demo', new Blob([CSV]))).toEqual(REPLY);
  expect(received).toHaveLength(4);
  for (const { body, headers } of received) {
    expect(body.replaceAll('\r\n', '\n')).toContain(CSV);
    expect(headers['idempotency-key']).toBeUndefined();
  }
});

it('is not retried on a permanent refusal', async () => {
  const { client, received } = await startScriptedClient([refuse(404, 'not_found')]);
  expect(await rejectionOf(client.sanctions.screenFile('nowhere', CSV))).toMatchObject({ status: 404 });
  expect(received).toHaveLength(1);
});

it('lists datasets', async () => {
  const { client, received } = await startScriptedClient([reply(200, { datasets: [] })]);
  expect(await client.sanctions.datasets()).toEqual({ datasets: [] });
  expect(received[0]).toMatchObject({ method: 'GET', url: '/v2/open-sanctions/datasets' });
});
