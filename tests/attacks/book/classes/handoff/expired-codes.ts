// Handoff codes whose time is over, brought by a device that was slow or found them later.
import { setTimeout } from 'node:timers/promises';
import { newDevice } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { claimAgeSession, labelOf, offerHandoff } from '../../course.ts';

/** Codes live for five minutes; by this service's clock they pass in a few seconds. */
const FASTER = 100;
const CODE_LIFE_MS = 5 * 60_000;

export const handoffCodesExpired: AttackClass = {
  name: 'handoff-codes-expired',
  prevents: 'a device that takes over a session with a code that was on a screen minutes ago',
  promise: 'docs/device-protocol.md#handoff',
  needs: 'many keys',
  refusals: ['403 handoff_code_refused'],
  attempts: 32,
  atOnce: 16,
  isLong: true,
  async begin(stage) {
    const fast = await stage.another({ NODE_OPTIONS: `--import=data:text/javascript,${hurry(FASTER)}` });
    const begin = async () => {
      const session = await claimAgeSession(fast, fast.host);
      const next = await newDevice(fast.speaker.door, fast.newAddress());
      return { id: session.id, next, offer: await offerHandoff(session.device, session.id) };
    };
    const inTime = await begin();
    expectHonest((await inTime.next.claim(inTime.id, inTime.offer)).status === 200, 'a code is taken while it lives');
    return async (round) => {
      const { id, next, offer } = await begin();
      await setTimeout((1.1 * CODE_LIFE_MS) / FASTER);
      return labelOf(round % 2 === 0 ? await next.claim(id, offer) : await next.look(id, offer.code));
    };
  },
};

/** Has the clock of a process run so many times faster. */
function hurry(times: number): string {
  return encodeURIComponent(
    `const real = Date.now, begun = real(); Date.now = () => begun + (real() - begun) * ${times};`,
  );
}
