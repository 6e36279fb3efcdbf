// Somebody who can write to the database edits or copies columns of devices, passkeys, tokens, sessions, webhooks, people, galleries,
// embeddings and API keys, one after another: no sign-in as another person, customer or world comes of it. A column that is new must be looked
// at here first.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { verifyWebhook } from '@limen/sdk';
import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthenticator } from '#testing/authenticator.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { openPeopleProcess, TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { addPerson, openTokenProcess, signIn } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../packages/token/testing/vectors.ts';
import { withDefaults } from './core/device-channel/channel-state.ts';
import { createChannelStore, type HeldBox } from './core/device-channel/store.ts';
import { createPasskeys } from './core/passkeys/passkeys.ts';
import { findRelyingParty } from './core/passkeys/relying-party.ts';
import { createPasskeyStore } from './core/passkeys/store.ts';
import { createPeopleStore } from './core/people/store/people-store.ts';
import { createProvisionalPeople } from './core/people/store/provisional-people.ts';
import { createPersonDevices } from './core/person-devices/person-devices.ts';
import { createPersonDeviceStore } from './core/person-devices/store.ts';
import { startReceiver } from './core/webhooks/testing/receiver.ts';
import { prepareWebhooks, settle } from './core/webhooks/testing/webhook-place.ts';
import { createEvidenceStore } from './features/verification-sessions/store.ts';
import { newVerificationHost, useVerificationApp } from './features/verification-sessions/testing/verification-app.ts';
import { openLocalKeyHolder } from './keyholder/testing/local-key-holder.ts';
import { createApiKeys } from './platform/api-keys/api-keys.ts';
import { isSameOwner, nameOf, ownerOf } from './platform/api-keys/owner.ts';
import { createApiKeyStore } from './platform/api-keys/store.ts';
import type { Database } from './platform/database/database.ts';
import { LAST_MIGRATION } from './platform/database/migrate.ts';
import { createIdempotency } from './platform/idempotency/idempotency.ts';
import { type CustomerId, createIds, named, type PersonId, type Puid, type SessionId } from './platform/ids.ts';
import { defineJob } from './platform/jobs/job.ts';
import { createJobs } from './platform/jobs/jobs.ts';
import { createJobStore } from './platform/jobs/store.ts';
import { openStorage, type Storage } from './platform/open-storage.ts';
import { checkMasterKey, rotateMasterKey } from './platform/sealing/keyring.ts';
import { acceptRow, findEditedRows } from './platform/sealing/sealed-tables.ts';
import { createXaes } from './platform/sealing/xaes-256-gcm.ts';

type Table =
  | 'person_devices'
  | 'passkeys'
  | 'tokens'
  | 'sessions'
  | 'people'
  | 'galleries'
  | 'embeddings'
  | 'api_keys'
  | 'webhook_deliveries';
type Row = Record<string, unknown>;

/** Every column of these tables. One that is missing here has not been thought about: see the top of the file. */
const COLUMNS: Record<Table, string[]> = {
  person_devices: [
    ...['id', 'customer', 'world', 'person_id', 'public_key', 'local_uses', 'vouched', 'provisional_session'],
    ...['created_at', 'last_used_at', 'mac'],
  ],
  passkeys: [
    ...['credential_id', 'customer', 'world', 'person_id', 'public_key', 'counter', 'transports', 'vouched'],
    ...['created_at', 'last_used_at', 'mac'],
  ],
  tokens: ['gallery_id', 'seq', 'id', 'person_id', 'epoch', 'sealed', 'created_at'],
  sessions: [
    ...[
      'id',
      'kind',
      'token_lookup',
      'customer',
      'world',
      'api_key_id',
      'state',
      'created_at',
      'expires_at',
      'ended_at',
    ],
    ...['purge_at', 'sealed', 'outcome', 'person_id'],
  ],
  people: [
    ...['id', 'gallery_id', 'puid', 'identifier_digest', 'enroll_level', 'created_at', 'provisional_session', 'mac'],
  ],
  galleries: [
    ...['id', 'customer', 'world', 'model_version', 'dimensions', 'guid', 'version', 'log_floor', 'people'],
    ...['embeddings', 'tokens', 'token_epoch', 'created_at', 'mac'],
  ],
  embeddings: ['gallery_id', 'seq', 'id', 'person_id', 'sealed', 'mac'],
  api_keys: [
    ...['id', 'lookup', 'sealed_key', 'kind', 'label', 'customer_id', 'api_id', 'usage_plan_id', 'product_code'],
    ...['status', 'client_id', 'client_secret_digest', 'when_created', 'last_updated', 'mac'],
  ],
  webhook_deliveries: [
    ...[
      'id',
      'customer',
      'world',
      'api_key_id',
      'session_id',
      'target',
      'state',
      'round',
      'attempts',
      'attempts_before',
    ],
    ...[
      'next_attempt_at',
      'last_attempt_at',
      'last_status',
      'last_error',
      'created_at',
      'ended_at',
      'purge_at',
      'sealed',
    ],
  ],
};
/** Of which no two rows can have the same: the other row goes. */
const UNIQUE = ['id', 'credential_id', 'seq', 'token_lookup', 'lookup'];
const OWNER = liveOwner('acme');
const OWNERS = [OWNER, liveOwner('another'), testOwner('acme')];
const ORIGIN = 'https://check.example';
const NO_LOG = pino({ level: 'silent' });

async function readRows(database: Database, table: Table): Promise<Row[]> {
  return (await database.queries.selectFrom(table).selectAll().execute()) as unknown as Row[];
}

async function writeRows(database: Database, table: Table, rows: readonly Row[]): Promise<void> {
  await database.transact(async (trx) => {
    await trx.deleteFrom(table).execute();
    for (const row of rows)
      await trx
        .insertInto(table)
        .values(row as never)
        .execute();
  });
}

/** Something else of the same kind, for columns in which both rows have the same. */
function another(value: unknown, column: string): unknown {
  if (column === 'world') return value === 'live' ? 'test' : 'live';
  if (typeof value === 'number') return value === 0 ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value).reverse();
  return column === 'provisional_session' || value === null ? 'another' : `${value}x`;
}

/** Plays `attempt` after each edit of either row's column, by the value of the other row or by one that is made up. */
async function walk(
  database: Database,
  table: Table,
  pick: (rows: Row[]) => [Row, Row],
  attempt: (edit: string, edited: Row) => Promise<void>,
): Promise<void> {
  const before = await readRows(database, table);
  const [victim, thief] = pick(before);
  expect(Object.keys(victim).sort()).toEqual([...COLUMNS[table]].sort());
  for (const column of COLUMNS[table]) {
    for (const [into, from] of [
      [victim, thief],
      [thief, victim],
    ] as const) {
      const isSame = isDeepStrictEqual(into[column], from[column]);
      const edited = { ...into, [column]: isSame ? another(into[column], column) : from[column] };
      const others = before.filter((row) => row !== into && !(UNIQUE.includes(column) && row === from));
      const hasRoom = await writeRows(database, table, [...others, edited]).then(
        () => true,
        () => false, // the database itself does not take it
      );
      if (hasRoom) await attempt(`${column} of the ${into === victim ? 'victim' : 'thief'}`, edited);
      await writeRows(database, table, before);
    }
  }
}

/**
 * The same for rows that others hang on: they cannot be taken out, so values are exchanged where they are. Ids stay, because the
 * database itself keeps them; at last each row gets everything of the other but the id. `spare` has values for columns in which
 * both have the same and nothing can be made up.
 */
async function walkInPlace(
  database: Database,
  table: 'people' | 'galleries',
  ids: readonly [string, string],
  spare: Row,
  attempt: (edit: string, editedIds: readonly string[]) => Promise<void>,
): Promise<void> {
  const rows = await readRows(database, table);
  const pair = ids.map((id) => rows.find((row) => row['id'] === id)!);
  expect(Object.keys(pair[0]!).sort()).toEqual([...COLUMNS[table]].sort());
  const columns = COLUMNS[table].filter((column) => column !== 'id');
  const set = (id: unknown, values: Row) =>
    database.queries
      .updateTable(table)
      .set(values as never)
      .where('id', '=', id as string)
      .execute();
  // What must be unique is out of the way first.
  const write = async (edited: readonly Row[]) => {
    for (const { id } of pair)
      await set(id, table === 'people' ? { puid: `x${id}` } : { guid: `x${id}`, world: `x${id}` });
    for (const { id, ...values } of edited) await set(id, values);
  };
  for (const column of columns) {
    for (const [at, into] of pair.entries()) {
      const other = pair[1 - at]!;
      const isSame = isDeepStrictEqual(into[column], other[column]);
      const edited = { ...into, [column]: isSame ? (spare[column] ?? another(into[column], column)) : other[column] };
      // Of two with the same the database takes none: then they are exchanged.
      const isExchanged = !isSame && ['puid', 'guid', 'customer', 'world'].includes(column);
      const kept = isExchanged ? { ...other, [column]: into[column] } : other;
      await write([edited, kept]);
      const editedIds = isExchanged ? ids : [into['id'] as string];
      await attempt(`${table}.${column} of ${at === 0 ? 'the first' : 'the second'}`, editedIds);
      await write(pair);
    }
  }
  await write([{ ...pair[1], id: ids[0] } as Row, { ...pair[0], id: ids[1] } as Row]);
  await attempt(`everything of ${table} but the id`, ids);
  await write(pair);
}

async function open() {
  const place = await createTestDatabase();
  const clock = createManualClock();
  const ids = createIds(clock);
  const { database, sealer } = await openStorage({ ...place, masterKey: TEST_MASTER_KEY, clock, ids });
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const [victim, thief] = [
    await insertPerson({ database, sealer, ids }, OWNER),
    await insertPerson({ database, sealer, ids }, OWNER),
  ];
  return { database, sealer, clock, ids, victim, thief };
}

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  return {
    point,
    sign: (text: string) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}

describe('an edited row', () => {
  it('of devices makes no key speak for another person, no device vouched for, and no sign-in more', async () => {
    const { database, sealer, clock, ids, victim, thief } = await open();
    const devices = createPersonDevices({
      database,
      store: createPersonDeviceStore(database, sealer, NO_LOG),
      clock,
      ids,
    });
    const keys = [makeKey(), makeKey()] as const;
    const bind = async (personId: PersonId, key: { point: Buffer }, vouched: 0 | 1) => {
      clock.advance(1);
      const session = ids.random<SessionId>();
      const deviceId = await devices.propose({ owner: OWNER, personId, publicKey: key.point, session });
      await database.transact((trx) => devices.confirm(trx, session, { personId, deviceId, vouched }));
      return deviceId;
    };
    const deviceIds = [await bind(victim, keys[0], 1), await bind(thief, keys[1], 0)];
    expect(await devices.countLocalUse(deviceIds[0]!, 1)).toBe(true);
    const statement = { word: 'signIn', sessionId: 's', nonce: 'n', planText: 'plan' } as const;
    const planHash = createHash('sha256').update(statement.planText).digest('hex');
    const textFor = (deviceId: string) => ['limen-device-sign-in-v1', 's', 'n', planHash, deviceId].join('\n');
    const signedBy = (key: (typeof keys)[number], deviceId: string) => key.sign(textFor(deviceId));
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find((row) => row['person_id'] === victim)!,
      rows.find((row) => row['person_id'] === thief)!,
    ];
    const own = { ...statement, deviceId: deviceIds[1]! };
    expect(await devices.verify(OWNER, own, signedBy(keys[1], own.deviceId))).toMatchObject({ personId: thief });
    await walk(database, 'person_devices', pick, async (edit, edited) => {
      const id = edited['id'] as string;
      for (const owner of OWNERS) expect(await devices.find(owner, id), edit).toBeUndefined();
      for (const deviceId of deviceIds) {
        const asked = { ...statement, deviceId };
        for (const owner of OWNERS) {
          const found = await devices.verify(owner, asked, signedBy(keys[1], deviceId));
          expect(found?.personId, edit).not.toBe(victim);
        }
      }
      expect(await devices.countLocalUse(id, 10), edit).toBe(false);
      await database.transact(async (trx) => {
        for (const person of [victim, thief]) {
          await devices.vouch(trx, person, id, 2);
          expect(await devices.voucherOf(trx, person, id), edit).toBe(0);
        }
      });
    });

    // Noted for the victim by a session that has not ended well, and bound by hand.
    const noted = await devices.propose({
      owner: OWNER,
      personId: victim,
      publicKey: keys[1].point,
      session: named('open'),
    });
    await database.queries
      .updateTable('person_devices')
      .set({ provisional_session: null })
      .where('id', '=', noted)
      .execute();
    expect(await devices.find(OWNER, noted)).toBeUndefined();
  });

  it('of passkeys makes no authenticator speak for another person, and none vouched for', async () => {
    const { database, sealer, clock, victim, thief } = await open();
    const unset = { PASSKEY_RP_ID: undefined, PASSKEY_ORIGIN: undefined };
    const relyingParty = () => findRelyingParty(unset, new URL(`${ORIGIN}/launch`));
    const store = createPasskeyStore(database, sealer, NO_LOG);
    const passkeys = createPasskeys({ store, sealer, relyingParty, clock, log: NO_LOG });
    const authenticators = [
      createAuthenticator(ORIGIN, { counts: true }),
      createAuthenticator(ORIGIN, { counts: true }),
    ];
    for (const [at, personId] of [victim, thief].entries()) {
      clock.advance(1);
      const binding = { sessionId: 's', nonce: 'n', attempt: at };
      const options = await passkeys.registrationOptions(binding, { personId, requester: null });
      const made = await passkeys.verifyRegistration(binding, personId, authenticators[at]!.create(options));
      const differing = { ...made!, counter: 5 * at, transports: [['usb'], ['nfc']][at]! };
      await database.transact((trx) => passkeys.add(trx, { owner: OWNER, personId }, differing, at === 0 ? 1 : 0));
    }
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find((row) => row['person_id'] === victim)!,
      rows.find((row) => row['person_id'] === thief)!,
    ];
    let attempt = 0;
    await walk(database, 'passkeys', pick, async (edit, edited) => {
      const id = edited['credential_id'] as string;
      for (const owner of OWNERS) {
        expect(await store.find(owner, id), edit).toBeUndefined();
        attempt += 1;
        const binding = { sessionId: 's', nonce: 'n', attempt };
        const answer = authenticators[1]!.get(await passkeys.assertionOptions(binding));
        const found = await passkeys.verifyAssertion(binding, owner, answer);
        expect(found?.personId, edit).not.toBe(victim);
      }
      await database.transact(async (trx) => {
        for (const person of [victim, thief]) expect(await passkeys.voucherOf(trx, person, id), edit).toBe(0);
      });
    });
  });

  it('of tokens lets nobody’s face be taken for another’s', async () => {
    const place = await createTestDatabase();
    const keyHolder = await openLocalKeyHolder({ clock: createManualClock() });
    onTestFinished(async () => {
      await keyHolder.close();
      await place.dispose();
    });
    const first = await openTokenProcess(place, { keyHolder });
    const faces = [randomVector(), randomVector()];
    const [victim, thief] = [await addPerson(first, faces[0]!), await addPerson(first, faces[1]!)];
    expect(await signIn(first, faces[1]!)).toMatchObject({ personId: thief.personId });
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find((row) => row['person_id'] === victim.personId)!,
      rows.find((row) => row['person_id'] === thief.personId)!,
    ];
    await walk(first.database, 'tokens', pick, async (edit) => {
      const fresh = await openTokenProcess(place, { keyHolder }); // its memory is filled from the edited rows
      const found = await signIn(fresh, faces[1]!);
      expect(found.kind === 'match' && found.personId === victim.personId, edit).toBe(false);
    });
  });
});

describe('an edited row of a person or a gallery', () => {
  it('lets no face, device or passkey speak for somebody else, nor for anybody of another customer or world', async () => {
    const place = await createTestDatabase();
    const keyHolder = await openLocalKeyHolder({ clock: createManualClock() });
    onTestFinished(async () => {
      await keyHolder.close();
      await place.dispose();
    });
    const process = await openTokenProcess(place, { keyHolder });
    const { database, tokens } = process;
    const faces = [randomVector(), randomVector(), randomVector()];
    const owners = [OWNER, OWNER, testOwner('acme')];
    const people: Awaited<ReturnType<typeof addPerson>>[] = [];
    for (const [at, face] of faces.entries()) people.push(await addPerson(process, face, owners[at]));
    const galleryOf = async ({ personId }: { personId: PersonId }) =>
      (await readRows(database, 'people')).find(({ id }) => id === personId)!['gallery_id'] as string;
    const galleries = [await galleryOf(people[0]!), await galleryOf(people[1]!), await galleryOf(people[2]!)];

    const expectOwnNames = async (edit: string, areEdited: (at: number) => boolean) => {
      for (const [at, { personId, puid, guid }] of people.entries()) {
        const own = { personId, puid, guid };
        for (const owner of OWNERS) {
          const expected = isSameOwner(owner, owners[at]!) && !areEdited(at) ? own : undefined;
          expect(await tokens.findPersonById(owner, personId), edit).toEqual(expected);
          expect(await tokens.findPerson(owner, puid), edit).toEqual(expected);
          expect(await process.people.remove(owner, named(`${puid}x`)), edit).toBe(false);
        }
      }
    };
    await expectOwnNames('nothing', () => false);
    await walkInPlace(
      database,
      'people',
      [people[0]!.personId, people[1]!.personId],
      { gallery_id: galleries[2] },
      async (edit, editedIds) => {
        await expectOwnNames(edit, (at) => editedIds.includes(people[at]!.personId));
        for (const id of editedIds)
          expect(await database.transact((trx) => tokens.hold(trx, named(id))), edit).toBe(false);
        if (!edit.includes('puid') && !edit.includes('everything')) return;
        for (const face of [faces[0]!, faces[1]!])
          expect(await signIn(process, face), edit).toEqual({ kind: 'no_match' });
      },
    );
    await walkInPlace(database, 'galleries', [galleries[0]!, galleries[2]!], {}, async (edit, editedIds) => {
      await expectOwnNames(edit, (at) => editedIds.includes(galleries[at]!));
    });
    for (const [at, { puid }] of people.entries()) {
      expect(await signIn(process, faces[at]!, undefined, owners[at])).toMatchObject({ puid });
    }
    // It is said which row it is, and nothing of what is in it.
    expect(process.logged()).toContain(`"table":"people","row":"${people[0]!.personId}"`);
    expect(process.logged()).toContain('was edited in the database and counts as absent');
    for (const { puid } of people) expect(process.logged()).not.toContain(puid);
  });

  it('gives no face of the biometric node another name, customer or world', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const { database, people, logged } = await openPeopleProcess(place);
    const modelVersion = 'FACE3_1';
    const faces = [0, 1, 2].map((at) => Float32Array.from({ length: 128 }, (_, i) => (i === at ? 1 : 0)));
    const owners = [OWNER, OWNER, testOwner('acme')];
    const names: { personId: PersonId; puid: Puid; guid: string }[] = [];
    for (const [at, face] of faces.entries()) {
      const { personId, puid, guid } = await people.enrol({ owner: owners[at]!, modelVersion, vectors: [face] });
      names.push({ personId, puid, guid });
    }
    const rows = await readRows(database, 'people');
    const galleries = names.map(({ personId }) => rows.find(({ id }) => id === personId)!['gallery_id'] as string);
    type Node = Pick<typeof people, 'identify'>;
    const expectOwnNames = async (node: Node, edit: string, isAway: (at: number) => boolean | 'perhaps') => {
      for (const [at, vector] of faces.entries()) {
        for (const owner of OWNERS) {
          const { guid, matches } = await node.identify({ owner, modelVersion, vector, k: 5 });
          const found = matches.map(({ puid }) => ({ puid, guid }));
          const own = [{ puid: names[at]!.puid, guid: names[at]!.guid }];
          const away = isSameOwner(owner, owners[at]!) ? isAway(at) : true;
          if (away === 'perhaps' && found.length > 0) expect(found, edit).toEqual(own);
          else expect(found, edit).toEqual(away ? [] : own);
        }
      }
    };
    await expectOwnNames(people, 'nothing', () => false);
    await walkInPlace(
      database,
      'people',
      [names[0]!.personId, names[1]!.personId],
      { gallery_id: galleries[2] },
      async (edit, editedIds) => {
        await expectOwnNames(people, edit, (at) => editedIds.includes(names[at]!.personId));
      },
    );
    await walkInPlace(database, 'galleries', [galleries[0]!, galleries[2]!], {}, async (edit, editedIds) => {
      await expectOwnNames(people, edit, (at) => editedIds.includes(galleries[at]!));
    });
    const pick = (all: Row[]): [Row, Row] => [
      all.find((row) => row['person_id'] === names[0]!.personId)!,
      all.find((row) => row['person_id'] === names[1]!.personId)!,
    ];
    await walk(database, 'embeddings', pick, async (edit) => {
      const fresh = await openPeopleProcess(place); // its memory is filled from the edited rows
      for (const node of [people, fresh.people]) await expectOwnNames(node, edit, (at) => (at < 2 ? 'perhaps' : false));
    });
    expect(logged()).toContain('was edited in the database and counts as absent');
    for (const { puid } of names) expect(logged()).not.toContain(puid);
  });

  it('is found among all rows, behind the first thousand too', async () => {
    const { database, sealer, victim } = await open();
    const [{ gallery_id: galleryId }] = (await readRows(database, 'people')) as [{ gallery_id: string }];
    const store = createPeopleStore(database, sealer, NO_LOG);
    const faces = Array.from({ length: 1_001 }, (_, seq) => ({ seq, id: `e${seq}`, sealed: Buffer.of(1) }));
    await database.transact((trx) => store.insertEmbeddings(trx, galleryId, victim, faces));
    const rows = 1_001 + (await readRows(database, 'people')).length + (await readRows(database, 'galleries')).length;
    expect(await findEditedRows(database.queries, sealer)).toEqual({ looked: rows, edited: [], isWhole: true });
    await database.queries.updateTable('embeddings').set({ seq: 5_000 }).where('seq', '=', 1_000).execute();
    expect(await findEditedRows(database.queries, sealer)).toMatchObject({
      edited: [{ table: 'embeddings', id: 'e1000', columns: { seq: 5_000, person_id: victim } }],
    });
    expect(await acceptRow(database, sealer, 'embeddings', 'e1000')).toBe(true);
    expect((await findEditedRows(database.queries, sealer)).edited).toEqual([]);
  });
});

describe('a person whose row or gallery was edited', () => {
  it('is deleted all the same, with their face, by whom the columns name; and nothing gets a seal by it', async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const { database, people, store } = await openPeopleProcess(place);
    const modelVersion = 'FACE3_1';
    const face = Float32Array.from({ length: 128 }, (_, i) => (i === 0 ? 1 : 0));
    const edits: [table: 'people' | 'galleries', changes: Row][] = [
      ['people', { created_at: 5 }],
      ['people', { enroll_level: 7 }],
      ['people', { provisional_session: 'another' }],
      ['people', { mac: Buffer.alloc(32) }],
      ['galleries', { embeddings: 7 }],
      ['galleries', { version: 0 }],
    ];
    for (const [table, changes] of edits) {
      const edit = `${table} ${JSON.stringify(changes)}`;
      const { puid, personId } = await people.enrol({ owner: OWNER, modelVersion, vectors: [face] });
      const [before] = await readRows(database, table);
      const id = before!['id'] as string;
      const set = (values: Row) =>
        database.queries
          .updateTable(table)
          .set(values as never)
          .where('id', '=', id)
          .execute();
      await set(changes);
      for (const owner of OWNERS.slice(1)) expect(await people.remove(owner, puid), edit).toBe(false);
      expect(await people.remove(OWNER, puid), edit).toBe(true);
      expect(await people.remove(OWNER, puid), edit).toBe(false);
      for (const rows of [await readRows(database, 'people'), await readRows(database, 'embeddings')])
        expect(rows, edit).toEqual([]);
      expect(personId).toBeDefined();
      const gallery = await store.findGallery(OWNER, modelVersion, face.length);
      if (table === 'people') expect(gallery, edit).toMatchObject({ people: 0, embeddings: 0 });
      else expect(gallery, edit).toBeUndefined();
      if (table === 'galleries') await set(before!);
    }
  });

  it('goes with the session that was enrolling them', async () => {
    const { database, sealer, clock, victim } = await open();
    const store = createPeopleStore(database, sealer, NO_LOG);
    const [{ gallery_id: galleryId }] = (await readRows(database, 'people')) as [{ gallery_id: string }];
    const settleTokens = async () => {};
    const provisional = createProvisionalPeople({ database, store, clock, settleTokens });
    const rest = { identifierDigest: null, enrollLevel: 0, createdAt: 1, provisionalSession: named<SessionId>('s') };
    await database.transact((trx) =>
      store.insertPerson(trx, { id: named('new'), galleryId, puid: named('new'), ...rest }),
    );
    await database.queries
      .updateTable('people')
      .set({ created_at: 5 })
      .where('id', '=', named<PersonId>('new'))
      .execute();
    // Who was confirmed stays, also in a gallery that was edited.
    await database.transact((trx) => store.joinEnrolment(trx, victim, named('s'), 1));
    await database.queries.updateTable('galleries').set({ people: 7 }).execute();
    await database.transact((trx) => provisional.discard(trx, named('s')));
    const left = (await readRows(database, 'people')).map(({ id }) => id);
    expect([left.includes('new'), left.includes(victim)]).toEqual([false, true]);
  });

  it('does not keep the face token', async () => {
    const place = await createTestDatabase();
    const keyHolder = await openLocalKeyHolder({ clock: createManualClock() });
    onTestFinished(async () => {
      await keyHolder.close();
      await place.dispose();
    });
    const process = await openTokenProcess(place, { keyHolder });
    const { puid } = await addPerson(process, randomVector());
    await process.database.queries.updateTable('people').set({ created_at: 5 }).execute();
    expect(await process.people.remove(OWNER, puid)).toBe(true);
    for (const table of ['people', 'tokens'] as const) expect(await readRows(process.database, table)).toEqual([]);
  });
});

describe('an edited row of an API key', () => {
  it('opens nothing: no other world, no other customer, not after it was revoked, not with other credentials', async () => {
    const { database, sealer, clock, ids } = await open();
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const store = createApiKeyStore(database, sealer, log);
    const apiKeys = createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys: true });
    const texts = (word: string) => ({ label: word, apiId: word, usagePlanId: word, productCode: word });
    const make = async (kind: 'live' | 'test', customerId: string) => {
      clock.advance(1);
      return apiKeys.create({ ...texts(customerId), kind, customerId, clientCredentials: true });
    };
    const [victim, thief, revoked] = [
      await make('live', 'acme'),
      await make('test', 'thief'),
      await make('live', 'old'),
    ];
    await apiKeys.revoke(revoked.record.id);
    const keys = [victim, thief];
    const expectUnmoved = async (edit: string, isWhole: (id: string) => boolean) => {
      for (const { record, apiKey } of keys) {
        expect(await apiKeys.authenticate(apiKey), edit).toEqual(isWhole(record.id) ? record : undefined);
        for (const other of keys) {
          const { clientId, clientSecret } = other;
          const isOwn = other.record.id === record.id;
          expect(await apiKeys.clientMatches(record, clientId!, clientSecret!), edit).toBe(isOwn && isWhole(record.id));
        }
      }
      expect(await apiKeys.authenticate(revoked.apiKey), edit).toBeUndefined();
    };
    await expectUnmoved('nothing', () => true);
    const before = new Map((await readRows(database, 'api_keys')).map((row) => [row['id'] as string, row]));
    const rowOf = (rows: Row[], { record }: typeof victim) => rows.find(({ id }) => id === record.id)!;
    for (const second of [thief, revoked]) {
      const pick = (rows: Row[]): [Row, Row] => [rowOf(rows, victim), rowOf(rows, second)];
      await walk(database, 'api_keys', pick, async (edit) => {
        const there = await readRows(database, 'api_keys');
        await expectUnmoved(edit, (id) =>
          isDeepStrictEqual(
            there.find((row) => row['id'] === id),
            before.get(id),
          ),
        );
      });
    }
    // What was edited does not become whole by being revoked.
    await sql`update api_keys set kind = 'live' where id = ${thief.record.id}`.execute(database.queries);
    await apiKeys.revoke(thief.record.id);
    await sql`update api_keys set status = 'active' where id = ${thief.record.id}`.execute(database.queries);
    expect(await apiKeys.authenticate(thief.apiKey)).toBeUndefined();
    expect(lines.join('')).toContain(`"table":"api_keys","row":"${victim.record.id}"`);
    for (const { apiKey } of keys) expect(lines.join('')).not.toContain(apiKey);
  });
});

describe('an edited webhook', () => {
  it('is not signed with the key of another customer or world', async () => {
    const place = await prepareWebhooks();
    const { database, clock, apiKeys } = place;
    const process = place.start();
    const receiver = await startReceiver(() => 200);
    const bank = await apiKeys.create({ kind: 'live', customerId: 'bank', clientCredentials: false });
    const own = { owner: ownerOf(bank.record), apiKeyId: bank.record.id };
    await process.write({ ...own, url: receiver.url, sessionId: 'of the bank', body: { who: 'bank' } });
    await process.write({ url: receiver.url, sessionId: 'of the thief', body: { who: 'thief' } });
    const jobs = await database.queries.selectFrom('jobs').selectAll().execute();
    /** Whose bodies went out, each under the key of its owner. */
    const send = async (edit: string): Promise<string[]> => {
      const before = receiver.received.length;
      await database.queries.deleteFrom('jobs').execute();
      await database.queries.insertInto('jobs').values(jobs).execute();
      await settle(process);
      const sent = receiver.received.slice(before);
      return Promise.all(
        sent.map(async ({ body, headers }) => {
          const { who } = JSON.parse(body) as { who: string };
          const { apiKey } = who === 'bank' ? bank : place.key;
          await expect(verifyWebhook(body, headers, apiKey, { now: clock.now }), edit).resolves.toBeDefined();
          return who;
        }),
      );
    };
    const before = await readRows(database, 'webhook_deliveries');
    expect((await send('nothing')).sort()).toEqual(['bank', 'thief']);
    await writeRows(database, 'webhook_deliveries', before);
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find(({ customer }) => customer === 'bank')!,
      rows.find(({ customer }) => customer !== 'bank')!,
    ];
    const bound = ['id', 'customer', 'world', 'api_key_id', 'session_id', 'sealed'];
    await walk(database, 'webhook_deliveries', pick, async (edit) => {
      const sent = await send(edit);
      if (bound.some((column) => edit.startsWith(`${column} `)))
        expect(sent, edit).not.toContain(edit.endsWith('victim') ? 'bank' : 'thief');
    });
    // Everything that says whose it is, at once.
    const [victim, thief] = pick(before);
    const { id, sealed } = thief;
    await writeRows(database, 'webhook_deliveries', [{ ...victim, id, sealed }]);
    expect(await send('the owner')).toEqual([]);
    expect(place.logged()).toContain('a sealed webhook does not open');
  });

  it('whose key is not its owner’s is not sent, whatever it is sealed for', async () => {
    const { apiKeys, key } = await prepareWebhooks();
    const owner = ownerOf(key.record);
    expect(await apiKeys.reveal(key.record.id, owner)).toBe(key.apiKey);
    for (const other of [liveOwner(owner.customer), testOwner('another')])
      expect(await apiKeys.reveal(key.record.id, other)).toBeUndefined();
  });
});

describe('a sealed value that was copied to another row', () => {
  it('does not open there: channels, boxes, evidence, selfies, replies and jobs', async () => {
    const { database, sealer, clock, ids } = await open();
    const channels = createChannelStore(database, sealer);
    const evidence = createEvidenceStore(database, sealer);
    const idempotency = createIdempotency({ database, sealer, clock });
    const request = (key: string) => ({ operation: 'op', owner: nameOf(OWNER), key, content: {} });
    const jobs = createJobs({ database, store: createJobStore(database), sealer, clock, ids, log: NO_LOG });
    const ran: unknown[] = [];
    const job = defineJob<string>('copied', { maxAttempts: 1 });
    jobs.handle(job, async (payload) => void ran.push(payload));
    const sessions = [named<SessionId>('victim'), named<SessionId>('thief')];
    for (const session of sessions) {
      await insertSession(database, session);
      await database.transact(async (trx) => {
        const state = withDefaults({});
        await channels.toInsert(session, state)(trx);
        const box = { expiresAt: clock.now() + 1_000 } as HeldBox;
        await channels.toUpdate(
          session,
          { state, revision: 1 },
          { ...state, holdsBox: true } as typeof state,
          box,
        )(trx);
        await evidence.save(trx, session, {} as never);
        await evidence.saveSelfie(trx, session, 'nonce', Buffer.from(session));
        await idempotency.remember(trx, request(session), session, session);
        await jobs.enqueue(trx, job, session);
      });
    }
    const looks: Record<string, (session: SessionId) => Promise<unknown>> = {
      'device_channels.sealed': channels.find,
      'handoff_boxes.sealed': (session) => channels.findBox(session, clock.now()),
      'session_evidence.sealed': (session) => evidence.find(session),
      'session_selfies.sealed': (session) => database.transact((trx) => evidence.findSelfie(trx, session, 'nonce')),
      'idempotency_keys.reply': (session) => idempotency.find(request(session)),
    };
    for (const [place, look] of Object.entries(looks)) {
      for (const session of sessions) expect(await look(session), place).toBeDefined();
      const [table, column] = place.split('.') as [string, string];
      const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(database.queries);
      const key = table === 'idempotency_keys' ? 'key_digest' : 'session_id';
      for (const [at, row] of rows.entries()) {
        const other = rows[1 - at]![column];
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${other} where ${sql.ref(key)} = ${row[key]}`.execute(
          database.queries,
        );
      }
      for (const session of sessions) await expect(look(session), place).rejects.toThrow();
    }
    const [one, two] = await database.queries.selectFrom('jobs').selectAll().execute();
    for (const [{ id }, { payload }] of [
      [one!, two!],
      [two!, one!],
    ] as const)
      await database.queries.updateTable('jobs').set({ payload }).where('id', '=', id).execute();
    while ((await jobs.runDue()) > 0);
    expect(ran).toEqual([]);
  });

  it('of a box does not outlive its time where the column says so', async () => {
    const { database, sealer, clock } = await open();
    const channels = createChannelStore(database, sealer);
    await insertSession(database, 's');
    const state = withDefaults({});
    const box = { expiresAt: clock.now() + 1_000 } as HeldBox;
    await database.transact(async (trx) => {
      await channels.toInsert(named('s'), state)(trx);
      await channels.toUpdate(
        named('s'),
        { state, revision: 1 },
        { ...state, holdsBox: true } as typeof state,
        box,
      )(trx);
    });
    await database.queries
      .updateTable('handoff_boxes')
      .set({ expires_at: clock.now() + 9_000 })
      .execute();
    expect(await channels.findBox(named('s'), clock.now())).toBeDefined();
    expect(await channels.findBox(named('s'), clock.now() + 1_000)).toBeUndefined();
  });

  async function insertSession({ queries }: Database, id: string): Promise<void> {
    const times = { created_at: 1, expires_at: 2, ended_at: null, purge_at: null };
    const rest = { state: 'created', sealed: Buffer.of(1), outcome: null, person_id: null } as const;
    await queries
      .insertInto('sessions')
      .values({
        id: named<SessionId>(id),
        kind: 'age',
        token_lookup: Buffer.from(id),
        customer: named<CustomerId>('acme'),
        world: 'live',
        api_key_id: 'k',
        ...times,
        ...rest,
      })
      .execute();
  }
});

describe('edited rows without a seal', () => {
  const [AT_REST, SEALED_PEOPLE] = [
    { migration: '0009-at-rest', tables: ['person_devices', 'passkeys'] },
    { migration: '0012-sealed-people', tables: ['api_keys', 'galleries', 'people', 'embeddings'] },
  ];

  /** A database with an API key that was edited. */
  async function openEdited() {
    const place = await createTestDatabase();
    const clock = createManualClock();
    const ids = createIds(clock);
    const start = () => openStorage({ ...place, masterKey: TEST_MASTER_KEY, clock, ids });
    const { database, sealer, keyring } = await start();
    onTestFinished(async () => {
      await database.close();
      await place.dispose();
    });
    const keysOf = (opened: Pick<Storage, 'database' | 'sealer'>) => {
      const store = createApiKeyStore(opened.database, opened.sealer, NO_LOG);
      return createApiKeys({ store, sealer: opened.sealer, clock, ids, allowDevelopmentKeys: true });
    };
    const wanted = { kind: 'test', customerId: 'thief', clientCredentials: false } as const;
    const { apiKey } = await keysOf({ database, sealer }).create(wanted);
    await database.queries.updateTable('api_keys').set({ customer_id: 'bank', kind: 'live' }).execute();
    return { database, keyring, start, keysOf, apiKey };
  }

  async function takeSealsAway({ queries, engine }: Database, { migration, tables }: typeof AT_REST): Promise<void> {
    for (const table of tables) {
      if (engine === 'sqlite') await sql`drop trigger if exists ${sql.id(`${table}_have_seals`)}`.execute(queries);
      await queries.schema.alterTable(table).dropColumn('mac').execute();
    }
    await queries.deleteFrom('schema_migrations').where('name', '>=', migration).execute();
  }

  it.each([AT_REST, SEALED_PEOPLE])('get none by having $migration run once more', async (given) => {
    const { database, keyring, start } = await openEdited();
    await takeSealsAway(database, given);
    const refusal = `The keyring says that migration ${given.migration} was applied`;
    await expect(start()).rejects.toThrow(refusal);
    await expect(start()).rejects.toThrow(refusal);
    // What the keyring knows goes along to another master key.
    const masterKey = Buffer.alloc(32, 9);
    await rotateMasterKey(keyring, masterKey);
    expect(await checkMasterKey({ ...keyring, masterKey })).toBe(LAST_MIGRATION);
  });

  it('get none by taking the keyring away, the look-up key alone or all of it', async () => {
    const { database, start } = await openEdited();
    await takeSealsAway(database, SEALED_PEOPLE);
    await database.queries.deleteFrom('data_keys').where('purpose', '=', 'lookup').execute();
    await expect(start()).rejects.toThrow('lost its look-up key');
    await database.queries.deleteFrom('data_keys').execute();
    await expect(start()).rejects.toThrow('lost its look-up key');
  });

  it('are of no use with a new keyring', async () => {
    const { database, start, keysOf, apiKey } = await openEdited();
    await database.queries.deleteFrom('data_keys').execute();
    const again = await start();
    onTestFinished(() => again.database.close());
    expect(await keysOf(again).authenticate(apiKey)).toBeUndefined();
  });

  it('get one from the first start of this version on an earlier database, and none from the next', async () => {
    const { database, start, keysOf, apiKey } = await openEdited();
    const ofLookup = database.queries.selectFrom('data_keys').selectAll().where('purpose', '=', 'lookup');
    const { id, wrapped } = await ofLookup.executeTakeFirstOrThrow();
    const header = Buffer.from(wrapped.subarray(0, 9));
    const context = Buffer.concat([header, Buffer.from(`data_keys/wrapped/${id}/lookup`)]);
    const xaes = createXaes(TEST_MASTER_KEY);
    const key = xaes.open(wrapped.subarray(9), context).subarray(0, 32);
    const asBefore = Buffer.concat([header, xaes.seal(key, context)]);
    await database.queries.updateTable('data_keys').set({ wrapped: asBefore }).where('id', '=', id).execute();
    await takeSealsAway(database, SEALED_PEOPLE);
    const first = await start();
    expect(await keysOf(first).authenticate(apiKey)).toMatchObject({ customer_id: 'bank' });
    await first.database.close();
    await takeSealsAway(database, SEALED_PEOPLE);
    await expect(start()).rejects.toThrow('The keyring says');
  });
});

describe('an edited session', () => {
  const room = useVerificationApp();

  it('does not end well by columns of one that was simulated, taken alone or all together', async () => {
    const live = await newVerificationHost(room, 'live', 'acme');
    const test = await newVerificationHost(room, 'test', 'acme');
    const puid = crypto.randomUUID();
    const open_ = await live.start('SIGN-IN');
    const simulated = await test.start('SIGN-IN');
    await test.call('POST', `/v2/verification-session/${simulated}/simulate`, { outcome: 'success', puid });
    expect((await test.result(simulated)).body).toMatchObject({ status: 'SUCCESS', puid });

    const storage = await openStorage({
      ...room.storage,
      masterKey: undefined,
      clock: room.clock,
      ids: createIds(room.clock),
    });
    onTestFinished(() => storage.database.close());
    const { database } = storage;
    const expectNoSuccess = async (edit: string) => {
      for (const id of [open_, simulated]) expect((await live.result(id)).body.status, edit).not.toBe('SUCCESS');
    };
    const pick = (rows: Row[]): [Row, Row] => [
      rows.find(({ id }) => id === open_)!,
      rows.find(({ id }) => id === simulated)!,
    ];
    await walk(database, 'sessions', pick, expectNoSuccess);

    const rows = await readRows(database, 'sessions');
    const [victim, thief] = pick(rows);
    await writeRows(database, 'sessions', [{ ...thief, id: open_ }]);
    await expectNoSuccess('everything but the id');
    await writeRows(database, 'sessions', [
      { ...thief, customer: victim['customer'], world: victim['world'], api_key_id: victim['api_key_id'] },
    ]);
    await expectNoSuccess('the owner');
    await writeRows(database, 'sessions', rows);
    await sql`update sessions set state = 'completed' where id = ${open_}`.execute(database.queries);
    await expectNoSuccess('the state alone');
  });
});
