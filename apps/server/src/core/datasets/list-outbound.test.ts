// How far a list may lead: into the private network only from within it.
import { expect, it, onTestFinished } from 'vitest';
import { createListOutbound } from './list-outbound.ts';
import { startPublisher } from './testing/publisher.ts';

it('calls private addresses for an address that is one, and not for a public one', async () => {
  const { base, files } = await startPublisher();
  files.set('/list', { body: 'hello' });
  const lists = createListOutbound();
  onTestFinished(() => lists.close());
  const ask = async (start: string) =>
    (await lists.startingAt(start)).get(`${base}/list`, {}, async ({ status }) => status);
  expect(await ask(base)).toBe(200);
  await expect(ask('https://1.1.1.1/list')).rejects.toMatchObject({ code: 'address_refused' });
});
