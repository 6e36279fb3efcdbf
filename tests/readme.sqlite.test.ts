// The commands of the README and of docs/node.md, pasted unchanged into a shell next to a new
// service.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '../apps/server/testing/database/test-database.ts';
import { startServer } from '../apps/server/testing/processes/server-process.ts';

const [, ageCheck = '', commandLine = ''] = readBlocks('README.md');
const [nodeMinutes = ''] = readBlocks('docs/node.md');

function readBlocks(document: string): string[] {
  return [...readFileSync(document, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** Other ports, because the documented ones may be in use on this machine. */
async function startElsewhere() {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.dispose());
  const { address } = await startServer(database.environment);
  const hookPort = await findFreePort();
  const paste = (script: string) =>
    promisify(execFile)('bash', ['-c', script], { env: { ...process.env, ...database.environment } });
  const moved = (block: string) =>
    block
      .replaceAll('http://localhost:8080', address)
      .replaceAll('http://127.0.0.1:9000', `http://127.0.0.1:${hookPort}`)
      .replaceAll('/dev/tcp/127.0.0.1/9000', `/dev/tcp/127.0.0.1/${hookPort}`)
      .replaceAll('npx limen listen', `npx limen listen --port ${hookPort}`);
  return { paste, moved };
}

// Only the embedded default has a development key automatically.
it.runIf(engine === 'sqlite')(
  'the age check of the README runs to its end in one paste',
  async () => {
    const { paste, moved } = await startElsewhere();
    const { stdout, stderr } = await paste(`set -euo pipefail\n${moved(ageCheck)}`);
    expect(stdout).toMatch(/^http\S+\/launch\S*$/m);
    expect(stderr.match(/a webhook, signature verified/g)).toHaveLength(1);
    // The reply to the simulation and the webhook. The script reads the recommendation of the result itself.
    expect(stdout.match(/"sessionStatus":"AGE_ABOVE_THRESHOLD"/g)).toHaveLength(2);
    expect(stdout.match(/^Let them in\.$/gm)).toHaveLength(1);
  },
  300_000,
);

it.runIf(IS_LONG && engine === 'sqlite')(
  'runs the biometric node’s five minutes to their end in one paste',
  async () => {
    const { paste, moved } = await startElsewhere();
    const { stdout } = await paste(`set -euo pipefail\n${moved(nodeMinutes)}`);
    const [check, enrolled, again, list, match, deleted] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { puid } = enrolled;
    expect(check).toMatchObject({ status: 0 });
    expect(enrolled).toMatchObject({ message: 'Ok', enroll_level: 1 });
    expect(again).toMatchObject({ message: 'User Already Enrolled', puid });
    expect(list).toMatchObject({ PI_list: [{ puid, score: 1 }] });
    expect(match).toMatchObject({ message: 'Ok', puid, score: 1 });
    expect(deleted).toMatchObject({ status: 200 });
  },
  120_000,
);

it.runIf(IS_LONG && engine === 'sqlite')('the commands of the README run beside a service in use', async () => {
  const { paste, moved } = await startElsewhere();
  await paste(`set -euo pipefail\n${moved(ageCheck)}`);
  // Does not depend on a publisher's server.
  const script = moved(commandLine).replace(/^npx limen datasets add.*$/m, '');
  expect(script.match(/^npx limen/gm)!.length).toBeGreaterThan(2);
  const { stdout } = await paste(`set -euo pipefail\n${script}`);
  expect(stdout).toMatch(/No problems.*Created a live key.*\d+ of \d+ rows matched/s);
});

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
