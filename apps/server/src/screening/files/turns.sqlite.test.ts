// One owner's calls and files do not delay another's. The tests assert the order of replies, never
// a time.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOLD, startOddWorker } from '#testing/screening/odd-worker.ts';
import { csvForm, HEADER } from '#testing/screening/upload.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const FLOOD = 24;
const FLOODER = '203.0.113.1';
const matchOf = (name: string) => ({ url: '/v2/screening/match', payload: { dataset: 'demo', subjects: [{ name }] } });
const fileOf = (name: string) => ({
  url: '/v2/open-sanctions/file/demo',
  ...csvForm(`${HEADER}1,Ada,${name},1990-01-01\n`),
});

let app: TestApp;
let apiKey: string;
let dispose: () => Promise<void>;

beforeAll(async () => {
  app = await startTestApp({
    sanctionsTuning: { workers: 1, startWorker: startOddWorker },
    atEnd: (end) => (dispose = end),
  });
  ({ apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false }));
});
afterAll(() => dispose());

it.each([
  ['a single match with a key', matchOf, {}, true],
  ['a single match of another address', matchOf, { remoteAddress: '198.51.100.7' }, false],
  ['a file with a key', fileOf, {}, true],
  ['a file of another address', fileOf, { remoteAddress: '198.51.100.7' }, false],
])('serves %s before the backlog of a flood', async (_, requestOf, caller: { remoteAddress?: string }, hasKey) => {
  const ended: string[] = [];
  const send = async (who: string, name: string, from: { remoteAddress?: string }, key = '') => {
    const { headers = {}, ...request } = requestOf(name) as ReturnType<typeof fileOf>;
    const keyed = key === '' ? headers : { ...headers, 'x-api-key': key };
    const reply = await app.http.inject({ method: 'POST', ...request, headers: keyed, ...from });
    ended.push(`${who} ${reply.statusCode}`);
  };
  await send('first', 'Innocent', {});
  // An unknown key has no effect, and is not refused where none is required.
  const flood = Array.from({ length: FLOOD }, () => send('flood', HOLD, { remoteAddress: FLOODER }, 'made-up'));
  const { remoteAddress = FLOODER } = caller;
  await Promise.all([...flood, send('honest', 'Innocent', { remoteAddress }, hasKey ? apiKey : '')]);
  expect(ended.filter((name) => name === 'flood 200')).toHaveLength(FLOOD);
  expect(ended).toContain('honest 200');
  expect(ended.indexOf('honest 200')).toBeLessThan(FLOOD / 2);
});

it.each([
  ['a single match', matchOf],
  ['a file', fileOf],
])('serves %s with a key before the calls of many addresses', async (_, requestOf) => {
  const ended: string[] = [];
  const send = async (who: string, name: string, remoteAddress: string, key?: string) => {
    const { headers = {}, ...request } = requestOf(name) as ReturnType<typeof fileOf>;
    const keyed = key === undefined ? headers : { ...headers, 'x-api-key': key };
    await app.http.inject({ method: 'POST', ...request, headers: keyed, remoteAddress });
    ended.push(who);
  };
  const crowd = Array.from({ length: FLOOD }, (_, at) => send('stranger', HOLD, `192.0.2.${at}`));
  await Promise.all([...crowd, send('known', 'Innocent', '192.0.2.0', apiKey)]);
  expect(ended).toHaveLength(FLOOD + 1);
  expect(ended.indexOf('known')).toBeLessThan(FLOOD / 2);
});
