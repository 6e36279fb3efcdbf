// Colors on a document: when they are shown, what stops them, and their result.
import type { LightDraw } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { CAMERA, CARD, FRAME_MS, OTHER, startDocumentStep } from '../../../testing/fakes/fake-document-step.ts';
import { findDocument, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { listUnusedRounds } from './light-document.ts';

const draw = (first: LightDraw['colours'][number]): LightDraw => ({
  colours: [first, 'cyan', 'blue', 'yellow', 'green', 'magenta'],
  again: ['blue', 'red', 'cyan', 'green', 'magenta', 'yellow'],
  colourMs: 450,
});
const PLAN = { attempts: [draw('red'), draw('green'), draw('yellow')], required: false };
const known = (attemptsLit = 1) => ({ faceResponse: 0.1, rounds: listUnusedRounds(PLAN, attemptsLit) });

async function scan(options: Parameters<typeof startDocumentStep>[0]) {
  const step = startDocumentStep({ frames: [seeSide('zone'), findDocument()], ...options });
  await step.act(['document', CARD], ['document_hold', CAMERA]);
  return step;
}

const lights = ({ screens }: Awaited<ReturnType<typeof scan>>) =>
  screens.flatMap((screen) => (screen.name === 'document_capture' && screen.light ? [screen.prompt] : []));

describe('after a lit face in front of the same camera', () => {
  test('shows colors after reading, and adds the screen sign to a document that shines', async () => {
    const step = await scan({ light: known(), lights: ['shines'] });
    expect((await step.running).found.signs).toEqual(['screen']);
    expect(step.judged).toEqual([{ colours: draw('yellow').colours, faceResponse: 0.1 }]);
    expect(lights(step)).toEqual(Array.from({ length: 6 }, () => 'scan.colours'));
    expect(step.screens.at(-1)).not.toHaveProperty('light');
  });

  test('adds no sign to a document that reflects', async () => {
    const step = await scan({ light: known() });
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toHaveLength(1);
  });

  test('shows more colors after an unclear result, and judges all of them together', async () => {
    const step = await scan({ light: known(), lights: ['unknown', 'shines'] });
    expect((await step.running).found.signs).toEqual(['screen']);
    const { colours: colors, again } = draw('yellow');
    expect(step.judged.map((round) => round.colours)).toEqual([colors, [...colors, ...again]]);
  });

  test('shows no third round', async () => {
    const step = await scan({ light: known(), lights: ['unknown'] });
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toHaveLength(2);
  });

  test('adds the screen sign only once', async () => {
    const frames = [findDocument({ signs: ['screen'] })];
    expect((await (await scan({ light: known(), lights: ['shines'], frames })).running).found.signs).toEqual([
      'screen',
    ]);
  });

  test('uses separate colors for each side, either of which can be a screen', async () => {
    const frames = [seeSide('portrait', { progress: 0.7 }), seeSide('zone'), seeSide('zone'), findDocument()];
    const step = await scan({ light: known(), frames, wantsPortrait: true, lights: ['shines'] });
    expect((await step.running).found.signs).toEqual(['screen']);
    expect(step.judged.map(({ colours: colors }) => colors)).toEqual([draw('yellow').colours, draw('yellow').again]);
  });

  test('stops the colors on request without consequences', async () => {
    const step = await scan({ light: known(), lights: ['shines'] });
    await untilTrue(() => lights(step).length === 2);
    step.colours.leaveOut(true);
    expect((await step.running).found.signs).toEqual([]);
    expect([step.judged, lights(step).length]).toEqual([[], 2]);
  });

  test('shows no colors to a person who left them out', async () => {
    const step = startDocumentStep({ frames: [findDocument()], light: known(), lights: ['shines'] });
    step.colours.leaveOut(true);
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found.signs).toEqual([]);
    expect(lights(step)).toEqual([]);
  });

  test('does not judge a document that was put away', async () => {
    const step = await scan({ light: known(), lights: ['shines'], alike: [true, true, false] });
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toEqual([]);
  });

  test('does not judge a document after a pause', async () => {
    const step = await scan({ light: known(), lights: ['shines'] });
    await untilTrue(() => lights(step).length === 2);
    step.pass(FRAME_MS);
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toEqual([]);
  });

  test('wipes the portrait when the person gives up', async () => {
    const embedding = Float32Array.of(1, 0);
    const step = await scan({ light: known(), frames: [seeSide('zone'), findDocument({ embedding })] });
    await untilTrue(() => lights(step).length === 2);
    step.control.abort('enough');
    await expect(step.running).rejects.toBe('enough');
    expect([...embedding]).toEqual([0, 0]);
  });

  test('allows another document type during the colors', async () => {
    const step = await scan({ light: known() });
    await untilTrue(() => lights(step).length === 2);
    step.inbox.put(OTHER);
    await untilTrue(() => step.names().at(-1) === 'document');
    expect(step.judged).toEqual([]);
    step.control.abort('enough');
    await expect(step.running).rejects.toBe('enough');
  });
});

test('shows no colors without a lit face', async () => {
  const step = await scan({ lights: ['shines'] });
  expect((await step.running).found.signs).toEqual([]);
  expect(lights(step)).toEqual([]);
});

test('uses the colors of unneeded face attempts, the last ones first', () => {
  const rounds = listUnusedRounds(PLAN, 2);
  expect([rounds.next(), rounds.next(), rounds.next()]).toEqual([
    { colours: draw('yellow').colours, colourMs: 450 },
    { colours: draw('yellow').again, colourMs: 450 },
    undefined,
  ]);
  expect(listUnusedRounds(PLAN, 3).next()).toBeUndefined();
});
