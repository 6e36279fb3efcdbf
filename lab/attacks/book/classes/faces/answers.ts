// Accounts that sign in legitimately and endlessly, to use up the customer's answer budget for
// everyone else.
import { newPersonKey } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import type { Host } from '../../host.ts';
import { MOVABLE_CLOCK } from '../../own-service.ts';
import { again, enrollHonestly, guess, guessKnown } from '../../people.ts';
import type { Stage } from '../../stage.ts';

const common = { promise: 'docs/keyholder.md#how-many-answers', needs: 'many keys', isLong: true } as const;
/** Small enough to be used up quickly. An address gets at most half, a person a quarter. */
const ANSWERS = 40;
const DAY_MS = 24 * 3_600_000;

const openSmall = (stage: Stage) => stage.another({ ...MOVABLE_CLOCK, KEYHOLDER_ANSWERS_PER_HOUR: String(ANSWERS) });

/** With a device of their own. */
async function enrollKnown(stage: Stage, host: Host) {
  const key = await newPersonKey();
  return { ...(await enrollHonestly(stage, host, { key })), key };
}

export const answersUsedUp: AttackClass = {
  ...common,
  name: 'answers-used-up',
  prevents: 'one account that signs in over and over, through one address or many, until nobody else is answered',
  refusals: ['the account is held, others sign in'],
  attempts: 4,
  async begin(stage) {
    const small = await openSmall(stage);
    const hosts = await Promise.all(
      Array.from({ length: answersUsedUp.attempts }, async () => {
        const host = await small.newHost();
        const [own, other] = await Promise.all([enrollHonestly(small, host), enrollKnown(small, host)]);
        return { host, own, other };
      }),
    );
    small.passTime(DAY_MS);
    return async (round) => {
      const { host, own, other } = hosts[round]!;
      const address = small.newAddress();
      expectHonest((await guess(small, host, { face: again(own), address })) === 'matched', 'the account signs in');
      const hasOneAddress = round % 2 === 0;
      let matched = 1;
      for (let time = 0; time < ANSWERS; time += 1) {
        const outcome = await guess(small, host, { face: again(own), ...(hasOneAddress && { address }) });
        if (outcome === 'matched') matched += 1;
        if (outcome === 'throttled') break;
      }
      // With many addresses strangers eventually wait, but known people never do.
      const others = hasOneAddress
        ? await guess(small, host, { face: again(other) })
        : await guessKnown(small, host, other);
      const isHeld = matched <= ANSWERS / 4 && others === 'matched';
      return isHeld ? 'the account is held, others sign in' : `${matched} sign-ins, then ${others}`;
    };
  },
};

export const answersUsedUpByCrowds: AttackClass = {
  ...common,
  name: 'answers-used-up-by-made-up-people',
  prevents:
    'many made-up accounts whose own devices sign in over and over, through few addresses, until nobody else is answered',
  refusals: ['they are held, a known device signs in'],
  attempts: 2,
  async begin(stage) {
    const small = await openSmall(stage);
    const hosts = await Promise.all(
      Array.from({ length: answersUsedUpByCrowds.attempts }, async () => {
        const host = await small.newHost();
        return { host, other: await enrollKnown(small, host) };
      }),
    );
    small.passTime(DAY_MS);
    return async (round) => {
      const { host, other } = hosts[round]!;
      const madeUp = await Promise.all(Array.from({ length: 8 }, () => enrollKnown(small, host)));
      // Strangers share one part of the budget, and known devices have one per address.
      const addresses = Array.from({ length: 8 }, () => small.newAddress());
      let matched = 0;
      let inVain = 0;
      // Until all failed at two addresses.
      for (let time = 0; time < 2 * ANSWERS && inVain < 16; time += 1) {
        const [who, address] = [madeUp[time % 8]!, addresses[(time >> 3) % 8]!];
        const outcome =
          round % 2 === 0
            ? await guessKnown(small, host, { ...who, address })
            : await guess(small, host, { face: again(who), address });
        inVain = outcome === 'matched' ? 0 : inVain + 1;
        if (outcome === 'matched') matched += 1;
      }
      expectHonest(matched > 0, 'the made-up people sign in');
      const known = await guessKnown(small, host, other);
      const isHeld = matched <= (ANSWERS * 3) / 4 && known === 'matched';
      return isHeld ? 'they are held, a known device signs in' : `${matched} sign-ins, then ${known}`;
    };
  },
};
