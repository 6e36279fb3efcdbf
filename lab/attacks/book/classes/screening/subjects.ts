// Subjects and imports intended to break the engine, fill its memory, or store something other than
// stated.
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

const BOUNDED = '200, answered as anything else';
const NONE_TAKEN = '200, no line was taken';

const LONG = 'Mohammed al '.repeat(900);
const HOSTILE: readonly object[] = [
  { name: LONG },
  { name: 'a '.repeat(5_000) },
  { name: '\u202e\u0000\ud800'.repeat(2_000) },
  { name: 'ﷺ'.repeat(3_000), schema: 'Person' },
  { name: '李'.repeat(9_000) },
  { name: 'x', aliases: Array.from({ length: 5_000 }, (_, at) => `Alias Number ${at}`) },
  { name: 'Ottokar Brennwälder', birthDate: '9999-99-99' },
  { name: 'Ottokar Brennwälder', birthDate: '1'.repeat(5_000) },
  { name: 'Ottokar Brennwälder', schema: '__proto__' },
  { name: 'Ottokar Brennwälder', schema: 'constructor' },
  { name: 'Ottokar Brennwälder', identifiers: [{ kind: '__proto__', value: 'N1234567' }] },
  { name: 'Ottokar Brennwälder', identifiers: Array.from({ length: 2_000 }, (_, at) => ({ value: `N${at}` })) },
  { name: 'Ottokar Brennwälder', countries: ['x'.repeat(9_000)] },
  { name: { $ne: '' } },
  { name: ['Ottokar', 'Brennwälder'] },
  {},
];

export const subjectsHostile: AttackClass = {
  name: 'subjects-hostile',
  prevents: 'subjects that hold a thread, fail the service or are taken for another kind',
  promise: 'docs/screening.md#one-subject-at-a-time',
  needs: 'a test key',
  refusals: [BOUNDED, '400 validation_failed', '400 malformed_request', '413 payload_too_large', 'connection closed'],
  attempts: 120,
  atOnce: 4,
  async begin({ host }) {
    const honest = await host.call('POST', '/v2/screening/match', {
      dataset: 'demo',
      subjects: [{ name: 'Ottokar Brennwälder' }],
    });
    expectHonest(honest.status === 200, 'a subject is screened');
    return async (round) => {
      const one = inTurn(HOSTILE, round);
      // Alternates with the maximum number.
      const subjects = Array.from({ length: round % 2 === 0 ? 1 : 100 }, () => one);
      const reply = await host.call('POST', '/v2/screening/match', { dataset: 'demo', subjects });
      if (reply.status !== 200) return reply.label;
      const { results } = reply.json<{ results: object[] }>();
      return results.length === subjects.length ? BOUNDED : '200, something is missing';
    };
  },
};

const IMPORT = '/v2/screening/subjects/import?dataset=demo';

interface Taken {
  added: number;
  changed: number;
  refused: number;
}

const LINES: readonly string[] = [
  '{"reference":"r"',
  '[]',
  'null',
  '"Ottokar Brennwälder"',
  '{"reference":"r","name":5}',
  '{"reference":"","name":"Ottokar Brennwälder"}',
  '{"name":"Ottokar Brennwälder"}',
  '{"reference":"r","name":"Ottokar Brennwälder","callback":{"url":"file:///etc/passwd"}}',
  '{"reference":"r","name":"Ottokar Brennwälder","scoreThreshold":2}',
  '{"reference":"r","name":"Ottokar Brennwälder","dataset":"../../etc"}',
  '{"__proto__":{"reference":"r","name":"Ottokar Brennwälder"}}',
  `{"reference":"r","name":"${'x'.repeat(300_000)}"}`,
  '\u0000\u0001\u0002',
];

export const importsBroken: AttackClass = {
  name: 'imports-broken',
  prevents: 'lines of an import that are taken though they say something impossible, or end the others',
  promise: 'docs/watching.md#many-at-once',
  needs: 'a test key',
  refusals: [NONE_TAKEN],
  attempts: 100,
  async begin({ host, speaker }) {
    const headers = { ...host.headers, 'content-type': 'application/x-ndjson' };
    const send = async (body: string) => {
      const reply = await speaker.send({ method: 'POST', path: IMPORT, headers, body });
      return { reply, taken: reply.status === 200 ? reply.json<Taken>() : undefined };
    };
    const { taken } = await send('{"reference":"honest","name":"Nobody Whatsoever"}\n');
    expectHonest(taken?.refused === 0, 'a line of an import');
    return async (round) => {
      const lines = [inTurn(LINES, round), inTurn(LINES, round * 7 + 3)];
      const { reply, taken: told } = await send(`${lines.join('\n')}\n`);
      if (!told) return reply.label;
      return told.added + told.changed === 0 && told.refused === lines.length ? NONE_TAKEN : '200, something was taken';
    };
  },
};
