// Access to people of verification sessions through the biometric node with a key but without the
// client secret.
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { enrollAtOnce, guess } from '../../people.ts';

export const bareKeyOnPeople: AttackClass = {
  name: 'bare-key-on-people',
  prevents: 'deleting somebody who enrolled for sign-in with the API key alone, which every webhook receiver holds',
  promise: 'docs/sign-in.md#keys-and-credentials',
  needs: 'many keys',
  refusals: ['400 not_found'],
  attempts: 100,
  async begin(stage) {
    const owner = await stage.newHost({ clientCredentials: true });
    const [person, other] = [await enrollAtOnce(stage, owner), await enrollAtOnce(stage, owner)];
    const deleted = await owner.call('POST', '/node/deleteUser', { puid: other.puid });
    expectHonest(deleted.status === 200, `key and secret delete somebody: ${deleted.label}`);
    expectHonest((await guess(stage, owner, { face: person.face })) === 'matched', 'the person signs in');
    const paths = [
      '/node/deleteUser',
      '/node/FACE3_1/deleteUser',
      '/node/FACE3_3/deleteUser',
      '/node/SFACE/deleteUser',
    ];
    const { puid } = person;
    return async (round) => {
      const inBody = round % 2 === 1;
      const headers: Record<string, string> = inBody ? {} : { 'x-api-key': owner.apiKey };
      const body = { puid, ...(inBody && { api_key: owner.apiKey }) };
      return (await stage.speaker.send({ method: 'POST', path: inTurn(paths, round), headers, body })).label;
    };
  },
};
