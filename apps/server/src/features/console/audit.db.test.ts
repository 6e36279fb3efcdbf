// The audit log in the console: who reads it is in it too, and what was edited in it is shown as that.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from './testing/console-app.ts';
import type { AuditPageView } from './views.ts';

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

it('has a line for each page that somebody read of it, wherever they began', async () => {
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

it('shows a line that was edited as that, and the others as they are', async () => {
  await read();
  const [newest, second] = (await read()).lines;
  await app.database.queries.updateTable('audit_lines').set({ at: 9e15 }).where('seq', '=', second!.seq).execute();
  const { lines } = await read(`?before=${newest!.seq + 1}`);
  expect(lines.slice(0, 2)).toEqual([newest, { seq: second!.seq, isUnreadable: true }]);
  expect((await admin.call('GET /console/api/operators')).statusCode).toBe(200);
});
