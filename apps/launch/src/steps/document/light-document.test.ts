// Colours before a document that was read: when they come, what stops them, and what follows from them.
import type { LightDraw } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { CAMERA, CARD, FRAME_MS, OTHER, startDocumentStep } from '../../../testing/fakes/fake-document-step.ts';
import { findDocument, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { leftRounds } from './light-document.ts';

const draw = (first: LightDraw['colours'][number]): LightDraw => ({
  colours: [first, 'cyan', 'blue', 'yellow', 'green', 'magenta'],
  again: ['blue', 'red', 'cyan', 'green', 'magenta', 'yellow'],
  colourMs: 450,
});
const PLAN = { attempts: [draw('red'), draw('green'), draw('yellow')], required: false };
const known = (attemptsLit = 1) => ({ faceResponse: 0.1, rounds: leftRounds(PLAN, attemptsLit) });

async function scan(options: Parameters<typeof startDocumentStep>[0]) {
  const step = startDocumentStep({ frames: [seeSide('zone'), findDocument()], ...options });
  await step.act(['document', CARD], ['document_hold', CAMERA]);
  return step;
}

const lights = ({ screens }: Awaited<ReturnType<typeof scan>>) =>
  screens.flatMap((screen) => (screen.name === 'document_capture' && screen.light ? [screen.prompt] : []));

describe('where a face was found lit before the same camera', () => {
  test('the colours come once the document is read, and one that shines has the sign of a screen', async () => {
    const step = await scan({ light: known(), lights: ['shines'] });
    expect((await step.running).found.signs).toEqual(['screen']);
    expect(step.judged).toEqual([{ colours: draw('yellow').colours, faceResponse: 0.1 }]);
    expect(lights(step)).toEqual(Array.from({ length: 6 }, () => 'scan.colours'));
    expect(step.screens.at(-1)).not.toHaveProperty('light');
  });

  test('one that gives light back has none', async () => {
    const step = await scan({ light: known() });
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toHaveLength(1);
  });

  test('where the first colours did not tell, others follow, and all of them are judged together', async () => {
    const step = await scan({ light: known(), lights: ['unknown', 'shines'] });
    expect((await step.running).found.signs).toEqual(['screen']);
    const { colours, again } = draw('yellow');
    expect(step.judged.map((round) => round.colours)).toEqual([colours, [...colours, ...again]]);
  });

  test('a third time nothing is shown', async () => {
    const step = await scan({ light: known(), lights: ['unknown'] });
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toHaveLength(2);
  });

  test('the sign of the grid is not counted twice', async () => {
    const frames = [findDocument({ signs: ['screen'] })];
    expect((await (await scan({ light: known(), lights: ['shines'], frames })).running).found.signs).toEqual([
      'screen',
    ]);
  });

  test('each side has colours of its own, and either can be a screen', async () => {
    const frames = [seeSide('portrait', { progress: 0.7 }), seeSide('zone'), seeSide('zone'), findDocument()];
    const step = await scan({ light: known(), frames, wantsPortrait: true, lights: ['shines'] });
    expect((await step.running).found.signs).toEqual(['screen']);
    expect(step.judged.map(({ colours }) => colours)).toEqual([draw('yellow').colours, draw('yellow').again]);
  });

  test('whoever stops them sees no more of them, and nothing follows', async () => {
    const step = await scan({ light: known(), lights: ['shines'] });
    await untilTrue(() => lights(step).length === 2);
    step.colours.leaveOut(true);
    expect((await step.running).found.signs).toEqual([]);
    expect([step.judged, lights(step).length]).toEqual([[], 2]);
  });

  test('none are shown to whoever left them out before', async () => {
    const step = startDocumentStep({ frames: [findDocument()], light: known(), lights: ['shines'] });
    step.colours.leaveOut(true);
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found.signs).toEqual([]);
    expect(lights(step)).toEqual([]);
  });

  test('a document that is put away meanwhile is not judged', async () => {
    const step = await scan({ light: known(), lights: ['shines'], alike: [true, true, false] });
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toEqual([]);
  });

  test('nor is one that nobody could see for a while', async () => {
    const step = await scan({ light: known(), lights: ['shines'] });
    await untilTrue(() => lights(step).length === 2);
    step.pass(FRAME_MS);
    expect((await step.running).found.signs).toEqual([]);
    expect(step.judged).toEqual([]);
  });

  test('whoever gives up meanwhile leaves nothing of the portrait', async () => {
    const embedding = Float32Array.of(1, 0);
    const step = await scan({ light: known(), frames: [seeSide('zone'), findDocument({ embedding })] });
    await untilTrue(() => lights(step).length === 2);
    step.control.abort('enough');
    await expect(step.running).rejects.toBe('enough');
    expect([...embedding]).toEqual([0, 0]);
  });

  test('another kind of document may be chosen while they are shown', async () => {
    const step = await scan({ light: known() });
    await untilTrue(() => lights(step).length === 2);
    step.inbox.put(OTHER);
    await untilTrue(() => step.names().at(-1) === 'document');
    expect(step.judged).toEqual([]);
    step.control.abort('enough');
    await expect(step.running).rejects.toBe('enough');
  });
});

test('without a face that was found lit there are no colours', async () => {
  const step = await scan({ lights: ['shines'] });
  expect((await step.running).found.signs).toEqual([]);
  expect(lights(step)).toEqual([]);
});

test('the colours are those that the service drew for attempts that the face did not need, the last ones first', () => {
  const rounds = leftRounds(PLAN, 2);
  expect([rounds.next(), rounds.next(), rounds.next()]).toEqual([
    { colours: draw('yellow').colours, colourMs: 450 },
    { colours: draw('yellow').again, colourMs: 450 },
    undefined,
  ]);
  expect(leftRounds(PLAN, 3).next()).toBeUndefined();
});
