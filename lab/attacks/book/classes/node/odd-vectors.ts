// Feature vectors with impossible numbers, to match people falsely or break the arithmetic.
import { makeFace } from '../../../../../apps/server/testing/faces.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const oddVectors: AttackClass = {
  name: 'odd-vectors',
  prevents:
    'vectors of zeros, of huge or tiny numbers, or of other lengths or types that match somebody or break the index',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'a test key',
  refusals: [
    '400 validation_failed',
    '400 malformed_request',
    '200 User not enrolled',
    '200 Face authentication failed',
    '413 payload_too_large',
  ],
  attempts: 100,
  async begin({ host, speaker }) {
    const features = { embedding_vector: [...makeFace(4)] };
    expectHonest((await host.call('POST', '/node/plainEnroll', { features })).status === 200, 'a face is enrolled');
    const raw = (vector: string) => `{"features":{"embedding_vector":[${vector}]}}`;
    const fill = (value: string, length = 128) => Array(length).fill(value).join(',');
    const bodies = [
      ...['0', '1', '-1', '1e308', '-1e308', '1e-320', '1e400', '0.1', '2.2250738585072014e-308'].map((value) =>
        raw(fill(value)),
      ),
      ...[raw(`1e308,${fill('-1e308', 127)}`), raw(`1,${fill('0', 127)}`), raw(fill('null')), raw(fill('"1"'))],
      ...[
        raw(fill('true')),
        raw(fill('[1]')),
        raw(fill('1', 127)),
        raw(fill('1', 513)),
        raw(''),
        raw(fill('1', 100_000)),
      ],
      ...['{"features":[]}', '{"features":{"embedding_vector":{"length":128}}}', '{"features":"x"}', '{"features":1}'],
      '{"features":{"embedding_vector":[1]},"K":1e9}',
      '{"features":{"embedding_vector":[1]},"version":"../../FACE"}',
    ];
    return async (round) => {
      const headers = { ...host.headers, 'content-type': 'application/json' };
      return (await speaker.send({ method: 'POST', path: '/node/plainPredict', headers, body: inTurn(bodies, round) }))
        .label;
    };
  },
};
