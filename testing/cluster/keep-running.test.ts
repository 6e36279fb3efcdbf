// Exited processes of a cluster are restarted and reported.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepRunning } from './keep-running.ts';
import { createMember } from './processes.ts';

it('restarts killed processes and leaves running ones alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'limen-members-'));
  const members = ['one', 'two'].map((name) =>
    createMember(
      { name, command: '/bin/sh', args: ['-c', 'echo up; exec sleep 600'], environment: {}, says: /up/ },
      folder,
    ),
  );
  onTestFinished(async () => {
    for (const member of members) await member.end('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  for (const member of members) await member.start();
  const [one, two] = members.map((member) => member.pid());
  await members[0]!.end('SIGKILL');
  const told: string[] = [];
  await keepRunning(members, (sentence) => told.push(sentence));
  expect(told).toEqual([expect.stringContaining('one has ended'), 'one runs again.']);
  expect(members.map((member) => member.isRunning())).toEqual([true, true]);
  expect(members[0]!.pid()).not.toBe(one);
  expect(members[1]!.pid()).toBe(two);
});
