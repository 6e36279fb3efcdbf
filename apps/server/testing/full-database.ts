// A database with a value in every sealed column and a row in every sealed table.
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { expect } from 'vitest';
import { runToolHere } from '../../../tools/testing/run-tool-here.ts';
import { createOperatorSessions } from '../src/console/operators/sessions.ts';
import { createOperatorStore } from '../src/console/operators/store.ts';
import { createBlockStore } from '../src/faces/tokens/blocks/store.ts';
import { createTokenSeal } from '../src/faces/tokens/seal.ts';
import { formatOwner } from '../src/platform/api-keys/owner.ts';
import type { Clock } from '../src/platform/base/clock.ts';
import { createIds, type SessionId } from '../src/platform/base/ids.ts';
import type { Schema } from '../src/platform/database/schema.ts';
import { Idempotency } from '../src/platform/idempotency/idempotency.ts';
import { createRowSeal, type SealedRow } from '../src/platform/sealing/row-seal.ts';
import type { Storage } from '../src/platform/storage.ts';
import { tables } from '../src/screening/tables.ts';
import { createWalletLinkStore, type OpenLink } from '../src/sessions/age/device/wallet-link-store.ts';
import { createChannelStore, type StoredBox } from '../src/sessions/device/store.ts';
import { type AgeKey, createAgeKeyStore } from '../src/sessions/proofs/age-keys/store.ts';
import { createEvidenceStore } from '../src/sessions/verification/device/evidence.ts';
import { openRotationProcess } from './data-keys.ts';
import { insertPerson } from './database/person-rows.ts';
import type { TestDatabase } from './database/test-database.ts';
import { NO_LOG, OWNER } from './edited-rows/places.ts';
import { createManualClock } from './manual-clock.ts';
import { runLimenHere } from './run-limen.ts';
import { capture, enroll, newFace, newVerificationHost, PAGE_ORIGIN, sameFace } from './sessions/verification-app.ts';
import { startTestApp } from './test-app.ts';

export const FULL_SERVICE = { SERVE: 'core,launch,node', PUBLIC_URL: PAGE_ORIGIN };

/**
 * Fills an empty database by the users' flows, and the rest through the stores. `callbackUrl` gets
 * a webhook.
 */
export async function fillDatabase(place: TestDatabase, callbackUrl: string) {
  await runToolHere('demo-data', ['--days', '1'], place.environment);
  await runLimenHere(['operators', 'invite', 'Ada', '--role', 'admin'], { environment: place.environment });
  const clock = createManualClock();
  const app = await startTestApp({ clock, database: place, environment: FULL_SERVICE });
  const host = await newVerificationHost({ app });
  const face = newFace();
  await enroll({ app, storage: place, clock }, host, face);
  const told = await capture({ app, clock }, await host.start('SIGN-IN', { callback: { url: callbackUrl } }));
  await told.reach('token');
  await told.show(sameFace(face));
  await told.answer();
  await app.jobs.runDue();
  const open = await capture({ app, clock }, await host.start('SIGN-IN'));
  await open.reach('token');
  await app.close();
  const storage = await openRotationProcess(place, { clock });
  const { look } = await fillTheRest(storage, open.id as SessionId, clock);
  await fillSealedRows(storage);
  return { storage, clock, apiKey: host.apiKey, face, toldId: told.id, look };
}

/** Adds a row to each sealed table that no flow fills. */
async function fillSealedRows({ database, sealer }: Storage): Promise<void> {
  const { queries } = database;
  const person = await queries.selectFrom('people').select('id').executeTakeFirstOrThrow();
  const operator = await queries.selectFrom('operators').select('id').executeTakeFirstOrThrow();
  const apiKey = await queries.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
  const times = { created_at: 0, last_used_at: 0 };
  const vouched = { customer: 'acme', world: 'test', person_id: person.id, vouched: 1 };
  const publicKey = { public_key: Buffer.from('public key') };
  const credential = { credential_id: 'credential', ...publicKey, counter: 1 };
  const add = async (table: keyof Schema, row: object) => {
    const sealed = createRowSeal<SealedRow>(sealer, table).sign(row);
    await queries
      .insertInto(table)
      .values(sealed as never)
      .execute();
  };
  await add('passkeys', { ...credential, ...vouched, ...times, transports: '[]' });
  await add('person_devices', {
    id: 'device',
    ...vouched,
    ...publicKey,
    ...times,
    local_uses: 1,
    provisional_session: null,
  });
  await add('operator_passkeys', { ...credential, operator_id: operator.id, answered_at: 0, created_at: 0 });
  await add('operator_identities', { id: 'identity', operator_id: operator.id, created_at: 0 });
  await add('api_key_traits', { key_id: apiKey.id, native_app: 1, kiosk: 0 });
}

/** Not searchable as a block; the people in it are compared one by one. */
const BLOCK = Buffer.from('block');

/** Adds values through the stores that no short flow creates. */
async function fillTheRest({ database, sealer }: Storage, session: SessionId, clock: Clock) {
  const ids = createIds(clock);
  const channels = createChannelStore(database, sealer);
  const evidence = createEvidenceStore(database, sealer);
  const links = createWalletLinkStore(database, sealer);
  const idempotency = new Idempotency({ database, sealer, clock });
  const ageKeys = createAgeKeyStore(database, sealer);
  const operatorSessions = createOperatorSessions(createOperatorStore(database, sealer, NO_LOG), {
    sealer,
    clock,
    ids,
  });
  const blocks = createBlockStore(database, createTokenSeal(sealer));
  const token = await database.queries.selectFrom('tokens').selectAll().executeTakeFirstOrThrow();
  const galleryId = token.gallery_id;
  const request = { operation: 'op', owner: formatOwner(OWNER), key: 'k', content: {} };
  await insertPerson({ database, sealer, ids }, OWNER);
  const { state, revision } = (await channels.find(session))!;
  const ada = await database.queries.selectFrom('operators').selectAll().executeTakeFirstOrThrow();
  const { token: signedIn } = await operatorSessions.begin(ada as never, { address: '127.0.0.1', agent: 'test' });
  await database.transact(async (trx) => {
    const box = { expiresAt: clock.now() + 1_000 } as StoredBox;
    const held = { ...state, holdsBox: true };
    await channels.toUpdate(session, { state, revision }, held, box)(trx);
    await evidence.save(trx, session, {} as never);
    await evidence.saveSelfie(trx, session, 'nonce', Buffer.from('jpeg'));
    await links.add(trx, 'link', { sessionId: session, expiresAt: clock.now() + 1_000 } as OpenLink);
    await idempotency.remember(trx, request, 'reply', 'resource');
    await ageKeys.insert(trx, 'live', 'credential', { month: '2026-01', publicKey: 'k', minted: 'm' } as AgeKey);
    const list = {
      name: 'list',
      sum: null,
      sealed: sealer.sealJson({ removedAt: 1 }, tables.shared_lists.places.sealed({ name: 'list' })),
    };
    await trx.insertInto('shared_lists').values(list).execute();
    await blocks.insertBlock(trx, {
      ...{ galleryId, seq: 1_000, id: ids.random(), epoch: token.epoch, createdAt: 0, block: BLOCK },
      members: Array.from({ length: BLOCK_PEOPLE }, () => ({ tokenSeq: token.seq, personId: token.person_id })),
    });
  });
  return {
    async look() {
      expect(await channels.findBox(session, clock.now())).toBeDefined();
      expect(await evidence.find(session)).toEqual({});
      expect(await database.transact((trx) => evidence.findSelfie(trx, session, 'nonce'))).toEqual(Buffer.from('jpeg'));
      expect(await links.find('link', clock.now())).toBeDefined();
      expect(await idempotency.find(request)).toBe('reply');
      expect(await ageKeys.find('live', 'credential', 0)).toBeDefined();
      expect(await operatorSessions.find(signedIn, false)).toBeDefined();
      expect((await blocks.listBlocks(galleryId, 0, 1_000, 2)).map(({ block }) => block)).toEqual([BLOCK]);
    },
  };
}
