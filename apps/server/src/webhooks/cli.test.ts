// `limen listen`: signature checks, replies, and when it ends.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { PATIENCE } from '@limen/testing/patience.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestCli, runLimenHere } from '#testing/run-limen.ts';
import { runCli } from '../commands.ts';

const KEY = 'the-key-of-a-host-application';

async function startListening(options: string[], { isScreen = false } = {}) {
  const { cli, output } = createTestCli({ environment: { LIMEN_API_KEY: KEY }, isScreen });
  const ended = runCli(['listen', '--port', '0', ...options], cli);
  const url = await vi.waitFor(() => {
    const found = /listening on (\S+)/.exec(output.stderr)?.[1];
    expect(found).toBeDefined();
    return found!;
  }, PATIENCE);
  return { url, output, ended };
}

async function send(url: string, body: string, key = KEY): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = `sha256=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`;
  const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature, 'x-service-attempt': '2' };
  return (await fetch(url, { method: 'POST', body, headers })).status;
}

it('prints valid webhooks unchanged, refuses others, and ends after the requested number', async () => {
  const { url, output, ended } = await startListening(['--count', '2']);
  const body = '{"metadata":{"order":12345678901234567890,"price":1.10}}';
  expect(await send(url, body, 'somebody-else-s-key')).toBe(401);
  expect((await fetch(url)).status).toBe(405);
  expect(await send(url, `"${'x'.repeat(600_000)}"`)).toBe(401);
  expect(await send(url, body)).toBe(204);
  expect(await send(url, '{"n":2}')).toBe(204);
  expect(await ended).toBe(0);
  expect(output.stdout).toBe(`${body}\n{"n":2}\n`);
  expect(output.stderr).toContain('refused: The webhook was not signed with this API key, or was modified.');
  expect(output.stderr).toContain('a webhook, signature verified, attempt 2');
});

it('escapes control sequences in a webhook', async () => {
  const { url, output, ended } = await startListening(['--count', '1'], { isScreen: true });
  expect(await send(url, '{"metadata":"\u009b2J \u200f"}')).toBe(204);
  expect(await ended).toBe(0);
  expect(output.stdout).toBe('{"metadata":"\ufffd2J \ufffd"}\n');
});

it('reports that the port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await runLimenHere(['listen', '--port', String(port)], {
    environment: { LIMEN_API_KEY: KEY },
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `Port ${port} is already in use; choose another with --port.\n`,
  });
});
