import type { FacePlanStep } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { ASKS } from '../../testing/fakes/fake-device-client.ts';
import { FACE_STEP } from '../../testing/fakes/fake-flow.ts';
import { createFakePage, type FakePage } from '../../testing/fakes/fake-page.ts';
import { GOOD, lookAhead } from '../../testing/fakes/fake-reports.ts';
import { startAndRead } from '../../testing/fakes/page-steps.ts';

const light: FacePlanStep['light'] = {
  attempts: [{ colours: ['red', 'green', 'blue', 'yellow', 'cyan', 'magenta'], again: [], colourMs: 450 }],
  required: false,
};
const plan = { steps: [{ ...FACE_STEP, light }] };
const view = { asks: { ...ASKS, light: true } };

async function goThrough(page: FakePage) {
  page.actions.start();
  await page.see('permission', { state: 'explain' });
  page.camera.put(...GOOD, ...lookAhead(60));
  page.actions.askForCamera();
  await page.see('end');
  return page.client.submitted[0];
}

describe('the first screen', () => {
  test('offers to leave out the colors only if the service asks for them', async () => {
    const page = createFakePage({ view, plan });
    await page.open();
    expect(page.screen()).toMatchObject({ colours: 'shown' });
    page.actions.leaveOutColours(true);
    expect(page.screen()).toMatchObject({ colours: 'left_out' });
    page.actions.leaveOutColours(false);
    expect(page.screen()).toMatchObject({ colours: 'shown' });
    const without = createFakePage();
    await without.open();
    without.actions.leaveOutColours(true);
    expect(without.screen()).toMatchObject({ colours: null });
  });

  test('leaves out the colors from the start if the system asks for less motion', async () => {
    const page = createFakePage({ view, plan, wantsNoColours: true });
    await page.open();
    expect(page.screen()).toMatchObject({ colours: 'left_out' });
    expect(await goThrough(page)).toMatchObject({ face: { light: 'declined' } });
  });
});

test('keeps the choice of colors in front of the camera', async () => {
  const page = createFakePage({ view, plan });
  await page.open();
  page.actions.leaveOutColours(true);
  expect(await goThrough(page)).toMatchObject({ face: { light: 'declined' } });
  const shown = createFakePage({ view, plan });
  await shown.open();
  expect(await goThrough(shown)).toMatchObject({ face: { light: 'lit' } });
});

test.each([
  [2, 0],
  [3, 1],
])('at debug level %i logs the light measurements %i times', async (debugLevel, times) => {
  const page = createFakePage({ view: { ...view, debugLevel }, plan });
  await page.open();
  await goThrough(page);
  const notes = page.platform.notes.filter((note) => note.startsWith('limen: light '));
  expect(notes).toHaveLength(times);
  for (const note of notes) expect(JSON.parse(note.slice('limen: light '.length))).toMatchObject({ finding: 'lit' });
});

test('stops no colors while none are shown', async () => {
  const page = createFakePage({ view, plan });
  await startAndRead(page);
  page.actions.stopColours();
  page.camera.put(...GOOD, ...lookAhead(60));
  page.actions.askForCamera();
  await page.see('end');
  expect(page.client.submitted[0]).toMatchObject({ face: { light: 'lit' } });
});

test('a reload during the colors continues with the next attempt’s colors and repeats none', async () => {
  const [first] = light.attempts;
  const second = { ...first!, colours: [...first!.colours].reverse() };
  const twice = { steps: [{ ...FACE_STEP, light: { ...light, attempts: [first!, second] } }] };
  const moved = FACE_STEP.challenges.flatMap((_, at): [string, number, number][] => [
    ['shown', at, 1_000 * at + 100],
    ['done', at, 1_000 * at + 900],
  ]);
  const reported = [['started', 0, 5], ...moved, ['lit', 0, 9_000], ['lit', 1, 9_500]] as never;
  const page = createFakePage({ view: { ...view, state: 'capturing', role: 'active' }, plan: twice, reported });
  await page.open();
  await goThrough(page);
  const shown = page.client.calls.filter((call) => call.startsWith('record lit'));
  expect(shown[0]).toBe('record lit 6');
});
