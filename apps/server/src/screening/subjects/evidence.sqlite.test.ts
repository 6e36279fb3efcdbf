// The evidence for a subject as a self-contained page.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { newWatchingHost, useWatchingApp, type WatchingHost } from '#testing/screening/watching-app.ts';
import { ENGINE } from './engine.ts';

const ARABIC = 'محمد علي';
const room = useWatchingApp({
  north: [
    createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', {
      names: ['Torvald Eskeland', ARABIC],
      identifiers: [{ kind: 'passportNumber', value: 'N1234567' }],
      addresses: ['12 Harbour Road'],
      programs: ['HARBOUR'],
    }),
  ],
});
const TORVALD = { reference: 'c-1', name: 'Torvald Eskeland', birthDate: '1961-04-09', dataset: 'north' };

async function watchTorvald(): Promise<{ host: WatchingHost; url: string }> {
  const host = await newWatchingHost(room);
  const id = await host.watch(TORVALD);
  await room.work();
  return { host, url: `/v2/screening/subjects/${id}/evidence` };
}

const fetchPage = ({ apiKey }: WatchingHost, url: string) =>
  room.app.http.inject({ url, headers: { 'x-api-key': apiKey, accept: 'text/html' } });

it('saves as a page that loads nothing: its inline style is all that the policy allows', async () => {
  const { host, url } = await watchTorvald();
  const page = await fetchPage(host, url);
  const style = /<style>(.*)<\/style>/s.exec(page.body)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = page.headers['content-security-policy'];
  expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
  expect(page.body).toContain(`http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src`);
  expect(page.body).not.toMatch(/(href|src)=|url\(|@import|<script/);
  for (const rule of ['@media print', 'color-scheme: light dark']) expect(style).toContain(rule);
});

it("contains the list's data for every match: names, identifiers, addresses, programs", async () => {
  const { host, url } = await watchTorvald();
  const { body } = await fetchPage(host, url);
  // Once with the hit, and once in the history as listed then. Names in any script direction are
  // isolated.
  for (const words of [
    `<bdi>${ARABIC}</bdi>`,
    '<bdi>N1234567</bdi>',
    '<bdi>12 Harbour Road</bdi>',
    '<bdi>HARBOUR</bdi>',
  ])
    expect([words, body.split(words).length - 1]).toEqual([words, 2]);
});

it('names the lists with their versions, and the engine, for a subject without hits', async () => {
  const host = await newWatchingHost(room);
  const id = await host.watch({ ...TORVALD, name: 'Somebody Else Entirely', birthDate: '1990-01-01' });
  const url = `/v2/screening/subjects/${id}/evidence`;
  expect((await fetchPage(host, url)).body).toContain('It has not been screened yet');
  await room.work();
  const { body } = await fetchPage(host, url);
  expect(body).toContain('No listed entity matches.');
  expect(body).toMatch(/<bdi>north<\/bdi><\/th><td><bdi>1<\/bdi><\/td><td>not worked through yet/);
  expect(body).toContain(`<dt>engine</dt><dd><bdi>${ENGINE.version}</bdi></dd>`);
});

it('omits the alert address and its headers', async () => {
  const host = await newWatchingHost(room);
  const callback = { url: 'https://bank.example/hush', headers: { authorization: 'Bearer hush' } };
  const id = await host.watch({ ...TORVALD, callback });
  for (const accept of ['application/json', 'text/html']) {
    const headers = { 'x-api-key': host.apiKey, accept };
    const { body } = await room.app.http.inject({ url: `/v2/screening/subjects/${id}/evidence`, headers });
    expect(body).toContain(TORVALD.reference);
    expect(body).not.toContain('hush');
  }
});
