// The worker's side with the shipped models in Node: frames in, reports out, and no pixels left.

import { SCREEN_COLORS } from '@limen/light';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { findDocument, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { createPromise } from '../../../testing/fakes/fake-flow.ts';
import { openModels } from '../../../testing/models.ts';
import { cutPortrait, readSample } from '../../../testing/pictures.ts';
import type { DocumentReader } from '../../document/index.ts';
import type { DocumentFound } from '../../document/kinds.ts';
import {
  compareEmbeddings,
  type Examination,
  embedFace,
  type FaceModels,
  type Frame,
  type FrameReport,
  type ModelRole,
  watchFrame,
} from '../../face/index.ts';
import { detectFaces } from '../../face/read/detect.ts';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { Call, CallFailure, Calls, Examined, Notice, Tie, TieRequest } from '../messages.ts';
import { nameModel } from './face-encryption.ts';
import type { WatchedFrame } from './frame-store.ts';
import { serveRequests } from './serve-requests.ts';

const WANTED = { age: false, embedding: false };
let models: FaceModels;
let portrait: Frame;
let stranger: Frame;

beforeAll(async () => {
  models = await openModels(['detect', 'landmarks', 'eye', 'liveness', 'embedding']);
  const group = await readSample(1);
  const [first, second] = await detectFaces(models, group);
  portrait = cutPortrait(group, first!.box);
  stranger = cutPortrait(group, second!.box);
}, 120_000);

const MODEL_HASH = 'ab'.repeat(32);
const KEY = {
  publicKey: new Uint8Array(),
  keyId: '',
  session: '',
  expiresAt: 0,
  purpose: 'identify',
  identity: new Uint8Array(),
  signature: new Uint8Array(),
} as const;
const copyPortrait = (): Frame => ({ ...portrait, data: portrait.data.slice() });
/** Draws the middle of the picture into both halves. */
function drawBeside(frame: Frame, picture: Frame): void {
  const half = picture.width / 2;
  for (let i = 0; i < frame.data.length; i += 1) {
    const [x, y] = [(i >> 2) % frame.width, Math.floor((i >> 2) / frame.width)];
    frame.data[i] = picture.data[(y * picture.width + half / 2 + (x % half)) * 4 + (i % 4)]!;
  }
}
const isBlank = ({ data }: Frame) => data.every((value) => value === 0);

interface WorkerReply {
  value?: unknown;
  failure?: CallFailure;
}
type Request = { [Name in Call['name']]: { name: Name } & Calls[Name]['request'] }[Call['name']];

function start(open: (kind: string) => Promise<DocumentReader> = () => Promise.reject(new ModelLoadError('offline'))) {
  const waiting = new Map<number, (message: WorkerReply) => void>();
  const cleared: boolean[] = [];
  const opened: string[] = [];
  const runs: ModelRole[] = [];
  /** Number of runs at each call that overwrites the memory of the models. */
  const forgets: number[] = [];
  const shares: number[] = [];
  const photos: Uint8Array[] = [];
  const take = serveRequests({
    loader: {
      models: {
        ...models,
        run(role, ...input) {
          runs.push(role);
          return models.run(role, ...input);
        },
      },
      load: async () => undefined,
      forget: () => void forgets.push(runs.length),
      findIdentity: () => MODEL_HASH,
      describe: () => ({ threads: 1, roles: {}, work: {} }),
    },
    openReader: (_models, { kind }) => open(kind),
    openEncryptor: async () => {
      opened.push('encryptor');
      return {
        async encrypt(face) {
          await Promise.resolve();
          return Uint8Array.from(face, (value) => value * 10);
        },
      };
    },
    openLight: () => import('@limen/light'),
    async encodeJpeg(frame) {
      const photo = Uint8Array.of(frame.data[0]!, frame.data[1]!);
      photos.push(photo);
      return photo;
    },
    pixels: { read: () => copyPortrait(), clear: () => void cleared.push(true) },
    post(message, transfer) {
      transferred = transfer;
      if ('value' in message && message.value instanceof Map) throw new Error('It cannot be posted');
      if ('share' in message) shares.push(message.share);
      else waiting.get(message.id)?.(message as WorkerReply);
    },
    now: () => time,
  });
  let transferred: Transferable[] = [];
  let time = 0;
  let id = 0;
  let watched = 0;
  function ask(request: Request): Promise<WorkerReply> {
    id += 1;
    if (request.name === 'watch') watched = id;
    const reply = new Promise<WorkerReply>((resolve) => waiting.set(id, resolve));
    take({ id, ...request } as Call);
    return reply;
  }
  return {
    cleared,
    opened,
    runs,
    forgets,
    shares,
    photos,
    transferred: () => transferred,
    pass(ms: number) {
      time += ms;
    },
    tell: (notice: Notice) => take(notice),
    ask,
    /** Ties the last watched frame, as the page does. */
    async tie(wish: TieRequest): Promise<Tie> {
      const seen = (await ask({ name: 'giveFrame', watched })).value as WatchedFrame | null;
      return seen ? ((await ask({ name: 'tie', ...seen, ...wish })).value as Tie) : 'unseen';
    },
  };
}

describe('the worker', () => {
  it('reports frames that repeat bit by bit, even across attempts', async () => {
    const { ask, tell, pass } = start();
    const watch = async () => {
      pass(300);
      return (await ask({ name: 'watch', frame: copyPortrait() })).value;
    };
    for (let i = 0; i < 4; i += 1) expect(await watch()).not.toHaveProperty('repeats');
    expect(await watch()).toHaveProperty('repeats', true);
    tell({ name: 'forget' });
    expect(await watch()).toHaveProperty('repeats', true);
  });

  it('reports frames, examines the kept ones, and leaves no pixels', async () => {
    const { ask, tie, tell, runs, forgets, shares } = start();
    const frames = [copyPortrait(), copyPortrait()];
    for (const frame of frames) {
      const report = (await ask({ name: 'watch', frame })).value as FrameReport;
      expect(report.people).toBe(1);
      expect(await tie({ isAhead: true })).toBe('tied');
    }
    expect(frames.map(isBlank)).toEqual([false, false]);
    const examined = (await ask({ name: 'examine', wanted: WANTED })).value as Examination;
    expect(examined.liveness).toBeGreaterThan(0);
    expect(shares).toEqual([0.5, 1]);
    expect(frames.map(isBlank)).toEqual([true, true]);
    tell({ name: 'forget' });
    expect(forgets).toEqual([runs.length, runs.length]);
    expect((await ask({ name: 'examine', wanted: WANTED })).value).toBeNull();
  });

  it('distinguishes another person from the first, keeps no frame of them, and reports only that', async () => {
    const { ask, tie, tell } = start();
    const look = async (seen: Frame, isAhead = true) => {
      await ask({ name: 'watch', frame: { ...seen, data: seen.data.slice() } });
      return tie({ isAhead });
    };
    expect([await look(portrait), await look(portrait)]).toEqual(['tied', 'tied']);
    expect([await look(stranger), await look(stranger, false), await look(portrait, false)]).toEqual([
      'unlike',
      'unlike',
      'tied',
    ]);
    const examined = (await ask({ name: 'examine', wanted: { age: false, embedding: true } })).value as Examined;
    const { landmarks } = (await watchFrame(models, portrait)).face!;
    const alone = (await embedFace(models, portrait, landmarks))!;
    expect(compareEmbeddings(examined.embedding!, alone)).toBeCloseTo(1);
    // Anyone may start the next attempt, also after `forget`.
    expect([await look(stranger), await look(portrait)]).toEqual(['tied', 'unlike']);
    tell({ name: 'forget' });
    expect(await look(portrait)).toBe('tied');
  });

  it('ties a face in each screen color as strictly as at rest, and keeps no frame of it', async () => {
    const { ask, tie, runs } = start();
    const look = async (seen: Frame, more: object) => {
      await ask({ name: 'watch', frame: { ...seen, data: seen.data.slice() } });
      return tie({ isAhead: true, ...more });
    };
    await look(portrait, {});
    await look(portrait, {});
    const { red, blue } = SCREEN_COLORS;
    for (const color of onlyWhenLong(Object.values(SCREEN_COLORS), [red, blue])) {
      // Adds a fifth of the light: twice as much as a screen gives.
      const tint = [...color, 0].map((value) => 1 + (0.2 * value) / 255);
      const data = portrait.data.map((value, at) => Math.min(255, value * tint[at % 4]!));
      expect(await look({ ...portrait, data }, { isLit: true })).toBe('tied');
    }
    expect(await look(stranger, { isLit: true })).toBe('unlike');
    expect((await ask({ name: 'examine', wanted: WANTED })).value).not.toBeNull();
    expect(runs.filter((role) => role === 'liveness')).toHaveLength(2);
  });

  it('ties no frame that is gone, shows no single face, or was never watched', async () => {
    const { ask, tell, tie } = start();
    const ahead = { isAhead: true };
    expect(await tie(ahead)).toBe('unseen');
    await ask({ name: 'watch', frame: copyPortrait() });
    tell({ name: 'forget' });
    expect(await tie(ahead)).toBe('unseen');
    const two = copyPortrait();
    drawBeside(two, portrait);
    expect((await ask({ name: 'watch', frame: two })).value).toMatchObject({ people: 2 });
    expect(await tie(ahead)).toBe('unseen');
    expect((await ask({ name: 'examine', wanted: WANTED })).value).toBeNull();
  });

  it('overwrites frames that are forgotten while being tied, of another person, or not to be kept', async () => {
    const { ask, tell, tie } = start();
    const watchAndGive = async (frame: Frame) => {
      const { value } = await ask({ name: 'watch', frame });
      return { frame, reading: (value as FrameReport).face! };
    };
    const early = await watchAndGive(copyPortrait());
    const tying = ask({ name: 'tie', ...early, isAhead: true });
    tell({ name: 'forget' });
    expect(isBlank(early.frame)).toBe(true);
    expect((await tying).value).toBe('unseen');
    await ask({ name: 'watch', frame: copyPortrait() });
    expect(await tie({ isAhead: true })).toBe('tied');
    const turned = copyPortrait();
    const other = { ...stranger, data: stranger.data.slice() };
    for (const [frame, wish, tied] of [
      [turned, { isAhead: false }, 'tied'],
      [other, { isAhead: true }, 'unlike'],
    ] as const) {
      await ask({ name: 'watch', frame });
      expect(await tie(wish)).toBe(tied);
      expect(isBlank(frame)).toBe(true);
    }
  });

  it('measures no face twice', async () => {
    const { ask, tie, runs } = start();
    for (let i = 0; i < 2; i += 1) {
      await ask({ name: 'watch', frame: copyPortrait() });
      await tie({ isAhead: true });
    }
    await ask({ name: 'examine', wanted: { age: false, embedding: true } });
    expect(runs.filter((role) => role === 'embedding')).toHaveLength(2);
  });

  it('reads bitmaps itself', async () => {
    const { ask } = start();
    const bitmap = { width: 640, height: 480 } as ImageBitmap;
    expect((await ask({ name: 'watch', frame: bitmap })).value).toMatchObject({ people: 1 });
  });

  it('forgets at once, also frames under examination', async () => {
    const { ask, tie, tell, cleared } = start();
    const frame = copyPortrait();
    await ask({ name: 'watch', frame });
    await tie({ isAhead: true });
    const examining = ask({ name: 'examine', wanted: WANTED });
    tell({ name: 'forget' });
    expect(isBlank(frame)).toBe(true);
    expect((await examining).value).toBeNull();
    expect(cleared).toEqual([true]);
  });

  it('transfers the embedding and selfie, so that no copy remains', async () => {
    const { ask, tie, transferred } = start();
    await ask({ name: 'watch', frame: copyPortrait() });
    expect(transferred()).toEqual([]);
    await tie({ isAhead: true });
    const wanted = { age: false, embedding: true, selfie: true };
    const examined = (await ask({ name: 'examine', wanted })).value as Examined;
    structuredClone(examined, { transfer: transferred() });
    expect([examined.embedding?.length, examined.selfie?.length]).toEqual([0, 0]);
  });

  it('transfers the portrait of a document', async () => {
    const found = findDocument({ embedding: Float32Array.of(1, 0) });
    const look = async () => found;
    const { ask, transferred } = start(async () => ({ look, readFile: look, forget: () => undefined }));
    await ask({ name: 'beginDocument', wish: { kind: 'card', wantsPortrait: true, today: '2026-03-01' } });
    for (const name of ['lookAtDocument', 'readDocumentFile'] as const) {
      await ask({ name, frame: copyPortrait() });
      expect(transferred()).toEqual([(found.outcome as DocumentFound).embedding?.buffer]);
    }
  });

  it('overwrites a selfie that is no longer wanted', async () => {
    const { ask, tie, tell, photos } = start();
    await ask({ name: 'watch', frame: copyPortrait() });
    await tie({ isAhead: true });
    const examining = ask({ name: 'examine', wanted: { ...WANTED, selfie: true } });
    expect(photos[0]?.some((value) => value > 0)).toBe(true);
    tell({ name: 'forget' });
    expect((await examining).value).toBeNull();
    expect([...photos[0]!]).toEqual([0, 0]);
  });

  it('reports why a frame cannot be watched', async () => {
    const { ask } = start();
    expect((await ask({ name: 'watch', frame: { ...copyPortrait(), width: 1 } })).failure).toMatchObject({
      code: null,
      message: 'A frame of the wrong size',
    });
  });

  it('reads a started document and leaves no pixels', async () => {
    const wish = { kind: 'card', wantsPortrait: false, today: '2026-03-01' } as const;
    let forgotten = 0;
    const held = createPromise<void>();
    let isHeld = false;
    const reader: DocumentReader = {
      async look() {
        if (isHeld) await held.promise;
        return seeSide('zone');
      },
      readFile: () => Promise.reject(new Error('cannot be read')),
      forget() {
        forgotten += 1;
      },
    };
    const { ask, tell } = start(() => Promise.resolve(reader));
    const frames = Array.from({ length: 4 }, copyPortrait) as [Frame, Frame, Frame, Frame];
    const unbegun = { message: 'No document was begun' };
    expect((await ask({ name: 'lookAtDocument', frame: frames[0] })).failure).toMatchObject(unbegun);
    expect((await ask({ name: 'beginDocument', wish })).value).toBeNull();
    expect((await ask({ name: 'lookAtDocument', frame: frames[1] })).value).toEqual(seeSide('zone'));
    expect((await ask({ name: 'readDocumentFile', frame: frames[2] })).failure).toMatchObject({ code: null });
    expect(frames.map(isBlank)).toEqual([true, true, true, false]);
    await ask({ name: 'beginDocument', wish });
    expect(forgotten).toBe(1);
    isHeld = true;
    const answered = ask({ name: 'lookAtDocument', frame: frames[3] });
    tell({ name: 'forget' });
    expect([forgotten, isBlank(frames[3])]).toEqual([2, true]);
    held.resolve();
    expect((await answered).failure).toMatchObject({ message: 'The document was forgotten' });
    expect((await ask({ name: 'lookAtDocument', frame: copyPortrait() })).failure).toMatchObject(unbegun);
  });

  it('reports nothing of an abandoned document, however late it is read', async () => {
    const opened = new Map<string, (reader: DocumentReader) => void>();
    const forgotten: string[] = [];
    const embedding = Float32Array.of(1, 0);
    const looked = createPromise<void>();
    const make = (kind: string): DocumentReader => ({
      async look() {
        if (kind === 'passport') await looked.promise;
        return findDocument({ embedding });
      },
      readFile: () => Promise.reject(new Error('not asked for')),
      forget: () => void forgotten.push(kind),
    });
    const { ask, tell } = start((kind) => new Promise((resolve) => void opened.set(kind, resolve)));
    const begin = (kind: 'licence' | 'passport' | 'card') =>
      ask({ name: 'beginDocument', wish: { kind, wantsPortrait: true, today: '2026-03-01' } });
    const slow = begin('licence');
    tell({ name: 'forget' });
    const quick = begin('passport');
    opened.get('passport')!(make('passport'));
    expect((await quick).value).toBeNull();
    opened.get('licence')!(make('licence'));
    expect((await slow).failure).toMatchObject({ message: 'The document was forgotten' });
    expect(forgotten).toEqual(['licence']);

    const answered = ask({ name: 'lookAtDocument', frame: copyPortrait() });
    const next = begin('card');
    opened.get('card')!(make('card'));
    await next;
    looked.resolve();
    expect((await answered).failure).toMatchObject({ message: 'The document was forgotten' });
    expect([...embedding]).toEqual([0, 0]);
  });

  it('measures the light on the last document and leaves no pixels', async () => {
    const reader: DocumentReader = {
      look: async () => seeSide('zone'),
      readFile: () => Promise.reject(new Error('not asked for')),
      forget: () => undefined,
    };
    const { ask, tell } = start(() => Promise.resolve(reader));
    const [early, same, other, late] = [copyPortrait(), copyPortrait(), copyPortrait(), copyPortrait()];
    // Inverted brightness.
    for (let i = 0; i < other.data.length; i += 1) other.data[i] = 255 - other.data[i]!;
    const light = async (frame: Frame) => (await ask({ name: 'lightDocument', frame, at: 1 })).value;
    await ask({ name: 'openLight' });
    expect(await light(early)).toBe(false);
    await ask({ name: 'beginDocument', wish: { kind: 'card', wantsPortrait: false, today: '2026-03-01' } });
    await ask({ name: 'lookAtDocument', frame: copyPortrait() });
    expect([await light(same), await light(other)]).toEqual([true, false]);
    const judged = await ask({ name: 'judgeDocumentLight', shown: [{ colour: 'red', at: 0 }], faceResponse: 0.1 });
    expect(judged.value).toBe('unknown');
    tell({ name: 'forget' });
    expect(await light(late)).toBe(false);
    expect([early, same, other, late].map(isBlank)).toEqual([true, true, true, true]);
  });

  it('reports that the document reader failed to load', async () => {
    const { ask } = start();
    const wish = { kind: 'licence', wantsPortrait: false, today: '2026-03-01' } as const;
    expect((await ask({ name: 'beginDocument', wish })).failure).toMatchObject({ code: 'offline' });
  });

  it('encodes a selfie from the sharpest frame only if requested', async () => {
    const { ask, tie } = start();
    for (const wanted of [WANTED, { ...WANTED, selfie: true }]) {
      const watched = copyPortrait();
      const first = [watched.data[0], watched.data[1]];
      await ask({ name: 'watch', frame: watched });
      await tie({ isAhead: true });
      const examined = (await ask({ name: 'examine', wanted })).value as Examined;
      expect(examined.selfie && [...examined.selfie]).toEqual(wanted === WANTED ? undefined : first);
      expect(isBlank(watched)).toBe(true);
    }
  });

  it('encrypts faces, loads the encryption once, and keeps nothing of the face', async () => {
    const { ask, opened } = start();
    const modelId = nameModel(MODEL_HASH);
    expect((await ask({ name: 'openEncryptor', modelId })).value).toBeNull();
    const face = Float32Array.of(1, 2);
    const { value } = await ask({ name: 'encrypt', face, key: KEY, modelId });
    expect(value).toEqual(Uint8Array.of(10, 20));
    expect([[...face], opened]).toEqual([[0, 0], ['encryptor']]);
  });

  it('rejects a face that was measured with another model', async () => {
    const { ask, opened } = start();
    const modelId = nameModel('0'.repeat(64));
    const face = Float32Array.of(1, 2);
    expect((await ask({ name: 'openEncryptor', modelId })).failure).toMatchObject({ code: 'mismatch' });
    expect((await ask({ name: 'encrypt', face, key: KEY, modelId })).failure).toMatchObject({ code: 'mismatch' });
    expect([[...face], opened]).toEqual([[0, 0], []]);
  });

  it('reports an answer that cannot be posted', async () => {
    const wish = { roles: ['eye'], manifestHash: '', modelsUrl: '', workers: 1 } as const;
    const { failure } = await start().ask({ name: 'load', ...wish });
    expect(failure).toEqual({ code: null, message: 'It cannot be posted' });
  });
});
