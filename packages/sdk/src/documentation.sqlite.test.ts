// The examples in the documentation, run as they stand against the real service.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { installSdkOnce } from '../testing/installed-sdk.ts';
import { type LiveService, startLiveService } from '../testing/live-service.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCUMENTED_URL = 'http://localhost:8080';
const DOCUMENTED_KEY = 'my-development-key';
const DOCUMENTED_CUSTOMER = 'my-customer';
const GUIDE = '../../../docs/age-sessions.md';
const VERIFICATION = '../../../docs/verification.md';
const PROOFS = '../../../docs/proofs.md';
const SIGNED = '../../../docs/signed-results.md';
const examples = ['../../../docs/sdk.md', '../README.md', GUIDE, VERIFICATION, '../../../docs/age.md', SIGNED].flatMap(
  findExamples,
);
/** Each is a process of its own: the short run has every third one. */
const RUN = examples.filter((_, nth) => IS_LONG || nth % 3 === 0);
/** What some of them print; of the others it is enough that they print something. */
const SAYS = new Map([
  ['example 1 of age-sessions.md', /\nyes\n/],
  ['example 2 of age-sessions.md', /^AGE_ABOVE_THRESHOLD .*exact: 21/s],
  ['example 1 of verification.md', /\nSUCCESS [0-9a-f-]{36} ALLOW\n$/],
  ['example 2 of verification.md', /^(start again: .*\n){2}signed in: [0-9a-f-]{36}\n$/],
  ['example 1 of signed-results.md', /^test_world\nage_session test AGE_ABOVE_THRESHOLD 4711\n$/],
  ['example 2 of signed-results.md', /^age_session 2\d{3}-/],
  ['example 1 of age.md', /\nAGE_ABOVE_THRESHOLD\n$/],
  ['example 3 of age-sessions.md', /^(9007199254740992 \{"order":9007199254740993.*\ntrue\n){2}$/],
  ['example 4 of age-sessions.md', /^order 4711: AGE_AT_THRESHOLD, ALLOW\n$/],
  [
    'example 5 of age-sessions.md',
    /below AGE_BELOW_THRESHOLD COMPLETED BLOCK .*cancelled AGE_UNKNOWN CANCELLED REVIEW/s,
  ],
]);
const sdk = installSdkOnce();
const service = shareService();

it('has examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
  for (const { program } of examples) expect(program).toContain(DOCUMENTED_URL);
});

it('says above the first example how it runs inside the repository, and it does', async () => {
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
])('the commands of %s run, one after the other in one shell', async (guide, blocks, says) => {
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
])('the requests of %s run, one after the other in one shell', async (guide, says) => {
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

it('the guide to age sessions decides as its table says', async () => {
  const { program } = examples.find(({ name }) => name === 'example 1 of age-sessions.md')!;
  const source = `export ${program.slice(program.indexOf('function decide('))}`;
  const { decide } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const end = (sessionStatus: string, recommendation: string) =>
    decide({ flowStatus: 'COMPLETED', sessionStatus, riskEvaluation: { recommendation } });
  for (const status of ['AGE_ABOVE_THRESHOLD', 'AGE_AT_THRESHOLD']) {
    expect(['ALLOW', 'REVIEW', 'BLOCK'].map((risk) => end(status, risk))).toEqual(['yes', 'review', 'no']);
  }
  expect(['REVIEW', 'BLOCK'].map((risk) => end('AGE_BELOW_THRESHOLD', risk))).toEqual(['review', 'no']);
  expect(['REVIEW', 'BLOCK'].map((risk) => end('AGE_UNKNOWN', risk))).toEqual(['another try', 'no']);
  expect(decide({ sessionStatus: 'AGE_UNKNOWN', errors: [] })).toBe('wait');
});

/** One for all examples, which have keys of their own. */
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
