// Path traversal, alternative encodings and other methods.
import { type AttackClass, inTurn } from '../../attack-class.ts';

const PATHS = [
  '/strings/../health',
  '/strings/..%2fhealth',
  '/launch/../../../../etc/passwd',
  '/launch/..%2f..%2f..%2fetc%2fpasswd',
  '/launch/%2e%2e/%2e%2e/package.json',
  '/launch/....//....//etc/passwd',
  '/launch/assets/..\\..\\..\\package.json',
  '/models/../../data/master.key',
  '/models/..%2f..%2fmaster.key',
  '/docs/..%2f..%2fpackage.json',
  '/%2e%2e/%2e%2e/etc/passwd',
  '//etc/passwd',
  '/STRINGS',
  '/strings;limit=1',
  '/strings/%',
  '/strings/%zz',
  '/strings/%c0%ae%c0%ae',
  '/strings/%00',
  '/__proto__',
  '/constructor',
  '/.env',
  '/.git/config',
  '/data/limen.sqlite',
  `/strings/${'a'.repeat(5_000)}`,
  '/session/%2e%2e/result',
  '/v2/verification-session/../webhook-deliveries',
  '/node/..%2fsession',
  '/demo/../.env',
];

export const pathTricks: AttackClass = {
  name: 'path-tricks',
  prevents: 'reaching files on the machine or other people’s routes through an oddly written path',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'nobody',
  refusals: ['400', '404', '405', '414'],
  attempts: 112,
  async begin({ speaker }) {
    return async (round) => {
      const raw = await speaker.sendRaw(
        `GET ${inTurn(PATHS, round)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      );
      return /^HTTP\/1\.1 (\d+)/.exec(raw)?.[1] ?? 'no reply';
    };
  },
};

const GET = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n';
const head = (more: string) => `POST /strings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${more}\r\n`;
const SMUGGLED = [
  `${head('content-length: 4\r\ntransfer-encoding: chunked\r\n')}0\r\n\r\n${GET}`,
  `${head('transfer-encoding: chunked\r\ncontent-length: 4\r\n')}0\r\n\r\n${GET}`,
  `${head('content-length: 4\r\ncontent-length: 40\r\n')}{}  ${GET}`,
  `${head('transfer-encoding: xchunked\r\n')}0\r\n\r\n${GET}`,
  `${head('transfer-encoding: chunked, identity\r\n')}0\r\n\r\n${GET}`,
  `${head('content-length: +4\r\n')}{}  ${GET}`,
  `${head('content-length: 0x4\r\n')}{}  ${GET}`,
  head('content-length: -1\r\n') + GET,
  `${head('transfer-encoding: chunked\r\n')}zz\r\n${GET}`,
  `${head('transfer-encoding: chunked\r\n')}-1\r\n${GET}`,
  head('x-a: b\r\n c: d\r\n'),
  'GET / HTTP/1.1\r\n: x\r\n\r\n',
  'GET / HTTP/1.1\r\nhost : x\r\n\r\n',
  'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
  'hello there\r\n\r\n',
];

export const requestSmuggling: AttackClass = {
  name: 'request-smuggling',
  prevents: 'a second request hidden in the first, which a proxy in front would not see',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'nobody',
  refusals: ['400, once', '505, once'],
  attempts: 105,
  async begin({ speaker }) {
    return async (round) => {
      const raw = await speaker.sendRaw(inTurn(SMUGGLED, round));
      const statuses = [...raw.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      return statuses.length === 1 ? `${statuses[0]}, once` : `${statuses.join(' and ') || 'no reply'}`;
    };
  },
};
