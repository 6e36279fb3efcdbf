// The test camera through a real browser's video and the shipped models: only people pass.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MOVEMENTS, type Movement } from '@limen/plan';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { encode } from 'jpeg-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../../server/testing/browser.ts';
import { createChallengeRun } from '../../src/face/movement/challenge.ts';
import type { ChallengeRules } from '../../src/face/movement/challenge-rules.ts';
import { MOVEMENT_LOOKS } from '../../src/face/movement/movement-looks.ts';
import { toObservation, watchFrame } from '../../src/face/read/estimate.ts';
import type { FaceModels } from '../../src/face/read/models.ts';
import { openModels } from '../models.ts';
import { type BlankPage, openBlankPage } from './blank-page.ts';
import type { DocumentShots, Scene } from './scenes.ts';

/** A small picture. Its rendered blinks are not detected (lab/results/movements.md). */
const SHARED_PORTRAIT = fileURLToPath(new URL('../../../../../shared/data/faces/L000581-a.jpg', import.meta.url));

let models: FaceModels;

beforeAll(async () => {
  models = await openModels(['detect', 'landmarks', 'eye']);
}, 600_000);

/** Acts as the launch page: passes frames to the models and prompts to the person. */
async function runChallenges(blank: BlankPage, challenges: readonly Movement[], rules: Partial<ChallengeRules> = {}) {
  const run = createChallengeRun(challenges, { challengeMs: 15_000, ...rules });
  const events: string[] = [];
  await blank.open();
  while (run.phase !== 'passed' && run.phase !== 'failed') {
    const { frame, atMs } = await blank.grab();
    for (const event of run.observe(toObservation(await watchFrame(models, frame)), atMs)) {
      events.push('index' in event ? `${event.type} ${event.index}` : event.type);
      await blank.prompt(event.type === 'shown' ? MOVEMENT_LOOKS[challenges[event.index]!].prompt : 'challenge.back');
    }
  }
  return events;
}

/** Waits until the camera has seen the prompt. */
async function promptAndWait({ prompt, camera }: BlankPage, text: string): Promise<void> {
  await prompt(text);
  const { frames } = await camera.measure();
  await expect.poll(async () => (await camera.measure()).frames, { timeout: 10_000 }).toBeGreaterThan(frames + 2);
}

describe.skipIf(!chromiumPath)('the test camera with the models', () => {
  // The journeys cover this in the short run.
  test.skipIf(!IS_LONG)('passes a person at the first attempt', async () => {
    const blank = await openBlankPage({ scene: 'person' });
    const events = await runChallenges(blank, MOVEMENTS);
    expect(events).toEqual(MOVEMENTS.flatMap((_, i) => [`shown ${i}`, `done ${i}`]));
  });

  test.skipIf(!IS_LONG || !existsSync(SHARED_PORTRAIT))('passes the person of a given portrait', async () => {
    const blank = await openBlankPage({ scene: 'person', portrait: { file: SHARED_PORTRAIT } });
    const events = await runChallenges(blank, ['turn_right', 'look_up']);
    expect(events).toEqual(['shown 0', 'done 0', 'shown 1', 'done 1']);
  });

  const fakes: Scene[] = ['still', 'flat_moved', 'flat_tilted', 'flat_zoomed', 'flat_squeezed'];
  test.skipIf(!IS_LONG).each(fakes)('fails %s', async (scene) => {
    for (const challenge of MOVEMENTS) {
      const blank = await openBlankPage({ scene });
      const rules = { challengeMs: 15_000, maxAttempts: 3 };
      const events = await runChallenges(blank, [challenge], rules);
      expect(events[0], challenge).toBe('shown 0');
      expect(events, challenge).not.toContain('done 0');
      expect(events.at(-1), challenge).toBe('failed');
    }
  });

  test('shows the problem of every other scene, and switches between them', async () => {
    const blank = await openBlankPage({ scene: 'person' });
    await blank.open();
    const findProblem = async () => (await watchFrame(models, (await blank.grab()).frame)).problems[0] ?? 'none';
    const expected: [Scene, string][] = [
      ['person', 'none'],
      ['nobody', 'no_face'],
      ['two_people', 'several_faces'],
      ['dark', 'too_dark'],
      ['blurred', 'blurred'],
      ['far', 'too_far'],
      ['still', 'none'],
    ];
    for (const [scene, problem] of expected) {
      await blank.camera.show(scene);
      await expect.poll(findProblem, { timeout: 10_000, message: scene }).toBe(problem);
    }
  });

  test.skipIf(!IS_LONG)('swaps the person from the second challenge on', async () => {
    const blank = await openBlankPage({ scene: 'swapped_second' });
    await blank.open();
    // The two differ in the light on their faces: 60 and 130.
    const isInBrightLight = async () => ((await watchFrame(models, (await blank.grab()).frame)).face?.light ?? 0) > 95;
    await promptAndWait(blank, 'challenge.blink');
    expect(await isInBrightLight()).toBe(false);
    await promptAndWait(blank, 'challenge.back');
    await promptAndWait(blank, 'challenge.turnLeft');
    await expect.poll(isInBrightLight, { timeout: 10_000 }).toBe(true);
    await promptAndWait(blank, 'challenge.again');
    await expect.poll(isInBrightLight, { timeout: 10_000 }).toBe(false);
  });

  test.skipIf(!IS_LONG).each([
    ['left', 0],
    ['joined', 2],
  ] as const)('ends %s after a while, and shows it once', async (scene, people) => {
    const blank = await openBlankPage({ scene });
    await blank.open();
    const countPeople = async () => (await watchFrame(models, (await blank.grab()).frame)).people;
    expect(await countPeople()).toBe(1);
    await blank.prompt('challenge.turnLeft');
    await expect.poll(countPeople, { timeout: 10_000 }).toBe(people);
    await expect.poll(countPeople, { timeout: 20_000 }).toBe(1);
    await promptAndWait(blank, 'challenge.again');
    await promptAndWait(blank, 'challenge.turnLeft');
    expect(await countPeople()).toBe(1);
  });

  test.skipIf(!IS_LONG).each([
    { width: 480, height: 640 },
    { width: 1280, height: 720 },
  ])('shows a person well at $width × $height', async (size) => {
    const blank = await openBlankPage({ scene: 'person', size });
    await blank.open();
    const { frame } = await blank.grab();
    expect({ width: frame.width, height: frame.height }).toEqual(size);
    expect((await watchFrame(models, frame)).problems).toEqual([]);
  });
});

describe.skipIf(!chromiumPath)('the device', () => {
  test('is counted and named once opened, and off when its tracks are stopped', async () => {
    const { page, camera, open } = await openBlankPage({ scene: 'nobody' });
    const readLabels = () =>
      page.evaluate('navigator.mediaDevices.enumerateDevices().then((all) => all.map((one) => one.label))');
    expect(await readLabels()).toEqual(['']);
    expect(await camera.timesOpened()).toBe(0);

    expect(await open()).toBe('');
    expect(await readLabels()).toEqual(['Front Camera']);
    expect(await camera.timesOpened()).toBe(1);
    expect(await camera.isOff()).toBe(false);

    await page.evaluate('window.copy = document.querySelector("video").srcObject.getTracks()[0].clone()');
    await page.evaluate('document.querySelector("video").srcObject.getTracks()[0].stop()');
    expect(await camera.isOff()).toBe(false);
    await page.evaluate('window.copy.stop()');
    expect(await camera.isOff()).toBe(true);
  });

  test('can be refused, missing, busy and available again', async () => {
    const { camera, open } = await openBlankPage({ scene: 'nobody' });
    await camera.refuse();
    expect(await open()).toBe('NotAllowedError');
    await camera.missing();
    expect(await open()).toBe('NotFoundError');
    await camera.busy();
    expect(await open()).toBe('NotReadableError');
    await camera.plugIn();
    expect(await open()).toBe('');
  });

  test('notifies the page when it is unplugged, and can be opened again', async () => {
    const { page, camera, open } = await openBlankPage({ scene: 'nobody' });
    await open();
    await camera.unplug();
    expect(await page.evaluate('document.body.dataset.ended')).toBe('true');
    expect(await open()).toBe('NotFoundError');
    await camera.plugIn();
    expect(await open()).toBe('');
    expect(await camera.timesOpened()).toBe(2);
  });

  test('leaves a request pending until it is answered', async () => {
    const { page, camera, open } = await openBlankPage({ scene: 'nobody' });
    await camera.hang();
    const opening = open();
    expect(await page.evaluate('document.querySelector("video").srcObject')).toBeNull();
    expect(await camera.timesOpened()).toBe(0);
    await camera.plugIn();
    expect(await opening).toBe('');
  });

  test('shows the requested side of the document to the rear camera, and the person to the front camera', async () => {
    const { page, camera, open, grab, askForSide } = await openBlankPage({
      scene: 'nobody',
      document: drawShots({ portrait: 40, zone: 120 }),
    });
    const readLevel = async () => (await grab()).frame.data[0]!;
    await askForSide('portrait');
    expect(await open('environment')).toBe('');
    const { frame } = await grab();
    expect({ width: frame.width, height: frame.height }).toEqual(DOCUMENT_SIZE);
    await expect.poll(readLevel, { timeout: 10_000 }).toBeCloseTo(40, -1);
    await askForSide('zone');
    await expect.poll(readLevel, { timeout: 10_000 }).toBeCloseTo(120, -1);
    await camera.lay(drawShots({ data: 200 }));
    await expect.poll(readLevel, { timeout: 10_000 }).toBeCloseTo(200, -1);

    await page.evaluate('document.querySelector("video").srcObject.getTracks()[0].stop()');
    expect(await open('user')).toBe('');
    await expect.poll(async () => (await grab()).frame.height, { timeout: 10_000 }).toBe(480);
    expect(await camera.measure()).toMatchObject({ facing: ['environment', 'user'], isOff: false });
  });
});

const DOCUMENT_SIZE = { width: 320, height: 180 };

/** Draws sides with one gray level each. */
function drawShots(levels: Record<string, number>): DocumentShots {
  const { width, height } = DOCUMENT_SIZE;
  const sides = Object.entries(levels).map(([name, level]) => {
    const data = Buffer.alloc(width * height * 4, level);
    return [name, [encode({ width, height, data }, 90).data.toString('base64')]];
  });
  return { size: DOCUMENT_SIZE, sides: Object.fromEntries(sides) };
}
