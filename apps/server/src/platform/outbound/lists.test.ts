// List downloads reach the private network only from within it.
import { expect, it, onTestFinished } from 'vitest';
import { startPublisher } from '#testing/screening/publisher.ts';
import { createListOutbound, type ListOutbound, leadsToPrivate } from './lists.ts';

it('calls private addresses for a private list, but not for a public one', async () => {
  const { base, files } = await startPublisher();
  files.set('/list', { body: 'hello' });
  const lists = createListOutbound();
  onTestFinished(() => lists.close());
  const get = ({ outbound }: ReturnType<ListOutbound['asBefore']>) =>
    outbound.get(`${base}/list`, {}, async ({ status }) => status);
  const ask = async (start: string) => get(await lists.startingAt(start));
  expect(await ask(base)).toBe(200);
  await expect(ask('https://1.1.1.1/list')).rejects.toMatchObject({ code: 'address_refused' });
  // A refresh keeps the first decision, even if the name now resolves to another address.
  expect(await get(lists.asBefore(true))).toBe(200);
  await expect(get(lists.asBefore(false))).rejects.toMatchObject({ code: 'address_refused' });
});

it.each([
  ['http://127.0.0.1:8080/list', true],
  ['http://[::1]/', true],
  ['http://10.1.2.3/', true],
  ['http://localhost/', true],
  ['https://1.1.1.1/', false],
  ['http://[2606:4700:4700::1111]/', false],
  ['http://169.254.169.254/', false],
  ['https://nowhere.invalid/', false],
])('decides that %s leads into a private network: %s', async (url, expected) => {
  expect(await leadsToPrivate(url)).toBe(expected);
});
