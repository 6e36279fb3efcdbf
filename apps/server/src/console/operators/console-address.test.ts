// The noted console address counts only while its process runs.
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { noteConsoleAddress, readConsoleAddress } from './console-address.ts';

it('is the address noted by the running service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'limen-address-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await readConsoleAddress(folder)).toBeUndefined();
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}/console`;
  const forget = noteConsoleAddress(folder, url);
  expect(await readConsoleAddress(folder)).toBe(url);
  server.close();
  await once(server, 'close');
  expect(await readConsoleAddress(folder)).toBeUndefined(); // its process was killed
  const forgetOther = noteConsoleAddress(folder, 'http://localhost:1/console');
  forget();
  expect(existsSync(join(folder, 'console-address'))).toBe(true); // the file of another process
  forgetOther();
  expect(existsSync(join(folder, 'console-address'))).toBe(false);
});
