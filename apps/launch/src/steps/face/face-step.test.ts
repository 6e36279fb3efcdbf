import { toCss } from '@limen/light';
import { type FacePlanStep, type LightDraw, LOG_MAX_ENTRIES, type LogEntry } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../../packages/sdk/testing/judge-log.ts';
import { createFakeEngine } from '../../../testing/fakes/fake-camera.ts';
import { FACE_STEP } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { answerAll, FRAME_SIZE, GOOD, type Look, lookAhead, tiltPaper } from '../../../testing/fakes/fake-reports.ts';
import type { Screen } from '../../course/screens.ts';
import { createColorChoice } from '../../flow/colour-choice.ts';
import type { FaceEngine, TieWish } from '../../models/face-engine.ts';
import { runFaceStep, toFindings } from './face-step.ts';
import type { FaceStepOptions } from './follow-person.ts';
import type { KnownColors } from './light-run.ts';
import { createTally } from './tally.ts';
import type { FaceEye } from './tied-person.ts';

/** `restart`: a worker died and was replaced. */
type Frame = Look | 'pause' | 'restart';

const FRAME_MS = 100;

/** Plays the script to its end, and fails if the step needs more frames. */
interface StepTestOptions extends Partial<Pick<FaceStepOptions, 'step' | 'show'>>, Partial<KnownColors> {
  begun?: boolean;
  wantsEmbedding?: boolean;
  wantsSelfie?: boolean;
  eye?: Omit<FaceEye, 'limits' | 'canTie'>;
  canTie?: FaceEye['canTie'];
}

function start(script: readonly Frame[], options: StepTestOptions = {}, frameMs = FRAME_MS) {
  const { step = FACE_STEP, begun = false, wantsEmbedding = false, wantsSelfie = false } = options;
  const engine = createFakeEngine();
  void engine.load({ roles: [], manifestHash: '' });
  const frames = [...script];
  const log: LogEntry[] = [];
  const screens: Screen[] = [];
  const platform = createFakePlatform();
  const colors = createColorChoice(false);
  const { now, after } = platform;
  let forgets = 0;
  const run = () =>
    runFaceStep({
      step,
      course: {
        index: 0,
        begun,
        tally: createTally(),
        record: (event, index) => void log.push([event, index, now()]),
      },
      wants: { embedding: wantsEmbedding, selfie: wantsSelfie },
      eye: {
        ...engine,
        forget() {
          forgets += 1;
          engine.forget();
        },
        ...options.eye,
        limits: { live: 0.5, eyesClosed: 0.6, eyesOpen: 0.2 },
        canTie: options.canTie ?? (() => true),
      },
      camera: {
        nextFrame: async () => {
          let look = frames.shift();
          const afterPause = look === 'pause';
          if (look === 'restart') {
            engine.die();
            await engine.load({ roles: [], manifestHash: '' });
          }
          if (look === 'pause' || look === 'restart') look = frames.shift();
          if (!look || look === 'pause' || look === 'restart') throw new Error('The script is over');
          platform.pass(frameMs);
          return { image: { ...FRAME_SIZE, look } as unknown as ImageBitmap, afterPause };
        },
      },
      show: options.show ?? ((screen) => void screens.push(screen)),
      light: {
        colours: options.colours ?? colors,
        attemptsLit: options.attemptsLit ?? 0,
        wasStopped: options.wasStopped ?? false,
      },
      clock: { now, after },
    });
  const words = () => log.map(([event, index]) => `${event} ${index}`).join(', ');
  const wasForgotten = () => forgets > 0 && engine.kept === 0;
  return { run, engine, frames, log, screens, words, wasForgotten, colours: colors, platform };
}

const ALL = 'shown 0, done 0, shown 1, done 1, shown 2, done 2';

function expectLegal(log: readonly LogEntry[], { step = FACE_STEP as FacePlanStep, cutShort = false } = {}): void {
  const completeLog: LogEntry[] = cutShort ? [...log] : [...log, ['finished', 0, log.at(-1)![2]]];
  expect(isLegal(completeLog, { steps: [step], stepsDue: [0], cutShort })).toBe(true);
}

describe('a cooperative person', () => {
  test('is found old enough, with a legal log and no frames left', async () => {
    const { run, log, words, screens, wasForgotten } = start(GOOD);
    expect(await run()).toEqual({ face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' }, embedding: null });
    expect(words()).toBe(`started 0, ${ALL}`);
    expectLegal(log);
    expect(wasForgotten()).toBe(true);
    expect(screens.at(-1)).toEqual({ name: 'working', doing: 'estimating', offline: false });
  });

  test.each([
    ['turn_right', 'look_up', 'turn_left'],
    ['blink', 'turn_right', 'look_up'],
  ] as const)('passes with any order of movements: %s, %s, %s', async (...challenges) => {
    const step: FacePlanStep = { ...FACE_STEP, challenges: [...challenges] };
    const { run, log } = start(answerAll(step), { step });
    expect((await run()).face.spoof).toBe(false);
    expectLegal(log, { step });
  });

  test('is only guided until the person models are loaded, however long that takes', async () => {
    const rest = Array.from({ length: 420 }, () => GOOD[0]!);
    let looks = 0;
    const canTie = () => {
      looks += 1;
      return looks > rest.length;
    };
    const { run, engine, log, screens, words } = start([...rest, ...GOOD], { canTie });
    const { face } = await run();
    expect(face.spoof).toBe(false);
    expect(words()).toBe(`started 0, ${ALL}`);
    expectLegal(log);
    expect(log[1]![2] - log[0]![2]).toBeGreaterThan(40_000);
    expect(screens[100]).toMatchObject({ prompt: 'guide.holdStill' });
    expect(engine.measured).toBeLessThan(20);
  });

  test('triggers the camera request if the plan says so', async () => {
    const step: FacePlanStep = { ...FACE_STEP, cameraRequest: { after: 1 } };
    const { run, log, words } = start(GOOD, { step });
    await run();
    expect(words()).toBe('started 0, shown 0, done 0, shown 1, done 1, asked 1, shown 2, done 2');
    expectLegal(log, { step });
  });

  test('gets no age estimate if none is wanted, and gives a selfie only if one is', async () => {
    const step: FacePlanStep = { ...FACE_STEP, report: 'none', ageThreshold: 0 };
    const plain = start(GOOD, { step, wantsEmbedding: true });
    expect(await plain.run()).toEqual({
      face: { spoof: false },
      embedding: Float32Array.of(1, 0),
      capture: { light: 120 },
    });
    expect(plain.screens.at(-1)).toEqual({ name: 'working', doing: 'looking', offline: false });
    const shared = start(GOOD, { step, wantsEmbedding: true, wantsSelfie: true });
    expect(await shared.run()).toMatchObject({ selfie: Uint8Array.of(0xff, 0xd8) });
  });

  test('leaves neither embedding nor selfie of a voided look', async () => {
    const [embedding, selfie] = [Float32Array.of(1, 0), Uint8Array.of(1)];
    const { run, engine } = start([...GOOD, ...GOOD], { wantsEmbedding: true, wantsSelfie: true });
    engine.find({ liveness: 0.1, embedding, selfie });
    await run();
    expect([[...embedding], [...selfie]]).toEqual([[0, 0], [0]]);
  });

  test('leaves neither embedding nor selfie if no age was found', async () => {
    const [embedding, selfie] = [Float32Array.of(1, 0), Uint8Array.of(1)];
    const { run, engine } = start(GOOD, { wantsEmbedding: true, wantsSelfie: true });
    engine.find({ age: null, embedding, selfie });
    await expect(run()).rejects.toMatchObject({ problem: 'scan' });
    expect([[...embedding], [...selfie]]).toEqual([[0, 0], [0]]);
  });

  test('is watched for no more frames than needed', async () => {
    const { run, frames } = start([...GOOD, ...lookAhead(20)]);
    await run();
    expect(frames.length).toBeGreaterThanOrEqual(20);
  });

  test('continues after a reload with another attempt', async () => {
    const { run, words } = start(GOOD, { begun: true });
    await run();
    expect(words()).toBe(`retried 0, ${ALL}`);
  });

  test('is judged as strictly as the plan asks', async () => {
    const asked: unknown[] = [];
    const engine = createFakeEngine();
    await engine.load({ roles: [], manifestHash: '' });
    const examine: FaceEngine['examine'] = (wanted) => {
      asked.push(wanted);
      return engine.examine(wanted);
    };
    const ageBound = { spread: 1, mirror: 1, years: 3 };
    await start(GOOD, { eye: { ...engine, examine }, step: { ...FACE_STEP, ageBound } }).run();
    expect(asked).toEqual([{ age: true, ageBound, embedding: false }]);
  });

  test('has an embedding only if a later step compares it', async () => {
    const asked: unknown[] = [];
    const embedding = Float32Array.of(1);
    for (const wantsEmbedding of [true, false]) {
      const engine = createFakeEngine();
      await engine.load({ roles: [], manifestHash: '' });
      engine.find({ embedding });
      const examine: FaceEngine['examine'] = (wanted) => {
        asked.push(wanted);
        return engine.examine(wanted);
      };
      const outcome = await start(GOOD, { eye: { ...engine, examine }, wantsEmbedding }).run();
      expect(outcome.embedding).toBe(embedding);
    }
    expect(asked).toEqual([
      { age: true, embedding: true },
      { age: true, embedding: false },
    ]);
  });
});

describe('at rest', () => {
  test('does not count bad frames', async () => {
    const { run, words, screens } = start([...lookAhead(4), { problems: ['too_dark'] }]);
    await expect(run()).rejects.toThrow('The script is over');
    expect(words()).toBe('started 0');
    expect(screens.at(-1)).toMatchObject({ prompt: 'guide.tooDark', tone: 'fix' });
  });

  test('waits for glasses to be taken off, and continues with them after a while', async () => {
    const frames = lookAhead(59, { glasses: true });
    const waiting = start(frames);
    await expect(waiting.run()).rejects.toThrow('The script is over');
    expect(waiting.words()).toBe('started 0');
    expect(waiting.screens.at(-1)).toMatchObject({ prompt: 'guide.glasses' });

    const worn = start([...frames, { glasses: true }, ...GOOD.map((look) => ({ ...look, glasses: true }))]);
    expect((await worn.run()).face.spoof).toBe(false);
  });

  test.each([
    ['dark', { problems: ['too_dark'] }],
    ['faces', { people: 2 }],
    ['scan', { people: 0 }],
  ] as const)('gives up after forty seconds with the reason %s', async (problem, look) => {
    const { run, frames, wasForgotten } = start(lookAhead(410, look as Look));
    await expect(run()).rejects.toMatchObject({ name: 'StepProblem', problem });
    expect(frames.length).toBe(10);
    expect(wasForgotten()).toBe(true);
  });
});

describe('a challenge', () => {
  test('restarts everything when it takes too long, slightly before the service’s limit', async () => {
    const slow = [...lookAhead(6), ...lookAhead(148)];
    const { run, log, words } = start([...slow, ...GOOD]);
    await run();
    expect(words()).toBe(`started 0, shown 0, retried 0, ${ALL}`);
    expectLegal(log);
    expect(log[2]![2] - log[1]![2]).toBeLessThanOrEqual(FACE_STEP.challengeMs);
  });

  test('counts as a spoof after three failed attempts, and the log may stop there', async () => {
    const { run, log, words, wasForgotten } = start(lookAhead(700));
    expect((await run()).face).toEqual({ spoof: true });
    expect(words()).toBe('started 0, shown 0, retried 0, shown 0, retried 0, shown 0');
    expectLegal(log, { cutShort: true });
    expect(wasForgotten()).toBe(true);
  });

  test('rejects a tilted picture as a spoof', async () => {
    const paper = Array.from({ length: 200 }, (_, i) => (i % 20 < 10 ? tiltPaper() : {}));
    const { run, log, frames } = start([...lookAhead(5), ...paper]);
    expect((await run()).face).toEqual({ spoof: true });
    expectLegal(log, { cutShort: true });
    expect(frames.length).toBeGreaterThan(0);
  });

  test('drops the frames of the previous attempt', async () => {
    const { run, engine } = start([...GOOD.slice(0, -4), ...lookAhead(30, { people: 0 })]);
    await expect(run()).rejects.toThrow('The script is over');
    expect(engine.kept).toBe(0);
  });
});

describe('after a pause', () => {
  test.each([6, 9, 10, 14])('abandons the attempt in progress: after %i frames', async (frames) => {
    const { run, log, words } = start([...GOOD.slice(0, frames), 'pause', ...GOOD]);
    expect((await run()).face.spoof).toBe(false);
    expect(words().endsWith(`retried 0, ${ALL}`)).toBe(true);
    expectLegal(log);
  });

  test('abandons nothing before the first movement', async () => {
    const { run, words } = start([...lookAhead(4), 'pause', ...GOOD]);
    await run();
    expect(words()).toBe(`started 0, ${ALL}`);
  });

  test('counts no attempt, however often', async () => {
    const interrupted: Frame[] = Array.from({ length: 8 }, () => [...GOOD.slice(0, 7), 'pause' as const]).flat();
    const { run, log } = start([...interrupted, ...GOOD]);
    expect((await run()).face.spoof).toBe(false);
    expect(log.filter(([event]) => event === 'retried')).toHaveLength(8);
    expectLegal(log);
  });

  test('keeps earlier attempts counted', async () => {
    const slow = lookAhead(154);
    const { run } = start([...slow, 'pause', ...slow, 'pause', ...slow]);
    expect((await run()).face).toEqual({ spoof: true });
  });

  test('drops earlier frames and restarts the time limit', async () => {
    const { run, engine } = start([...lookAhead(4), 'pause', { problems: ['blurred'] }]);
    await expect(run()).rejects.toThrow('The script is over');
    expect(engine.kept).toBe(0);
    const dark = lookAhead(300, { problems: ['too_dark'] });
    await expect(start([...dark, 'pause', ...dark]).run()).rejects.toThrow('The script is over');
  });
});

/** Structure of GOOD: six frames of rest, then three for each movement and one back at rest. */
const FROM = { 'the first movement': 6, 'the second': 10, 'the third': 14, 'after the last': 17 } as const;
const [ANNA, BERT] = ['Anna', 'Bert'];
const showAs = (who: string, looks: readonly Look[] = GOOD): Look[] => looks.map((look) => ({ ...look, who }));
/** Anna up to that frame, then Bert: one frame more than a movement, for two mismatches. */
const takeOver = (from: number): Look[] => [
  ...showAs(ANNA, GOOD.slice(0, from)),
  ...showAs(BERT, from === FROM['after the last'] ? [{}, {}] : GOOD.slice(from, from + 4)),
];

describe('one person from the first frame to the last', () => {
  test.each(Object.entries(FROM))('voids the attempt if another person appears from %s on', async (_, from) => {
    const { run, engine, log, screens, words } = start([...takeOver(from), ...showAs(BERT)]);
    expect((await run()).face.spoof).toBe(false);
    expect(words().split('retried 0')).toHaveLength(2);
    expect(words().endsWith(`retried 0, ${ALL}`)).toBe(true);
    expectLegal(log);
    expect(screens).toContainEqual(expect.objectContaining({ prompt: 'challenge.sameFace' }));
    // Everything that counts is of the person who did all of it.
    expect(engine.examined).toEqual([[BERT, BERT, BERT, BERT, BERT]]);
  });

  test.each(Object.entries(FROM))('reports a spoof if another person appears twice from %s on', async (_, from) => {
    const { run, engine, log, wasForgotten } = start([...takeOver(from), ...takeOver(from)]);
    expect(await run()).toEqual({ face: { spoof: true }, embedding: null });
    expectLegal(log, { cutShort: true });
    expect([engine.examined, wasForgotten()]).toEqual([[], true]);
  });

  test.each(Object.entries(FROM))('restarts everything if a worker is replaced from %s on', async (_, from) => {
    const bertLooks = showAs(BERT, GOOD.slice(from));
    const { run, engine, log, words } = start([
      ...showAs(ANNA, GOOD.slice(0, from)),
      ...['restart' as const, ...bertLooks, ...showAs(BERT)],
    ]);
    expect((await run()).face.spoof).toBe(false);
    expect(words().endsWith(`retried 0, ${ALL}`)).toBe(true);
    expectLegal(log);
    expect(engine.examined).toEqual([[BERT, BERT, BERT, BERT, BERT]]);
  });

  test('counts both changes of person, even with a rejected look in between', async () => {
    const { run, engine } = start([...takeOver(FROM['the second']), ...showAs(BERT), ...takeOver(FROM['the third'])]);
    engine.find({ liveness: 0.1 });
    expect((await run()).face).toEqual({ spoof: true });
    expect(engine.examined).toHaveLength(1);
  });

  test('allows a change of person at rest', async () => {
    const { run, engine, words } = start([...showAs(ANNA, [{}]), ...showAs(BERT, [{}, {}]), ...showAs(BERT)]);
    expect((await run()).face.spoof).toBe(false);
    expect(words()).toBe(`started 0, ${ALL}`);
    expect(new Set(engine.examined.flat())).toEqual(new Set([BERT]));
  });

  test.each(GOOD.map((_, i) => i))('survives one bad frame at any position: %i', async (at) => {
    const script = showAs(ANNA).map((look, i) => (i === at ? { ...look, who: 'a blur' } : look));
    // The first frames are the reference, so rest takes longer there.
    const { run, engine, words } = start(
      at < 2 ? [...script.slice(0, 3), ...showAs(ANNA)] : [...script, ...showAs(ANNA, [{}])],
    );
    expect((await run()).face.spoof).toBe(false);
    expect(words()).toBe(`started 0, ${ALL}`);
    expect(new Set(engine.examined.flat())).toEqual(new Set([ANNA]));
  });

  test('measures two faces at rest and two per movement, including bad frames', async () => {
    const most = 2 + 2 * FACE_STEP.challenges.length;
    const good = start(GOOD);
    await good.run();
    expect(good.engine.measured).toBe(most);
    // The frame that holds the movement, which is then measured again.
    const bad = start(GOOD.map((look, i) => ([8, 12].includes(i) ? { ...look, who: 'a blur' } : look)));
    await bad.run();
    expect(bad.engine.measured).toBe(most);
  });

  test('takes frames for the age after the last movement too', async () => {
    const { run, frames } = start([...GOOD.slice(0, -1), ...lookAhead(5, { problems: ['turned_away'] }), {}, {}]);
    await run();
    expect(frames).toHaveLength(1);
  });
});

describe.each([
  ['the face is gone', { people: 0 }],
  ['there is a second face', { people: 2 }],
] as const)('when %s', (_, look) => {
  const away = (frames: number) => lookAhead(frames, look);

  test.each([7, 10, 13, 17])('restarts everything if it lasts longer than a moment: after %i frames', async (after) => {
    const { run, log, words, engine, screens } = start([...GOOD.slice(0, after), ...away(12), ...GOOD]);
    expect((await run()).face.spoof).toBe(false);
    expect(words().endsWith(`retried 0, ${ALL}`)).toBe(true);
    expectLegal(log);
    expect(engine.examined).toHaveLength(1);
    expect(screens).toContainEqual(expect.objectContaining({ prompt: 'challenge.again' }));
  });

  test('continues if it lasts only a moment', async () => {
    const { run, words } = start([...GOOD.slice(0, 10), ...away(9), ...GOOD.slice(10, 17), ...away(9), {}]);
    await run();
    expect(words()).toBe(`started 0, ${ALL}`);
  });

  test('allows another person to sit down at rest', async () => {
    const { run, words } = start([...showAs(ANNA, lookAhead(5)), ...away(12), ...showAs(BERT)]);
    await run();
    expect(words()).toBe(`started 0, ${ALL}`);
  });

  test('uses up no attempt at first, but has a limit', async () => {
    const interrupted = Array.from({ length: 6 }, () => [...GOOD.slice(0, 17), ...away(12)]).flat();
    const patient = start([...interrupted.slice(0, 29 * 5), ...GOOD]);
    expect((await patient.run()).face.spoof).toBe(false);
    const endless = start(interrupted);
    expect((await endless.run()).face).toEqual({ spoof: true });
    expectLegal(endless.log, { cutShort: true });
    expect(endless.log.length).toBeLessThan(LOG_MAX_ENTRIES / 2 + 3);
  });
});

describe('the passive score', () => {
  test('repeats everything with a notice after one low score', async () => {
    const { run, engine, log, words, screens } = start([...GOOD, ...GOOD]);
    engine.find({ liveness: 0.49 }, { liveness: 0.5 });
    expect((await run()).face.spoof).toBe(false);
    expect(words()).toBe(`started 0, ${ALL}, retried 0, ${ALL}`);
    expectLegal(log);
    const afterFirst = screens.findIndex(({ name }) => name === 'working') + 1;
    expect(screens[afterFirst]).toMatchObject({ name: 'capture', prompt: 'challenge.again' });
  });

  test('reports a spoof after two low scores', async () => {
    const { run, engine, log, wasForgotten } = start([...GOOD, ...GOOD]);
    engine.find({ liveness: 0.1 }, { liveness: 0.49 });
    expect(await run()).toEqual({ face: { spoof: true }, embedding: null });
    expectLegal(log, { cutShort: true });
    expect(wasForgotten()).toBe(true);
  });

  test('treats NaN as not live', async () => {
    const { run, engine } = start([...GOOD, ...GOOD]);
    engine.find({ liveness: Number.NaN }, { liveness: Number.NaN });
    expect((await run()).face).toEqual({ spoof: true });
  });
});

describe('without an age', () => {
  test.each([null, { age: null }])('fails the scan: %o', async (examination) => {
    const { run, engine, wasForgotten } = start(GOOD);
    engine.find(examination);
    await expect(run()).rejects.toMatchObject({ problem: 'scan' });
    expect(wasForgotten()).toBe(true);
  });
});

describe('the report', () => {
  const step = (report: FacePlanStep['report'], ageThreshold = 18): FacePlanStep => ({
    ...FACE_STEP,
    report,
    ageThreshold,
  });
  const side = (lowerBound: number, threshold = 18, age = 90) =>
    toFindings(step('threshold', threshold), { age, lowerBound });

  test.each([
    [17.96, 18, 'AGE_BELOW_THRESHOLD'],
    [17.9999, 18, 'AGE_BELOW_THRESHOLD'],
    [18.0, 18, 'AGE_AT_THRESHOLD'],
    [18.99, 18, 'AGE_AT_THRESHOLD'],
    [19, 18, 'AGE_ABOVE_THRESHOLD'],
    [24.99, 25, 'AGE_BELOW_THRESHOLD'],
    [25, 25, 'AGE_AT_THRESHOLD'],
    [-3, 18, 'AGE_BELOW_THRESHOLD'],
    [400, 18, 'AGE_ABOVE_THRESHOLD'],
    [Number.NaN, 18, 'AGE_BELOW_THRESHOLD'],
  ])('compares whole years of the lower bound: %d with %d', (bound, threshold, thresholdResult) => {
    const below = thresholdResult === 'AGE_BELOW_THRESHOLD' ? { estimateBelow: false } : {};
    expect(side(bound, threshold)).toEqual({ spoof: false, thresholdResult, ...below });
  });

  test.each([
    [17.9999, true],
    [18, false],
    [Number.NaN, true],
  ])('reports for a bound below the threshold whether the estimate %d is too, and no age', (age, estimateBelow) => {
    const thresholdResult = 'AGE_BELOW_THRESHOLD';
    expect(side(15, 18, age)).toEqual({ spoof: false, thresholdResult, estimateBelow });
  });

  test.each([
    [17.96, 17.96, { estimate: 17.9, lowerBound: 17.9 }],
    [24.99, 18.0, { estimate: 24.9, lowerBound: 18 }],
    [200, 160, { estimate: 150, lowerBound: 150 }],
    [-1, -5, { estimate: 0, lowerBound: 0 }],
    [20, 21, { estimate: 20, lowerBound: 20 }],
  ])('is in tenths rounded down, within bounds: %d and %d', (age, lowerBound, years) => {
    expect(toFindings(step('age'), { age, lowerBound })).toEqual({ spoof: false, ...years });
  });

  test('contains no age if only the threshold result is requested', () => {
    expect(Object.keys(side(30))).toEqual(['spoof', 'thresholdResult']);
  });

  test('keeps exact tenths unchanged', () => {
    for (let tenths = 0; tenths <= 1500; tenths += 1) {
      const years = tenths / 10;
      expect(toFindings(step('age'), { age: years, lowerBound: years })).toMatchObject({ estimate: years });
    }
  });
});

describe('the light of the screen', () => {
  const light: LightDraw = {
    colours: ['red', 'green', 'blue', 'yellow', 'cyan', 'magenta'],
    again: [],
    colourMs: 450,
  };
  const second: LightDraw = { ...light, colours: ['blue', 'cyan', 'red', 'green', 'yellow', 'red'] };
  const step: FacePlanStep = { ...FACE_STEP, light: { attempts: [light, second], required: false } };
  const LIT = 'lit 0, lit 1, lit 2, lit 3, lit 4, lit 5';
  const PLAY = [...GOOD, ...lookAhead(60)];
  const listColors = (screens: readonly Screen[]) => [
    ...new Set(screens.flatMap((screen) => (screen.name === 'capture' && screen.light ? [screen.light] : []))),
  ];

  test('follows the movements in the drawn order, and adds its finding to the face', async () => {
    const { run, engine, words, log, screens } = start(PLAY, { step });
    expect((await run()).face).toEqual({ spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'lit' });
    expect(words()).toBe(`started 0, ${ALL}, ${LIT}`);
    expect(
      isLegal([...log, ['finished', 0, log.at(-1)![2] + light.colourMs]], {
        steps: [step],
        stepsDue: [0],
        cutShort: false,
      }),
    ).toBe(true);
    expect(listColors(screens)).toEqual(light.colours.map(toCss));
    expect(engine.judged.map((shown) => shown.map(({ colour: color }) => color))).toEqual([light.colours]);
    expect(engine.lit.length).toBeGreaterThan(25);
  });

  test('ties faces too, because the person could have changed', async () => {
    const { run, engine } = start([...GOOD, ...lookAhead(12), ...lookAhead(80, { who: 'another' })], { step });
    await expect(run()).rejects.toThrow('The script is over');
    expect(engine.judged).toEqual([]);
  });

  test('adds no frames for the age, because they are colored', async () => {
    let isLit = false;
    const engine = createFakeEngine();
    await engine.load({ roles: [], manifestHash: '' });
    const wishes: TieWish[] = [];
    const tie: FaceEngine['tie'] = (wish) => {
      if (isLit) wishes.push(wish);
      return engine.tie(wish);
    };
    const show = (screen: Screen) => {
      isLit = screen.name === 'capture' && screen.light !== undefined;
    };
    await start(PLAY, { step, eye: { ...engine, tie }, show }).run();
    expect(wishes.length).toBeGreaterThan(1);
    // But as strictly as at rest.
    expect(new Set(wishes.map((wish) => JSON.stringify(wish)))).toEqual(new Set(['{"isAhead":true,"isLit":true}']));
  });

  test('is left out on request, and reported as declined', async () => {
    const colors = createColorChoice(true);
    const { run, engine, words, screens } = start(PLAY, { step, colours: colors });
    expect((await run()).face).toMatchObject({ light: 'declined' });
    expect([words(), engine.judged, listColors(screens)]).toEqual([`started 0, ${ALL}`, [], []]);
  });

  test('stops on request, without repeating anything', async () => {
    const {
      run,
      screens,
      colours: colors,
      engine,
      words,
      log,
    } = start([...GOOD, ...lookAhead(20)], {
      step,
      show(screen) {
        screens.push(screen);
        if (screen.name === 'capture' && screen.light === toCss('blue')) colors.leaveOut(true);
      },
    });
    expect((await run()).face).toMatchObject({ light: 'declined' });
    expect([listColors(screens), engine.judged]).toEqual([(['red', 'green', 'blue'] as const).map(toCss), []]);
    expect(words()).toBe(`started 0, ${ALL}, lit 0, lit 1, stopped 1`);
    const completeLog: LogEntry[] = [...log, ['finished', 0, log.at(-1)![2] + 1]];
    expect(isLegal(completeLog, { steps: [step], stepsDue: [0], cutShort: false })).toBe(true);
  });

  test('stops on request even while a frame is being analyzed', async () => {
    const engine = createFakeEngine();
    await engine.load({ roles: [], manifestHash: '' });
    const {
      run,
      colours: colors,
      words,
    } = start([...GOOD, ...lookAhead(20)], {
      step,
      eye: {
        ...engine,
        async measureLight(atMs) {
          await engine.measureLight(atMs);
          if (engine.lit.length === 15) colors.leaveOut(true);
        },
      },
    });
    expect((await run()).face).toMatchObject({ light: 'declined' });
    expect(words()).toMatch(/, lit (\d), stopped \1$/);
  });

  describe.each([
    ['the face is gone', { people: 0 }],
    ['there is a second face', { people: 2 }],
  ] as const)('when %s during the light', (_, look) => {
    const NEXT = 'lit 6, lit 7, lit 8, lit 9, lit 10, lit 11';

    test.each([8, 20, 32])('restarts everything with other colors: after %i frames', async (after) => {
      const away = lookAhead(12, look);
      const { run, words, engine, log } = start([...GOOD, ...lookAhead(after), ...away, ...PLAY], { step });
      expect((await run()).face).toMatchObject({ light: 'lit' });
      expect(words()).toMatch(new RegExp(`^started 0, ${ALL}, lit 0(, lit \\d)*, retried 0, ${ALL}, ${NEXT}$`));
      expect(engine.judged.at(-1)?.map(({ colour: color }) => color)).toEqual(second.colours);
      const completeLog: LogEntry[] = [...log, ['finished', 0, log.at(-1)![2] + light.colourMs]];
      expect(isLegal(completeLog, { steps: [step], stepsDue: [0], cutShort: false })).toBe(true);
    });

    test('continues if it lasts only a moment', async () => {
      const { run, words } = start([...GOOD, ...lookAhead(8), ...lookAhead(9, look), ...lookAhead(60)], { step });
      expect((await run()).face).toMatchObject({ light: 'lit' });
      expect(words()).toBe(`started 0, ${ALL}, ${LIT}`);
    });

    test('reports a spoof if it happens repeatedly', async () => {
      const interrupted = [...GOOD, ...lookAhead(8), ...lookAhead(12, look)];
      const many: FacePlanStep = {
        ...step,
        light: { attempts: Array.from({ length: 7 }, () => light), required: false },
      };
      const { run, log } = start(Array.from({ length: 7 }, () => interrupted).flat(), { step: many });
      expect((await run()).face).toEqual({ spoof: true });
      expect(isLegal(log, { steps: [many], stepsDue: [0], cutShort: true })).toBe(true);
    });
  });

  test('restarts if a color stayed too long, for example during sleep', async () => {
    const engine = createFakeEngine();
    await engine.load({ roles: [], manifestHash: '' });
    const { run, words, platform } = start([...GOOD, ...lookAhead(12), ...PLAY], {
      step,
      eye: {
        ...engine,
        async measureLight(atMs) {
          await engine.measureLight(atMs);
          if (engine.lit.length === 7) platform.sleep(20_000);
        },
      },
    });
    expect((await run()).face).toMatchObject({ light: 'lit' });
    expect(words()).toMatch(/, lit \d, retried 0, .*, lit 6, lit 7, lit 8, lit 9, lit 10, lit 11$/);
  });

  test('restarts everything after a pause, with unseen colors', async () => {
    const { run, words, engine } = start([...GOOD, ...lookAhead(10), 'pause', ...PLAY], { step });
    expect((await run()).face).toMatchObject({ light: 'lit' });
    expect(words().endsWith(`retried 0, ${ALL}, lit 6, lit 7, lit 8, lit 9, lit 10, lit 11`)).toBe(true);
    expect(engine.judged.map((shown) => shown.map(({ colour: color }) => color))).toEqual([second.colours]);
  });
});
