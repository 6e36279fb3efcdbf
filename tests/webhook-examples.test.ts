// Runs examples/webhooks in each language against vector.json, which is checked against the service's signing code.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signWebhook } from '../apps/server/src/webhooks/send.ts';
import { verifyWebhook } from '../packages/sdk/src/index.ts';
import { findProgram } from '../scripts/system-packages.ts';

interface VectorCase {
  name: string;
  genuine: boolean;
  apiKeys: string[];
  timestamp: string | null;
  signature: string | null;
  body: string;
  now: number;
}

const EXAMPLES = 'examples/webhooks';
const DRIVERS = 'tests/webhook-examples';
const cases = JSON.parse(readFileSync(`${EXAMPLES}/vector.json`, 'utf8')) as VectorCase[];
const lines = cases.map(({ apiKeys, timestamp, signature, now, body }) =>
  [apiKeys, timestamp ?? '', signature ?? '', now, Buffer.from(body).toString('base64')].join('\t'),
);
const verdicts = cases.map(({ genuine }) => genuine);

describe('the vector of examples/webhooks', () => {
  it('has the signatures of the service', () => {
    const genuine = cases.filter((vectorCase) => vectorCase.genuine);
    expect(genuine.length).toBeGreaterThanOrEqual(3);
    for (const { apiKeys, timestamp, signature, body } of genuine)
      expect(apiKeys.map((key) => signWebhook(timestamp!, body, key))).toContain(signature);
  });

  it('gets the same verdicts from the SDK', async () => {
    const verified = cases.map(async ({ apiKeys, timestamp, signature, body, now }) => {
      const headers = { 'x-service-timestamp': timestamp ?? '', 'x-service-signature': signature ?? '' };
      const attempts = apiKeys.map((key) => verifyWebhook(body, headers, key, { now: () => now * 1000 }));
      return (await Promise.allSettled(attempts)).some(({ status }) => status === 'fulfilled');
    });
    expect(await Promise.all(verified)).toEqual(verdicts);
  });
});

const run = (program: string, args: string[], cwd?: string) =>
  execFileSync(program, args, {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
    ...(cwd && { cwd }),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', GOCACHE: join(cwd ?? tmpdir(), 'go-cache') },
  });

const INTERPRETED = { node: 'drive.js', python3: 'drive.py', php: 'drive.php', ruby: 'drive.rb' };

describe.each(Object.entries(INTERPRETED))('the webhook example for %s', (program, driver) => {
  const found = program === 'node' ? process.execPath : findProgram(program);
  it.runIf(found)(nameTest(program, found), () => {
    expect(parse(run(found!, [`${DRIVERS}/${driver}`]))).toEqual(verdicts);
  });
});

/** Each gets a folder and returns the command that reads the lines. */
const COMPILED: Record<string, (folder: string) => string> = {
  go: (folder) => {
    writeFileSync(join(folder, 'go.mod'), 'module drive\n\ngo 1.19\n');
    mkdirSync(join(folder, 'webhooks'));
    cpSync(`${EXAMPLES}/verify.go`, join(folder, 'webhooks/verify.go'));
    cpSync(`${DRIVERS}/drive.go`, join(folder, 'main.go'));
    return run('go', ['run', '.'], folder);
  },
  javac: (folder) => {
    run('javac', ['-d', folder, `${EXAMPLES}/Verify.java`, `${DRIVERS}/Drive.java`]);
    return run('java', ['-cp', folder, 'Drive']);
  },
  mcs: (folder) => {
    const program = join(folder, 'drive.exe');
    run('mcs', [`-out:${program}`, `${EXAMPLES}/Verify.cs`, `${DRIVERS}/Drive.cs`]);
    return run('mono', [program]);
  },
};

describe.runIf(IS_LONG).each(Object.entries(COMPILED))('the webhook example for %s', (program, compile) => {
  const found = findProgram(program);
  it.runIf(found)(nameTest(program, found), () => {
    const folder = mkdtempSync(join(tmpdir(), 'limen-webhook-example-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(parse(compile(folder))).toEqual(verdicts);
  });
});

function nameTest(program: string, found: string | undefined): string {
  return `accepts genuine webhooks only${found ? '' : ` in ${program} (skipped: ${program} was not found)`}`;
}

function parse(printed: string): boolean[] {
  return printed
    .trimEnd()
    .split('\n')
    .map((line) => line === 'true');
}
