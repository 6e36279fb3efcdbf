// Measured operations, as called by clients.
import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { CHECK, SIMULATED } from '../../../scripts/docs/capacity-figures.ts';
import { API_KEY, createDevice, createHost, type WebhookReceiver } from '../sessions/service.ts';
import type { Server } from '../shared/stage.ts';

export interface Operation {
  name: string;
  what: string;
  count: number;
  /** Number of operations per call. */
  each?: number;
  run(): Promise<void>;
  /** Waits until background work has finished. */
  settle?(): Promise<void>;
}

const NUMBERS = 512;
const ROWS = 1_000;

export async function listOperations(server: Server, receiver: WebhookReceiver, quick: boolean): Promise<Operation[]> {
  const call = createCaller(server.url);
  const times = (count: number) => (quick ? Math.ceil(count / 10) : count);
  const host = createHost(server);
  const device = await createDevice(server);
  const kept: string[] = [];
  const faces: string[] = [];
  let [checked, read, looked] = [0, 0, 0];
  const csv = [
    'id,firstname,lastname,dob',
    ...Array.from({ length: ROWS }, (_, at) => `${at},${nameOf(at)},1970-01-01`),
  ];
  return [
    {
      ...{ name: 'string stored', what: '`POST /strings` of 200 characters', count: times(4_000) },
      async run() {
        const { id } = await call<{ id: string }>('POST', '/strings', { value: randomUUID().padEnd(200, 'x') });
        kept.push(id);
      },
    },
    {
      ...{ name: 'string read', what: '`GET /strings/:id`', count: times(8_000) },
      async run() {
        read += 1;
        await call('GET', `/strings/${kept[read % kept.length]}`);
      },
    },
    {
      ...{
        name: CHECK,
        what: 'a session from its creation by the host to the device’s sealed answer, the result read, the webhook delivered',
      },
      count: times(600),
      async run() {
        const { token, sessionId } = await host.create(receiver.url);
        await device.complete(sessionId);
        await host.read(token);
        checked += 1;
      },
      settle: async () => void (await receiver.until(checked, 120)),
    },
    {
      ...{ name: SIMULATED, what: 'the same with an idempotency key, ended by `simulate` instead of a device' },
      count: times(600),
      async run() {
        const body = { callback: { url: receiver.url } };
        const { token } = await call<{ token: string }>('POST', '/session', body, { 'idempotency-key': randomUUID() });
        await call('POST', `/session/${token}/simulate`, { outcome: 'above' });
        await host.read(token);
        checked += 1;
      },
      settle: async () => void (await receiver.until(checked, 120)),
    },
    {
      ...{ name: 'name screened', what: 'a row of a CSV file of 1,000, against the list `demo`' },
      ...{ count: times(60), each: ROWS },
      run: () => upload(server.url, csv.join('\n')),
    },
    {
      ...{ name: 'face enrolled', what: '`POST /node/plainEnroll` of 512 numbers', count: times(600) },
      async run() {
        const features = featureText();
        faces.push(features);
        await call('POST', '/node/plainEnroll', features);
      },
    },
    {
      ...{
        name: 'face searched',
        what: '`POST /node/plainPredict` among those enrolled just before',
        count: times(2_000),
      },
      async run() {
        looked += 1;
        await call('POST', '/node/plainPredict', faces[looked % faces.length]!);
      },
    },
  ];
}

function featureText(): string {
  const vector = Array.from({ length: NUMBERS }, () => Math.random() - 0.5);
  return JSON.stringify({ features: { type: 'face', embedding_vector: vector } });
}

function nameOf(at: number): string {
  const [first, last] = [FIRST[at % FIRST.length], LAST[Math.floor(at / FIRST.length) % LAST.length]];
  return `${first},${last}`;
}

const FIRST = ['Maria', 'Ahmed', 'Yusuf', 'Elena', 'Pierre', 'Ingrid', 'Tomasz', 'Aisha', 'Carlos', 'Mei'];
const LAST = ['Beispiel', 'Haddad', 'Okafor', 'Petrova', 'Dupont', 'Larsen', 'Kowalski', 'Rahman', 'Mendes', 'Chen'];

function createCaller(url: string) {
  const agent = new Agent({ keepAlive: true });
  const common = { 'content-type': 'application/json', 'x-api-key': API_KEY };
  return async <T>(method: string, path: string, body?: object | string, more?: Record<string, string>): Promise<T> => {
    const headers = { ...common, ...more };
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url + path, { method, headers, agent }, resolve).on('error', reject);
      request.end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
    let text = '';
    for await (const chunk of reply) text += chunk;
    // Throws on refusals, which are cheaper and would distort the figure.
    if (reply.statusCode !== 200 && reply.statusCode !== 201) throw new Error(`${path} answered ${reply.statusCode}`);
    return JSON.parse(text) as T;
  };
}

async function upload(url: string, text: string): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([text], { type: 'text/csv' }), 'people.csv');
  const reply = await fetch(`${url}/v2/open-sanctions/file/demo`, { method: 'POST', body: form });
  if (!reply.ok) throw new Error(`the file was answered with ${reply.status}: ${await reply.text()}`);
  await reply.arrayBuffer();
}
