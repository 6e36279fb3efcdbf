// The audit log in the console: reading is audited, and edited lines are marked.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import { newHost } from '#testing/session-app.ts';
import type { AuditActorView, AuditPageView } from '../door/views.ts';

const HOUR = 60 * 60_000;

let app: ConsoleApp;
let admin: TestOperator;

beforeAll(async () => {
  app = await startConsoleApp({ atEnd: afterAll });
  admin = await newOperator(app, 'admin');
});

async function read(query = ''): Promise<AuditPageView> {
  const reply = await admin.call('GET /console/api/audit', { query });
  expect(reply.statusCode).toBe(200);
  return reply.json();
}

it('records each page that is read, wherever it starts', async () => {
  const looks = async () =>
    (await app.database.queries.selectFrom('audit_lines').select('seq').where('act', '=', 'audit.view').execute())
      .length;
  const before = await looks();
  await read();
  await read(`?before=${Number.MAX_SAFE_INTEGER}`);
  await read('?before=2');
  expect(await looks()).toBe(before + 3);
});

it.each(['1e300', '9223372036854775807', '9007199254740992', '0', '1.5'])(
  'is not read from line %s',
  async (before) => {
    const reply = await admin.call('GET /console/api/audit', { query: `?before=${before}` });
    expect(reply.statusCode).toBe(400);
  },
);

it('marks an edited line and shows the others unchanged', async () => {
  await read();
  const [newest, second] = (await read()).lines;
  await app.database.queries.updateTable('audit_lines').set({ at: 9e15 }).where('seq', '=', second!.seq).execute();
  const { lines } = await read(`?before=${newest!.seq + 1}`);
  expect(lines.slice(0, 2)).toEqual([newest, { seq: second!.seq, isUnreadable: true }]);
  expect((await admin.call('GET /console/api/operators')).statusCode).toBe(200);
});

it('filters by operator, act and days', async () => {
  const other = await newOperator(app, 'auditor', 'Otto');
  await other.call('GET /console/api/audit/export');
  const { who } = (await admin.call('GET /console/api/audit/who')).json<{ who: AuditActorView[] }>();
  expect(who.map(({ name }) => name)).toEqual(expect.arrayContaining(['Otto', 'command line', 'somebody unknown']));
  const otto = who.find(({ name }) => name === 'Otto')!.id;
  const actsOf = async (query: string) =>
    (await read(query)).lines.map((line) => !line.isUnreadable && [line.operator, line.act, line.operatorId]);
  expect(await actsOf(`?who=${otto}`)).toEqual([
    ['Otto', 'audit.export', otto],
    ['Otto', 'passkey.register', otto],
  ]);
  expect(await actsOf('?act=audit.export')).toEqual([['Otto', 'audit.export', otto]]);
  const day = new Date(app.clock.now()).toISOString().slice(0, 10);
  app.clock.advance(24 * HOUR);
  admin = await newOperator(app, 'admin');
  const next = new Date(app.clock.now()).toISOString().slice(0, 10);
  const all = (await read()).lines.length;
  const [before, since] = [(await read(`?until=${day}`)).lines.length, (await read(`?from=${next}`)).lines.length];
  // Each earlier read added a line.
  expect([before > 0, before + since]).toEqual([true, all + 2]);
  expect((await read(`?from=${day}&until=${day}`)).lines).toHaveLength(before);
  expect((await read('?until=2000-01-01')).lines).toEqual([]);
  expect((await admin.call('GET /console/api/audit', { query: '?from=yesterday' })).statusCode).toBe(400);
});

it('says in which room an id is shown', async () => {
  const { body } = await (await newHost(app)).create({});
  const id = new URL(body.launchUrl).searchParams.get('sessionId')!;
  await admin.call('GET /console/api/sessions/:id', { ids: [id] });
  const [look, ...more] = (await read('?act=session.view')).lines;
  expect([look, more]).toEqual([expect.objectContaining({ about: id, place: 'session' }), []]);
});

it('exports everything and ends the file at a broken line', async () => {
  const exported = async () => {
    const reply = await admin.call('GET /console/api/audit/export');
    expect(reply.headers['content-disposition']).toMatch(/^attachment; filename="limen-audit-[\d-]+\.jsonl"$/);
    return reply.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  // An earlier test edited a line.
  const broken = await exported();
  expect([broken[0], broken.at(-1)]).toEqual([
    { publicKey: expect.stringContaining('PUBLIC KEY') },
    { broken: expect.objectContaining({ state: 'broken', problem: 'it was edited' }) },
  ]);
  await app.database.queries.deleteFrom('audit_lines').execute();
  await app.database.queries.deleteFrom('audit_segments').execute();
  const [, line, checkpoint, ...more] = await exported();
  expect([line, checkpoint, more]).toEqual([
    expect.objectContaining({ seq: 1, act: 'audit.export' }),
    expect.objectContaining({ checkpoint: expect.objectContaining({ lines: 1 }) }),
    [],
  ]);
});
