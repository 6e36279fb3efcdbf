// Expired handoff codes of a device that was slow or found them later.
import { setTimeout } from 'node:timers/promises';
import { HANDOFF_CODE_TTL_MS } from '../../../../../apps/server/src/sessions/limits.ts';
import { newDevice } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { claimAgeSession, labelOf, offerHandoff } from '../../course.ts';

/**
 * Codes live for five minutes, which this service's clocks compress to one. Heartbeats must stay
 * less than a minute apart.
 */
const FASTER = 5;

export const handoffCodesExpired: AttackClass = {
  name: 'handoff-codes-expired',
  prevents: 'a device that takes over a session with a code that was on a screen minutes ago',
  promise: 'docs/device-protocol.md#handoff',
  needs: 'many keys',
  refusals: ['403 handoff_code_refused'],
  attempts: 32,
  atOnce: 32,
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
      await setTimeout((1.1 * HANDOFF_CODE_TTL_MS) / FASTER);
      return labelOf(round % 2 === 0 ? await next.claim(id, offer) : await next.look(id, offer.code));
    };
  },
};

/**
 * Speeds up all clocks of a process by a factor, because the service refuses a system clock that
 * diverges from the others.
 */
function hurry(times: number): string {
  return encodeURIComponent(
    `import os from 'node:os';
    const faster = (read) => { const begun = read(); return () => begun + (read() - begun) * ${times}; };
    Date.now = faster(Date.now);
    performance.now = faster(performance.now.bind(performance));
    os.uptime = faster(os.uptime);`,
  );
}
