// People in verification sessions: a device of theirs, and how they enrol.
import { type Capture, capture, type Face, type PersonKey } from '../../../apps/server/testing/verification-device.ts';
import { adviceOf, briskLog, humanPause } from './course.ts';
import type { Host } from './host.ts';
import type { Stage } from './stage.ts';

/** A new device in a verification session, from an address of its own. */
export function hold(stage: Stage, id: string, more: Parameters<typeof capture>[2] = {}): Promise<Capture> {
  const room = { app: { http: stage.speaker.door } };
  return capture(room, id, { address: stage.newAddress(), follow: briskLog, ...more });
}

export interface EnrolledPerson {
  puid: string;
  deviceId: string | undefined;
  advice: string;
}

/** Enrols this face as a person would, in the time that a person takes. */
export async function enrolHonestly(stage: Stage, host: Host, face: Face, key?: PersonKey): Promise<EnrolledPerson> {
  const session = await hold(stage, await host.startVerification('ENROLL'));
  await session.reach('token');
  const { body } = await session.show(face, key);
  await humanPause(session.plan.steps.length);
  await session.answer();
  const result = await host.verificationResult(session.id);
  if (result.status !== 'SUCCESS') throw new Error(`not enrolled: ${result.status}`);
  return { puid: result.puid!, deviceId: body.deviceId, advice: adviceOf(result) };
}
