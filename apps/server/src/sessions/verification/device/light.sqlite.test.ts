// Light in verification sessions: consequences of an unlit face, flagged or enforced.
import { beforeAll, describe, expect, it } from 'vitest';
import { followPlan, withoutLight, withSecondRound } from '#testing/device.ts';
import {
  capture,
  newFace,
  newVerificationHost,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const rooms = {
  flag: useVerificationApp(),
  enforce: useVerificationApp({ LIGHT_CHALLENGE: 'enforce' }),
};
const hosts = new Map<string, VerificationHost>();
beforeAll(async () => {
  for (const [challenge, room] of Object.entries(rooms)) hosts.set(challenge, await newVerificationHost(room));
});

const decline: typeof followPlan = (...given) => withoutLight(followPlan(...given));
const seeBoth: typeof followPlan = (...given) => withSecondRound(followPlan(...given));
const follows: Readonly<Record<string, typeof followPlan>> = { declined: decline, not_lit: seeBoth };

async function enroll(challenge: keyof typeof rooms, light: string, body: object = {}) {
  const host = hosts.get(challenge)!;
  const follow = follows[light] ?? followPlan;
  const session = await capture(rooms[challenge], await host.start('ENROLL', body), { follow });
  await session.reach('token');
  await session.show(newFace());
  await session.answer({ face: { spoof: false, light } });
  return (await host.result(session.id)).body;
}

describe('a face not lit as drawn', () => {
  it('is reviewed', async () => {
    const { status, riskEvaluation } = await enroll('flag', 'not_lit');
    expect(status).toBe('SUCCESS');
    expect(riskEvaluation).toMatchObject({ recommendation: 'REVIEW', flags: ['LIGHT_NOT_AS_DRAWN'] });
  });

  it('is a spoof if enforced, and enrolls no one', async () => {
    const { status, puid, errors, riskEvaluation } = await enroll('enforce', 'not_lit');
    expect([status, puid]).toEqual(['FAILED', undefined]);
    expect(errors).toContainEqual({ code: 1, message: 'Image spoof' });
    expect(riskEvaluation).toMatchObject({ recommendation: 'BLOCK' });
  });
});

it.each(['declined', 'inconclusive', 'not_lit'])('never allows required light that is %s', async (light) => {
  const { riskEvaluation } = await enroll('flag', light, { light: 'required' });
  expect(riskEvaluation?.recommendation).toBe('REVIEW');
  expect(riskEvaluation?.flags).toContain('LIGHT_REQUIRED');
});

it('allows a lit face, enforced or not', async () => {
  for (const challenge of ['flag', 'enforce'] as const)
    expect((await enroll(challenge, 'lit')).riskEvaluation).toMatchObject({ recommendation: 'ALLOW', flags: [] });
});
