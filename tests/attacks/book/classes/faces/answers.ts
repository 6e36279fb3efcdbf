// One account that signs in without end, honestly and quickly, so that the customer's answers are used up for everybody else.
import { newPersonKey } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { again, enrolAtOnce, guess, guessKnown } from '../../people.ts';

const HELD = 'the account is held, others sign in';
/** Little enough to be used up in a moment; half of them are the most of an address, a quarter that of a person. */
const ANSWERS = 40;

export const answersUsedUp: AttackClass = {
  name: 'answers-used-up',
  prevents: 'one account that signs in over and over, through one address or many, until nobody else is answered',
  promise: 'docs/keyholder.md#how-many-answers',
  needs: 'many keys',
  refusals: [HELD],
  attempts: 4,
  isLong: true,
  async begin(stage) {
    const small = await stage.another({ KEYHOLDER_ANSWERS_PER_HOUR: String(ANSWERS) });
    return async (round) => {
      const host = await small.newHost();
      const key = await newPersonKey();
      const [own, other] = [await enrolAtOnce(small, host), await enrolAtOnce(small, host, { key })];
      const address = small.newAddress();
      expectHonest((await guess(small, host, { face: again(own), address })) === 'matched', 'the account signs in');
      const hasOneAddress = round % 2 === 0;
      let matched = 1;
      for (let time = 0; time < ANSWERS; time += 1) {
        const outcome = await guess(small, host, { face: again(own), ...(hasOneAddress && { address }) });
        if (outcome === 'matched') matched += 1;
        if (outcome === 'throttled') break;
      }
      // With many addresses strangers wait in the end; whoever is known here never does.
      const others = hasOneAddress
        ? await guess(small, host, { face: again(other) })
        : await guessKnown(small, host, { ...other, key });
      return matched <= ANSWERS / 4 && others === 'matched' ? HELD : `${matched} sign-ins, then ${others}`;
    };
  },
};
