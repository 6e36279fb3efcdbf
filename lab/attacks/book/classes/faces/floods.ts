// Endless enrollments that prevent sign-ins.
import { newFace } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { again, enrollAtOnce, guess, hold } from '../../people.ts';

const HELD = 'the flood is throttled, signing in goes on';
/** Small enough to be used up quickly. */
const ENROLLMENTS = 6;

export const enrollmentsFlooded: AttackClass = {
  name: 'enrolments-flooded',
  prevents: 'made-up enrollments that use up what signing in needs, or that grow without limit',
  promise: 'docs/keyholder.md#how-many-answers',
  needs: 'many keys',
  refusals: [HELD],
  attempts: 3,
  isLong: true,
  async begin(stage) {
    const small = await stage.another({
      KEYHOLDER_ENROLMENTS_PER_HOUR: String(ENROLLMENTS),
      KEYHOLDER_ANSWERS_PER_HOUR: '40',
    });
    return async () => {
      const host = await small.newHost();
      const person = await enrollAtOnce(small, host);
      expectHonest((await guess(small, host, { face: again(person) })) === 'matched', 'the person signs in');
      let enrolled = 1;
      for (let round = 0; round < 3 * ENROLLMENTS; round += 1) {
        const session = await hold(small, await host.startVerification('ENROLL'));
        await session.reach('token');
        const { body } = await session.challenge();
        if (body.outcome !== 'ready') break;
        if ((await session.send(await session.encrypt(newFace(), body))).body.outcome === 'enrolled') enrolled += 1;
      }
      const after = await guess(small, host, { face: again(person) });
      return enrolled <= ENROLLMENTS && after === 'matched' ? HELD : `${enrolled} enrolled, then ${after}`;
    };
  },
};
