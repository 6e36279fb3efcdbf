// Floods from one client or many addresses, intended to starve other calls.
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

const FLOOD_CALLS = 60;
/** Round-robin. */
const FLOOD_ADDRESSES = [1, 40];
const BEFORE_THE_BACKLOG = '200, before the backlog of the flood';

/** Each is one worker task of about a tenth of a second. */
const WORDS = 'Mohammed al Ottokar da Silva Maria Wei Chen Ivan bin '.repeat(9);
const HEAVY = {
  dataset: 'demo',
  subjects: [{ name: WORDS, aliases: Array.from({ length: 20 }, (_, at) => WORDS.slice(at)) }],
};
const SINGLE = { dataset: 'demo', subjects: [{ name: 'Ottokar Brennwälder' }] };

export const turnsUnfair: AttackClass = {
  name: 'turns-unfair',
  prevents: 'one client, or forty addresses, whose many heavy calls make the single call of a key wait for all of them',
  promise: 'docs/screening.md#fair-turns',
  needs: 'many keys',
  refusals: [BEFORE_THE_BACKLOG],
  attempts: 6,
  isLong: true,
  async begin(stage) {
    const { host, speaker } = stage;
    const match = () => host.call('POST', '/v2/screening/match', SINGLE);
    expectHonest((await match()).status === 200, 'a subject is screened');
    return async (round) => {
      const addresses = Array.from({ length: inTurn(FLOOD_ADDRESSES, round) }, () => stage.newAddress());
      let answered = 0;
      const flood = Array.from({ length: FLOOD_CALLS }, async (_, at) => {
        const from = inTurn(addresses, at);
        const reply = await speaker.send({ method: 'POST', path: '/v2/screening/match', body: HEAVY, from });
        expectHonest(reply.status === 200, 'the flood is screened');
        answered += 1;
      });
      await Promise.race(flood);
      const { label, status } = await match();
      const before = answered;
      await Promise.all(flood);
      if (status !== 200) return label;
      return before < FLOOD_CALLS / 2 ? BEFORE_THE_BACKLOG : `200, after ${before} calls of the flood`;
    };
  },
};
