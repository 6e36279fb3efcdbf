// The address of a console that runs is believed, that of one which does not is not.
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { noteConsoleAddress, readConsoleAddress } from './console-address.ts';

it('is what the running service noted, for as long as it runs', async () => {
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
  expect(existsSync(join(folder, 'console-address'))).toBe(true); // that of another process
  forgetOther();
  expect(existsSync(join(folder, 'console-address'))).toBe(false);
});
