// Bodies intended to break, fill or poison the service during parsing.
import { type AttackClass, inTurn } from '../../attack-class.ts';
import { verificationBody } from '../../host.ts';

const common = { promise: 'docs/security.md#a-hostile-client', needs: 'a test key' } as const;

const CAME_BACK = '201, came back as text';

export const bodyBombs: AttackClass = {
  ...common,
  name: 'body-bombs',
  prevents:
    'bodies that are deep, large, broken or not text, sent to stop the service or to reach code before its checks',
  refusals: [
    '400 malformed_request',
    '400 validation_failed',
    '413 payload_too_large',
    '415 unsupported_media_type',
    'connection closed',
  ],
  attempts: 120,
  async begin({ host, speaker }) {
    const paths = ['/session', '/v2/verification-session', '/strings'];
    const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
    const bombs: [body: string | Buffer, type?: string][] = [
      [`{"metadata":{"a":${deep('[', ']', 7_500)}},"value":1,"type":1}`],
      [`{"metadata":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)},"value":1}`],
      [`{"value":${deep('[', ']', 50_000)}}`],
      [`{"value":${deep('[', '', 50_000)}`],
      [`{"value":"${'a'.repeat(2_000_000)}"}`],
      [`{"metadata":{"a":"${'x'.repeat(1_200_000)}"}}`],
      ['{"value": }'],
      ['{"value":"a"}{"value":"b"}'],
      ['[1,2,3]'],
      ['"text"'],
      ['null'],
      ['{"value":"a"} // b'],
      [Buffer.from([...Buffer.from('{"value":"'), 0xff, 0xfe, ...Buffer.from('"}')])],
      [Buffer.from('{"value":"a"}', 'utf16le')],
      [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
      ['{"value":"a"}', 'text/plain'],
      ['<a/>', 'application/xml'],
    ];
    return async (round) => {
      const [body, type = 'application/json'] = inTurn(bombs, round);
      const path = inTurn(paths, Math.floor(round / bombs.length));
      return (await speaker.send({ method: 'POST', path, headers: { ...host.headers, 'content-type': type }, body }))
        .label;
    };
  },
};

export const prototypesPoisoned: AttackClass = {
  ...common,
  name: 'prototypes-poisoned',
  prevents: 'names such as __proto__ in a body, which would change objects that nobody sent',
  refusals: ['400 malformed_request', '400 validation_failed', CAME_BACK],
  attempts: 100,
  async begin({ host, speaker }) {
    // Metadata is free-form text. Such a name must be returned unchanged and have no other effect.
    const readBack = async (token: string, sent: string) => {
      const { text } = await host.call('GET', `/session/${token}/result`);
      const { isAdmin } = {} as { isAdmin?: unknown };
      return isAdmin === undefined && text.includes(sent.slice(1, -1)) ? CAME_BACK : 'not as text';
    };
    const poisons = [
      '{"__proto__":{"isAdmin":true}}',
      '{"metadata":{"__proto__":{"isAdmin":true}}}',
      '{"metadata":{"a":[{"__proto__":1}]}}',
      '{"metadata":{"constructor":{"prototype":{"isAdmin":true}}}}',
      '{"constructor":{"prototype":{"isAdmin":true}}}',
      '{"metadata":{"\\u005f\\u005fproto\\u005f\\u005f":{"isAdmin":true}}}',
      '{"callback":{"url":"https://shop.example/","headers":{"__proto__":"x"}}}',
    ];
    return async (round) => {
      const body = inTurn(poisons, round);
      const path = inTurn(['/session', '/v2/verification-session'], Math.floor(round / poisons.length));
      const type = { 'content-type': 'application/json' };
      const whole =
        path === '/session' ? body : `${JSON.stringify(verificationBody('ENROLL')).slice(0, -1)},${body.slice(1)}`;
      const reply = await speaker.send({ method: 'POST', path, headers: { ...host.headers, ...type }, body: whole });
      const isMetadata = path === '/session' && body.startsWith('{"metadata"');
      return isMetadata && reply.status === 201 ? readBack(reply.json<{ token: string }>().token, body) : reply.label;
    };
  },
};
