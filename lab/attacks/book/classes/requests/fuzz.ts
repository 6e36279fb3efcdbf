// Random input on every documented route, in search of unintended replies.
import { randomInt } from 'node:crypto';
import { type AttackClass, inTurn } from '../../attack-class.ts';

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 60, '', ' ', 'null', '0', '\u0000', '\ud800', '𝔸', '../..'],
  ...[
    "'",
    '"',
    '%00',
    '{{x}}',
    'a'.repeat(300),
    [],
    [[]],
    [null],
    {},
    { a: { b: [] } },
    ['face'],
    'face',
    '2024-02-30',
  ],
  ...['00000000-0000-0000-0000-000000000000', 'ENROLL', 'https://shop.example/', { url: 'https://shop.example/' }],
];
const any = () => VALUES[randomInt(VALUES.length)];

interface Description {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema?: object }> } }>>;
  components: { schemas: Record<string, { properties?: object }> };
}

export const nonsenseEverywhere: AttackClass = {
  name: 'nonsense-everywhere',
  prevents: 'an unexpected failure, whatever is sent to any route',
  promise: 'docs/security.md#what-never-leaves',
  needs: 'a test key',
  refusals: ['answered'],
  attempts: 600,
  atOnce: 2,
  async begin({ host, speaker }) {
    const { paths, components } = (await host.call('GET', '/openapi.json')).json<Description>();
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path]),
    );
    const names = [
      ...new Set(Object.values(components.schemas).flatMap(({ properties = {} }) => Object.keys(properties))),
    ];
    return async (round) => {
      const [method, pattern] = inTurn(routes, round);
      const path = pattern.replace(/\{[^}]+\}/g, () => encodeURIComponent(String(any()).toWellFormed()) || 'x');
      const query =
        round % 3 === 0 ? `?${inTurn(names, round * 5)}=${encodeURIComponent(String(any()).toWellFormed())}` : '';
      const fields = Array.from({ length: randomInt(1, 7) }, () => [names[randomInt(names.length)], any()]);
      const odd =
        round % 5 === 0
          ? {
              'idempotency-key':
                String(any())
                  .replace(/[^\x20-\x7e]/g, '?')
                  .trim() || 'x',
            }
          : {};
      const headers = { ...(round % 7 === 0 ? {} : host.headers), ...odd, 'content-type': 'application/json' };
      const body =
        method === 'GET' ? {} : { body: JSON.stringify(round % 11 === 0 ? any() : Object.fromEntries(fields)) };
      const { status, label, text } = await speaker.send({ method, path: path + query, headers, ...body });
      const isMeant = (status > 0 && status < 500) || status === 503 || text.includes('Missing PUID.');
      return isMeant ? 'answered' : label;
    };
  },
};
