// Passkeys of operators: listing, and removing lost ones.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type ConsoleApp,
  newOperator,
  signIn,
  startConsoleApp,
  type TestOperator,
} from '#testing/console/console-app.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { runLimenHere } from '#testing/run-limen.ts';
import type { MyPasskeysView, OperatorView } from '../door/views.ts';

let app: ConsoleApp;
let admin: TestOperator;
let storage: TestDatabase;

beforeAll(async () => {
  storage = await createTestDatabase();
  app = await startConsoleApp({ database: storage, atEnd: afterAll });
  afterAll(storage.dispose);
  admin = await newOperator(app, 'admin', 'Ada');
});

const mine = async (operator: TestOperator) =>
  (await operator.call('GET /console/api/my-passkeys')).json<MyPasskeysView>().passkeys;
/** Returns the id of the operator's oldest passkey. */
const firstOf = async (operator: TestOperator) => (await mine(operator))[0]!.id;
const statusOfMe = async (operator: TestOperator) => (await operator.call('GET /console/api/me')).statusCode;
const find = async (name: string) =>
  (await admin.call('GET /console/api/operators'))
    .json<{ operators: OperatorView[] }>()
    .operators.find((one) => one.name === name)!;

async function removeOwn(operator: TestOperator, id: string) {
  const body = await operator.confirm('passkey.remove', id);
  return operator.call('POST /console/api/my-passkeys/:id/remove', { ids: [id], body });
}

async function removeTheirs(operator: TestOperator, theirs: string, id: string) {
  const body = await operator.confirm('passkey.remove', id);
  return operator.call('POST /console/api/operators/:id/passkeys/:passkeyId/remove', { ids: [theirs, id], body });
}

it('lists passkeys with creation and last use to their owner and to admins', async () => {
  const madeAt = app.clock.now();
  const operator = await newOperator(app, 'auditor', 'Listed');
  expect(await mine(operator)).toEqual([{ id: expect.any(String), createdAt: madeAt, usedAt: null }]);
  app.clock.advance(1_000);
  await signIn(app, operator);
  const [passkey] = await mine(operator);
  expect(passkey).toMatchObject({ createdAt: madeAt, usedAt: app.clock.now() });
  expect((await find('Listed')).passkeys).toEqual([passkey]);
});

it('removes a lost passkey with another one of the same operator, and ends the other sessions', async () => {
  const lost = await newOperator(app, 'reviewer', 'Grace');
  const id = await firstOf(lost);
  app.clock.advance(1_000);
  const found = await newOperator(app, 'reviewer', 'Grace');
  expect(await mine(found)).toHaveLength(2);
  expect((await removeOwn(found, id)).statusCode).toBe(200);
  expect((await signIn(app, lost)).statusCode).toBe(403);
  expect(await statusOfMe(lost)).toBe(401);
  expect(await statusOfMe(found)).toBe(200);
  expect((await signIn(app, found)).statusCode).toBe(200);
  expect((await removeOwn(found, id)).statusCode).toBe(404);
  const { lines } = (await admin.call('GET /console/api/audit')).json();
  expect(lines).toContainEqual(expect.objectContaining({ operator: 'Grace', act: 'passkey.remove', about: 'Grace' }));
});

it('shows owners the links created by others, and audits them as links for another passkey', async () => {
  const operator = await newOperator(app, 'reviewer', 'Watched');
  const linksOf = async () => (await operator.call('GET /console/api/my-passkeys')).json<MyPasskeysView>().links;
  expect(await linksOf()).toEqual([]);
  app.clock.advance(1_000);
  const answer = await admin.confirm('operator.invite', 'reviewer Watched');
  const body = { name: 'Watched', role: 'reviewer', ...answer };
  expect((await admin.call('POST /console/api/operators/invite', { body })).statusCode).toBe(201);
  expect(await linksOf()).toEqual([{ at: app.clock.now(), by: 'Ada' }]);
  const { lines } = (await admin.call('GET /console/api/audit')).json();
  const acts = lines
    .filter(({ about }: { about: string }) => about === 'Watched')
    .map(({ act }: { act: string }) => act);
  expect(acts).toEqual(['operator.reinvite']);
});

it("refuses a passkey that removes itself or another operator's passkey", async () => {
  const operator = await newOperator(app, 'reviewer', 'Only one');
  const id = await firstOf(operator);
  expect((await removeOwn(operator, id)).statusCode).toBe(400);
  const adas = await firstOf(admin);
  expect((await removeOwn(operator, adas)).statusCode).toBe(404);
  expect((await removeTheirs(operator, (await find('Ada')).id, adas)).statusCode).toBe(403);
  expect((await signIn(app, operator)).statusCode).toBe(200);
  expect((await signIn(app, admin)).statusCode).toBe(200);
});

it('refuses the answer to another challenge', async () => {
  const first = await newOperator(app, 'reviewer', 'Bound');
  const id = await firstOf(first);
  const second = await newOperator(app, 'reviewer', 'Bound');
  const body = await second.confirm('passkey.remove', 'another');
  const reply = await second.call('POST /console/api/my-passkeys/:id/remove', { ids: [id], body });
  expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([403, 'passkey_refused']);
});

it('keeps one of two passkeys that remove each other concurrently', async () => {
  const first = await newOperator(app, 'reviewer', 'Two');
  const one = await firstOf(first);
  app.clock.advance(1_000);
  const second = await newOperator(app, 'reviewer', 'Two');
  const other = (await mine(second)).find(({ id }) => id !== one)!.id;
  const [byFirst, bySecond] = [
    await first.confirm('passkey.remove', other),
    await second.confirm('passkey.remove', one),
  ];
  await Promise.all([
    first.call('POST /console/api/my-passkeys/:id/remove', { ids: [other], body: byFirst }),
    second.call('POST /console/api/my-passkeys/:id/remove', { ids: [one], body: bySecond }),
  ]);
  expect((await find('Two')).passkeys).toHaveLength(1);
});

it("lets admins remove even an operator's only passkey, which then no longer signs in", async () => {
  const operator = await newOperator(app, 'developer', 'Robbed');
  const { id, passkeys } = await find('Robbed');
  expect((await removeTheirs(admin, id, passkeys[0]!.id)).statusCode).toBe(200);
  expect((await signIn(app, operator)).statusCode).toBe(403);
  expect(await statusOfMe(operator)).toBe(401);
  expect((await find('Robbed')).passkeys).toEqual([]);
  expect((await removeTheirs(admin, id, passkeys[0]!.id)).statusCode).toBe(404);
  const ada = await find('Ada');
  expect((await removeTheirs(admin, ada.id, ada.passkeys[0]!.id)).statusCode).toBe(400);
});

it("keeps an admin passkey when two admins remove each other's concurrently", async () => {
  const other = await newOperator(app, 'admin', 'Other');
  const [ada, others] = [await find('Ada'), await find('Other')];
  const [mineSays, theirsSay] = [
    await admin.confirm('passkey.remove', others.passkeys[0]!.id),
    await other.confirm('passkey.remove', ada.passkeys[0]!.id),
  ];
  const route = 'POST /console/api/operators/:id/passkeys/:passkeyId/remove';
  await Promise.all([
    admin.call(route, { ids: [others.id, others.passkeys[0]!.id], body: mineSays }),
    other.call(route, { ids: [ada.id, ada.passkeys[0]!.id], body: theirsSay }),
  ]);
  const left = (await app.operators.list()).filter(({ role, passkeys }) => role === 'admin' && passkeys > 0);
  expect(left).toHaveLength(1);
});

it("lists and removes passkeys on the command line, but keeps an admin's last one", async () => {
  const limen = (...args: string[]) => runLimenHere(['operators', ...args], { environment: storage.environment });
  const operator = await newOperator(app, 'reviewer', 'Katherine');
  const id = await firstOf(operator);
  expect((await limen('passkeys', 'Katherine')).stdout).toMatch(new RegExp(`^${id} .* never$`, 'm'));
  expect(JSON.parse((await limen('passkeys', 'Katherine', '--json')).stdout)).toMatchObject([{ id, usedAt: null }]);
  for (const nothing of ['nothing like it', '-begins-with-a-dash']) {
    const wrong = await limen('remove-passkey', 'Katherine', nothing);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('no such passkey')]);
  }
  expect((await limen('remove-passkey', 'Katherine', id.slice(0, 8))).code).toBe(0);
  expect(await statusOfMe(operator)).toBe(401);
  expect((await limen('passkeys', 'Katherine')).stdout).toContain('has no passkey');
  const auditor = await newOperator(app, 'auditor');
  const { lines } = (await auditor.call('GET /console/api/audit', { query: '?act=passkey.remove' })).json();
  expect(lines[0]).toMatchObject({ operator: 'command line', about: 'Katherine' });

  const admins = (await app.operators.list()).filter(({ role, passkeys }) => role === 'admin' && passkeys > 0);
  const outcomes: (number | null)[] = [];
  for (const { id: theirs, name } of admins) {
    for (const one of await app.operators.passkeysOf(theirs)) {
      outcomes.push((await limen('remove-passkey', name, one.id)).code);
    }
  }
  expect(outcomes.filter((code) => code === 1)).toHaveLength(1);
});
