// Sealed features and ids of the biometric node that were modified, or sealed for another field or
// with another key.

import { makeFace } from '../../../../../apps/server/testing/faces.ts';
import { createNodeCipher } from '../../../../../packages/sdk/src/node/encryption.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const sealedFieldsForged: AttackClass = {
  name: 'sealed-fields-forged',
  prevents:
    'features or ids that open although they were altered, sealed for another field, or sealed with another key',
  promise: 'docs/node.md#encryption',
  needs: 'a test key',
  refusals: ['400 malformed_request', '400 not_found', '400 validation_failed', '403 forbidden'],
  attempts: 120,
  async begin({ host }) {
    const [cipher, foreign] = [createNodeCipher(host.apiKey), createNodeCipher('limen_test_somebody-else')];
    const text = JSON.stringify([{ type: 'face', embedding_vector: [...makeFace(3)] }]);
    const sealed = await cipher.encrypt('features', text);
    const enrolled = await host.call('POST', '/node/enroll', { features: sealed });
    expectHonest(enrolled.status === 200, `sealed features are taken: ${enrolled.label}`);
    const { puid, guid } = enrolled.json<{ puid: string; guid: string }>();
    const altered = (from: string, at: number) => {
      const bytes = Buffer.from(from, 'base64url');
      bytes[at % bytes.length]! ^= 1;
      return bytes.toString('base64url');
    };
    const features: ((round: number) => string | Promise<string>)[] = [
      (round) => altered(sealed, 1 + round * 37),
      () => cipher.encrypt('puid', text),
      () => foreign.encrypt('features', text),
      () => altered(sealed, 0),
      (round) => sealed.slice(0, 20 + round * 4),
      () => `${sealed}=`,
      () => ` ${sealed}`,
      () => text,
      () => cipher.encrypt('features', 'not JSON'),
      () => cipher.encrypt('features', '[{"embedding_vector":"no"}]'),
      () => cipher.encrypt('features', `${'['.repeat(100_000)}`),
    ];
    const people: ((round: number) => string | Promise<string>)[] = [
      (round) => altered(puid, 1 + round),
      () => guid,
      async () => foreign.encrypt('puid', await cipher.decrypt('puid', puid)),
      async () => cipher.encrypt('features', await cipher.decrypt('puid', puid)),
    ];
    return async (round) => {
      if (round % 3 === 2) {
        return (
          await host.call('POST', '/node/deleteUser', { puid: await inTurn(people, Math.floor(round / 3))(round) })
        ).label;
      }
      const path = inTurn(['/node/predict', '/node/FACE3_1/enroll'], round);
      const version = round % 17 === 0 ? { 'x-encryption-version': '2' } : {};
      return (await host.call('POST', path, { features: await inTurn(features, round)(round) }, version)).label;
    };
  },
};
