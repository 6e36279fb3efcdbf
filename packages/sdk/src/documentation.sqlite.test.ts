// The examples in the documentation, run unchanged against the real service.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { installSdkOnce } from '../testing/installed-sdk.ts';
import { type LiveService, startLiveService } from '../testing/live-service.ts';
import { decide } from './host/decide.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCUMENTED_URL = 'http://localhost:8080';
const DOCUMENTED_KEY = 'my-development-key';
const DOCUMENTED_CUSTOMER = 'my-customer';
const GUIDE = '../../../docs/ages.md';
const AGE_SESSIONS = '../../../docs/age-sessions.md';
const VERIFICATION = '../../../docs/sign-in.md';
const PROOFS = '../../../docs/proofs.md';
const SIGNED = '../../../docs/signed-results.md';
const examples = ['../../../docs/sdk.md', '../README.md', GUIDE, AGE_SESSIONS, VERIFICATION, SIGNED].flatMap(
  findExamples,
);
/** Each is a process, so the short run covers every third one. */
const RUN = examples.filter((_, nth) => IS_LONG || nth % 3 === 0);
/** Expected output of some examples. The others only need to print something. */
const SAYS = new Map([
  ['example 1 of ages.md', /\n\{ action: 'wait', reason: 'not_ended' \}\nadmit allowed\n$/],
  ['example 2 of ages.md', /^order 4711: admit, allowed\n$/],
  ['example 3 of ages.md', /\nAGE_ABOVE_THRESHOLD\n$/],
  ['example 1 of age-sessions.md', /^AGE_ABOVE_THRESHOLD .*exact: 21/s],
  ['example 2 of age-sessions.md', /^(9007199254740992 \{"order":9007199254740993.*\ntrue\n){2}$/],
  [
    'example 3 of age-sessions.md',
    /below AGE_BELOW_THRESHOLD COMPLETED BLOCK .*cancelled AGE_UNKNOWN CANCELLED REVIEW/s,
  ],
  ['example 1 of sign-in.md', /\nadmit allowed [0-9a-f-]{36}\n$/],
  ['example 2 of sign-in.md', /^(start again: .*\n){2}signed in: [0-9a-f-]{36}\n$/],
  ['example 1 of signed-results.md', /^test_world\nage_session test AGE_ABOVE_THRESHOLD 4711\n$/],
  ['example 2 of signed-results.md', /^age_session 2\d{3}-/],
]);
const sdk = installSdkOnce();
const service = shareService();

it('finds examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
  for (const { program } of examples) {
    if (program.includes('createLimenClient')) expect(program).toContain(DOCUMENTED_URL);
  }
});

it('documents above the first example how it runs inside the repository, and it does', async () => {
  const text = readFileSync(resolve(ROOT, 'docs/sdk.md'), 'utf8');
  const top = text.slice(0, text.indexOf('```js'));
  expect(top).toContain('npx node example.mjs');
  expect(top).toContain('npm run build -w packages/sdk');
  const { url } = await service();
  const program = examples[0]!.program.replaceAll(DOCUMENTED_URL, url);
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(resolve(ROOT, 'node_modules/.bin/node'), args, { cwd: ROOT });
  expect(stdout).toContain("value: 'hello'");
});

it.each(RUN)('$name runs', async ({ name, program }) => {
  const { app, url } = await service();
  const { apiKey, record } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const { write, run } = sdk();
  const ours = program.replaceAll(DOCUMENTED_URL, url).replaceAll(DOCUMENTED_KEY, apiKey);
  const file = write('example.mjs', ours.replaceAll(DOCUMENTED_CUSTOMER, record.id));
  const output = expect.stringMatching(SAYS.get(name) ?? /\S/);
  expect(await run(process.execPath, [file])).toMatchObject({ status: 0, output });
});

it.each([
  [GUIDE, 4, /"launchUrl".*"AGE_ABOVE_THRESHOLD".*"AGE_ABOVE_THRESHOLD"/s],
  [VERIFICATION, 4, /"launchUrl".*"SUCCESS".*"SUCCESS"/s],
  [PROOFS, 1, /"ageKey":\{"thresholdResult":"AGE_ABOVE_THRESHOLD","method":"document".*"source":"age_key"/s],
])('the commands of %s run in sequence in one shell', async (guide, blocks, says) => {
  const { app, url } = await startLiveService();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const text = readFileSync(resolve(import.meta.dirname, guide), 'utf8');
  const commands = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(commands).toHaveLength(blocks);
  const script = commands.join('').replaceAll(DOCUMENTED_URL, url).replaceAll(DOCUMENTED_KEY, apiKey);
  const { stdout } = await promisify(execFile)('sh', ['-euc', script]);
  expect(stdout).toMatch(says);
  expect(await app.database.queries.selectFrom('sessions').select('id').execute()).toEqual([]);
});

it.each([
  ['screening.md', /"total":.*"demo-001".*"demo-226"/s],
  [
    'watching.md',
    /"state":"due".*"state":"screened".*"hits":\[.*"added":2.*"subjects":\[.*"not_this_subject".*"alerts":\[/s,
  ],
])('the requests of %s run in sequence in one shell', async (guide, says) => {
  const { url, app } = await service();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const text = readFileSync(resolve(ROOT, 'docs', guide), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const requests = blocks.filter((block) => block.includes(DOCUMENTED_URL)).join('');
  const folder = mkdtempSync(join(tmpdir(), 'limen-guide-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(resolve(ROOT, 'packages'), join(folder, 'packages'));
  const script = requests.replaceAll(DOCUMENTED_URL, url).replaceAll(DOCUMENTED_KEY, apiKey);
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: folder });
  expect(stdout).toMatch(says);
});

describe('the guide to age checks', () => {
  const guide = readFileSync(resolve(import.meta.dirname, GUIDE), 'utf8');
  const end = (sessionStatus: string, recommendation: string, flowStatus: string) => ({
    flowStatus,
    sessionStatus,
    riskEvaluation: { recommendation },
  });
  const rows = [...guide.matchAll(/^\| `(AGE_\w+)` \| (.*) \| (.*) \| (.*) \|$/gm)];
  const cells = rows.flatMap(([, status = '', ...told]) =>
    ['ALLOW', 'REVIEW', 'BLOCK'].map((risk, column) => [status, risk, told[column] ?? ''] as const),
  );

  it('has a table of all statuses', () => {
    expect(new Set(rows.map(([, status]) => status))).toEqual(
      new Set(['AGE_ABOVE_THRESHOLD', 'AGE_AT_THRESHOLD', 'AGE_BELOW_THRESHOLD', 'AGE_UNKNOWN']),
    );
  });

  it.each(cells)('documents for %s and %s what decide() returns: %s', (status, risk, told) => {
    const flow = status === 'AGE_UNKNOWN' && risk === 'REVIEW' ? 'CANCELLED' : 'COMPLETED';
    const { action, reason } = decide(end(status, risk, flow));
    if (told === 'does not occur') expect(reason).toBe('not_understood');
    else expect(told.split(/\W/, 1)).toEqual([action]);
  });

  it('has a Python rule that agrees with decide()', () => {
    const source = /^```python\n(def decide.*?)^```$/ms.exec(guide)![1]!;
    const reviews = [{}, ...['ALLOW', 'BLOCK'].map((decision) => ({ review: { decision } }))];
    const outcomes: object[] = [
      ...reviews.slice(1).map((told) => ({ event: 'review.decided', ...told })),
      { sessionStatus: 'AGE_UNKNOWN', errors: [] },
      ...cells.flatMap(([status, risk]) =>
        ['COMPLETED', 'CANCELLED', 'EXPIRED'].flatMap((flow) =>
          reviews.map((told) => ({ ...end(status, risk, flow), ...told })),
        ),
      ),
    ];
    const script = `import json, sys\n${source}\nprint(json.dumps([decide(each) for each in json.load(sys.stdin)]))`;
    const decided = execFileSync('python3', ['-c', script], { input: JSON.stringify(outcomes), encoding: 'utf8' });
    expect(JSON.parse(decided)).toEqual(outcomes.map((outcome) => decide(outcome).action));
  });
});

/** One service for all examples, which have separate keys. */
function shareService(): () => Promise<LiveService> {
  const ends: (() => Promise<void>)[] = [];
  let shared: Promise<LiveService> | undefined;
  afterAll(async () => {
    for (const end of ends) await end();
  });
  async function start(): Promise<LiveService> {
    const live = await startLiveService({}, (end) => ends.push(end));
    await live.app.jobs.start(); // sends webhooks
    return live;
  }
  return () => {
    shared ??= start();
    return shared;
  };
}

function findExamples(path: string): { name: string; program: string }[] {
  const text = readFileSync(resolve(import.meta.dirname, path), 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program = ''], index) => ({
    name: `example ${index + 1} of ${path.split('/').at(-1)}`,
    program,
  }));
}
