// Floods of one client that shall keep the calls of others waiting.
import { type AttackClass, expectHonest } from '../../attack-class.ts';

const FLOOD_CALLS = 60;
const BEFORE_THE_BACKLOG = '200, before the backlog of the flood';

/** Each is one task of a worker, about a tenth of a second. */
const WORDS = 'Mohammed al Ottokar da Silva Maria Wei Chen Ivan bin '.repeat(9);
const HEAVY = {
  dataset: 'demo',
  subjects: [{ name: WORDS, aliases: Array.from({ length: 20 }, (_, at) => WORDS.slice(at)) }],
};
const SINGLE = { dataset: 'demo', subjects: [{ name: 'Ottokar Brennwälder' }] };

export const turnsUnfair: AttackClass = {
  name: 'turns-unfair',
  prevents: 'one client whose many heavy calls make the single call of another wait for all of them',
  promise: 'docs/screening.md#fair-turns',
  needs: 'many keys',
  refusals: [BEFORE_THE_BACKLOG],
  attempts: 5,
  async begin(stage) {
    const { host, speaker } = stage;
    const match = () => host.call('POST', '/v2/screening/match', SINGLE);
    expectHonest((await match()).status === 200, 'a subject is screened');
    return async () => {
      const from = stage.newAddress();
      let answered = 0;
      const flood = Array.from({ length: FLOOD_CALLS }, async () => {
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
