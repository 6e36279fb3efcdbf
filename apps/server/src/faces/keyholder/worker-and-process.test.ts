// The key-holder as worker and as process: equal answers, and recovery after a kill.
import { PATIENCE } from '@limen/testing/patience.ts';
import { SHAPE_BYTES } from '@limen/token/shared';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  adopt,
  ask,
  beginEnrollment,
  beginSearch,
  epochOf,
  evaluator,
  foldProbe,
  MODEL_VERSION,
  makeProbe,
  makeToken,
  packTokens,
  randomVector,
  rowsOf,
  search,
  sendBlock,
  shapeOf,
} from '#testing/faces/faces.ts';
import { openTestStore } from '#testing/faces/file-store.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { runKeyHolderToEnd, startKeyHolder } from '#testing/faces/key-holder-process.ts';
import { type KeyHolder, KeyHolderUnavailableError } from './link/calls.ts';
import { keyHolderOver } from './link/link.ts';
import { TlsLink } from './link/tls.ts';
import { createWorkerLink } from './link/worker.ts';

const secret = 'a-secret-of-at-least-32-characters';
const log = pino({ level: 'silent' });
const COMES_BACK = PATIENCE;

function openWorker(folder: string, masterKey = Buffer.alloc(32, 7)) {
  const setup = { folder, masterKey, matchThreshold: 0.48, modelManifest: undefined };
  const link = createWorkerLink({ entry: new URL('./keyholder-thread.ts', import.meta.url), setup }, log);
  onTestFinished(() => link.close());
  return { link, holder: keyHolderOver(link) };
}

async function openProcess(folder: string, port = '0') {
  const started = await startKeyHolder({
    KEYHOLDER_DATA_DIR: folder,
    KEYHOLDER_SECRET: secret,
    KEYHOLDER_PORT: port,
    KEYHOLDER_MATCH_THRESHOLD: '0.48',
  });
  const holder = keyHolderOver(new TlsLink({ urls: [started.address], secrets: [secret], log }));
  onTestFinished(() => holder.close());
  return { ...started, holder };
}

/** One of each comparable answer. */
async function story(holder: KeyHolder) {
  const [ada, ben] = [randomVector(), randomVector()];
  const enrollment = await beginEnrollment(holder, ada);
  const enrolled = await holder.finish(enrollment.challenge);
  const { epoch, token } = await adopt(holder, enrollment);
  await holder.settle(enrollment.challenge, 'ada');
  const tokens = [(await makeToken(holder, ben)).token, token];
  const found = await search(holder, ada, { epoch, tokens });
  await holder.settle(found.challenge, 'ada');
  const packed = await beginSearch(holder, ada);
  const folded = await foldProbe(holder, epoch, packed);
  const block = await packTokens(holder, epoch, [...tokens, ...tokens]);
  await sendBlock(holder, epoch, { challenge: packed.challenge, block, folded }, [0b0011]);
  const inBlock = await holder.finish(packed.challenge);
  await holder.settle(packed.challenge, 'ada');
  const stranger = await search(holder, randomVector(), { epoch, tokens });
  const verified = await search(holder, ben, { epoch, tokens: [tokens[0]!], person: 'ben' });
  const impostor = await search(holder, ada, { epoch, tokens: [tokens[0]!], person: 'ben' });
  const thief = await holder.openChallenge(ask('identify'));
  const about = { modelVersion: MODEL_VERSION };
  const stolen = await holder.begin(thief.challenge, about, { bytes: new Uint8Array(SHAPE_BYTES) });
  const refusals = [await refusalOf(holder.finish(found.challenge)), await refusalOf(holder.rotate('nobody'))];
  const vouched = { device: 'a device', person: 'ben' };
  for (let time = 0; time < 5; time++) await search(holder, randomVector(), { epoch, tokens, vouched });
  refusals.push(await refusalOf(holder.openChallenge(ask('identify', { vouched }))));
  const rotation = await holder.rotate('acme');
  const { masked } = evaluator().maskForRenewal(token);
  const renewed = await holder.renew('acme', rotation.from, rotation.to, [masked]);
  await holder.retire('acme', rotation.from);
  return {
    shape: enrollment.shape,
    answers: [enrolled.best, found.best, inBlock.best, stranger.best, verified.best, impostor.best],
    stolen,
    refusals,
    rotated: rotation.from === epoch && rotation.to !== epoch,
    renewed: renewed.map(({ length }) => length),
    sizes: [thief.publicKey.length, thief.signature.length, thief.identity.length],
  };
}

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    ({ name, reason, retryAfter }) => ({ name, reason, retryAfter }),
  );

describe('worker and process', () => {
  it('give the same answers', async () => {
    const ofWorker = await story(openWorker(makeFolder()).holder);
    const ofProcess = await story((await openProcess(makeFolder())).holder);
    expect(ofWorker).toEqual(ofProcess);
    expect(ofWorker).toEqual({
      shape: 'ok',
      answers: [null, 1, 1, null, 0, null],
      stolen: 'malformed',
      refusals: [
        { name: 'ChallengeRefusedError', reason: 'unknown' },
        { name: 'UnknownEpochError' },
        { name: 'ThrottledError', retryAfter: expect.any(Number) },
      ],
      rotated: true,
      renewed: [6_688],
      sizes: [expect.any(Number), 64, 65],
    });
  });
});

describe('a worker', () => {
  it('restarts when killed: calls in flight fail and challenges are lost, but keys remain', async () => {
    const { link, holder } = openWorker(makeFolder());
    const epoch = await epochOf(holder);
    const opened = await holder.openChallenge(ask('identify'));
    const inFlight = holder.openChallenge(ask('identify', { session: 'second' }));
    const ended = link.thread!.terminate();
    await expect(inFlight).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    await ended;
    await vi.waitFor(() => expect(link.state()).toBe('ready'), COMES_BACK);
    expect(await epochOf(holder)).toBe(epoch);
    await expect(holder.finish(opened.challenge)).rejects.toMatchObject({ reason: 'unknown' });
  });

  it('reports why it cannot open its folder, and fails its calls', async () => {
    const folder = makeFolder();
    await (await openTestStore(folder)).close();
    const { holder } = openWorker(folder, Buffer.alloc(32, 8));
    await expect(holder.rotate('acme')).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    expect(holder.state()).toContain('does not belong to its folder');
  });

  it('gets rows through shared memory, and finishes pending work when closed', async () => {
    const { holder } = openWorker(makeFolder());
    const ada = randomVector();
    const { epoch, token } = await makeToken(holder, ada);
    const opened = await holder.openChallenge(ask('identify'));
    const probe = await makeProbe(ada, opened);
    await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION }, await shapeOf(probe));
    const { bytes } = rowsOf([token], probe);
    const shared = new Uint8Array(new SharedArrayBuffer(3 * bytes.length)).subarray(bytes.length, 2 * bytes.length);
    shared.set(bytes);
    await holder.rows(opened.challenge, epoch, { count: 1, bytes: shared });
    const answer = holder.finish(opened.challenge);
    await holder.close();
    expect(await answer).toEqual({ best: 0 });
    await expect(holder.rotate('acme')).rejects.toBeInstanceOf(KeyHolderUnavailableError);
  });
});

describe('a process', () => {
  it('recovers with the same keys when killed, and exits cleanly on SIGTERM', async () => {
    const folder = makeFolder();
    const first = await openProcess(folder);
    const epoch = await epochOf(first.holder);
    expect(await first.stop('SIGKILL')).toBeNull();
    await expect(first.holder.rotate('acme')).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    const { child, stop, stdout, stderr } = await openProcess(folder, new URL(first.address).port);
    await vi.waitFor(() => expect(first.holder.state()).toBe('ready'), COMES_BACK);
    expect(await epochOf(first.holder)).toBe(epoch);
    if (process.platform !== 'win32') {
      child.kill('SIGHUP');
      await expect.poll(stdout).toContain('the key-holder has nothing to reload');
    }
    expect(await stop('SIGTERM')).toBe(0);
    expect(stdout()).toMatch(/^listening on tls:\/\/127\.0\.0\.1:\d+\nidentity [\w-]{87}$/m);
    expect(stdout() + stderr()).not.toContain(secret);
  });

  it('lists every problem of its settings', async () => {
    const { code, stderr } = await runKeyHolderToEnd({ KEYHOLDER_PORT: 'x', KEYHOLDER_MATCH_THRESHOLD: '7' });
    expect(code).toBe(1);
    expect(stderr.match(/^ {2}- KEYHOLDER_\w+/gm)).toEqual([
      '  - KEYHOLDER_PORT',
      '  - KEYHOLDER_MATCH_THRESHOLD',
      '  - KEYHOLDER_SECRET',
    ]);
  });
});
