// Deleting a person or a session leaves no identifying byte in any file of the data folder or any
// row.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createAuthenticator } from '#testing/authenticator.ts';
import {
  capture,
  newFace,
  newPersonKey,
  newVerificationHost,
  PAGE_ORIGIN,
  useVerificationApp,
} from '#testing/sessions/verification-app.ts';
import { type Database, openDatabase } from '../src/platform/database/database.ts';

const room = useVerificationApp();
const DEVICE = { os: 'an-os-that-nobody-has', model: 'phone-of-ann' };
/** Enough bytes to search for, without base64 padding */
const DIGEST_BYTES = 15;
const HOOK = 'http://127.0.0.1:1/hooks/a-path-that-is-a-secret';
const TABLES = [
  'tokens',
  'passkeys',
  'person_devices',
  'sessions',
  'webhook_deliveries',
  'people',
  'person_keys',
] as const;

type Needles = Map<string, Buffer>;

/** Returns every text, id, key and sealed value of the current rows, by table and column. */
async function collect(database: Database): Promise<Needles> {
  const needles: Needles = new Map([
    ['callback path', Buffer.from(new URL(HOOK).pathname)],
    ['device that the host named', Buffer.from(DEVICE.model)],
  ]);
  const ids = /^(id|puid|person_id|credential_id|session_id|public_key|sealed|outcome|mac|token_lookup)$/;
  for (const table of TABLES) {
    const rows = (await database.queries.selectFrom(table).selectAll().execute()) as unknown as Record<
      string,
      unknown
    >[];
    for (const [nth, row] of rows.entries()) {
      for (const [column, value] of Object.entries(row)) {
        if (!ids.test(column) || value === null) continue;
        const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
        // Long values span several pages, so a piece is enough.
        needles.set(`${table}.${column} ${nth}`, bytes.subarray(0, 64));
        // Session ids in a host's log must not lead to the row through an unkeyed digest.
        if (table === 'sessions' && column === 'id') {
          const digest = createHash('sha256').update(bytes).digest();
          needles.set(`digest of ${table}.${column} ${nth}`, digest.subarray(0, DIGEST_BYTES));
        }
      }
    }
  }
  return needles;
}

/** Returns where each value is found: in files of the data folder, and in rows of either engine. */
async function search(database: Database, needles: Needles): Promise<string[]> {
  const places: [string, Buffer][] = [];
  const folder = room.storage.dataDir;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) places.push([entry.name, readFileSync(join(entry.parentPath, entry.name))]);
  }
  if (database.engine === 'postgres') {
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
      database.queries,
    );
    for (const { name } of rows) {
      const found = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(
        database.queries,
      );
      places.push([`table ${name}`, Buffer.from(found.rows.map(({ row }) => row).join('\n'))]);
    }
  }
  const hits: string[] = [];
  for (const [place, content] of places) {
    for (const [needle, bytes] of needles) {
      const forms = [bytes, Buffer.from(bytes.toString('hex')), Buffer.from(bytes.toString('base64url'))];
      if (forms.some((form) => content.includes(form))) hits.push(`${needle} in ${place}`);
    }
  }
  return hits;
}

/** Enrolls a person with a device, a passkey and a webhook. */
async function enrollWhole() {
  const host = await newVerificationHost(room, 'live');
  const more = { requirements: ['face', 'passkey'], callback: { url: HOOK }, deviceInfo: DEVICE };
  const session = await capture(room, await host.start('ENROLL', more));
  await session.reach('token');
  await session.show(newFace(), await newPersonKey());
  await session.reach('passkey');
  const { publicKey } = (await session.passkeyOptions()).body;
  const authenticator = createAuthenticator(PAGE_ORIGIN, { counts: true });
  await session.passkey(authenticator.create(publicKey as unknown as PublicKeyCredentialCreationOptionsJSON));
  await session.answer();
  const { body } = await host.result(session.id);
  expect(body.status).toBe('SUCCESS');
  return { host, sessionId: session.id, puid: body.puid! };
}

it('deleteUser leaves no byte of the person and their devices, passkeys, sessions and webhooks', async () => {
  const { host, puid } = await enrollWhole();
  const database = openDatabase(room.storage);
  try {
    const needles = await collect(database);
    expect([...needles.keys()].map((name) => name.split('.')[0])).toEqual(
      expect.arrayContaining(['tokens', 'passkeys', 'person_devices', 'sessions', 'webhook_deliveries', 'people']),
    );
    expect((await search(database, needles)).length).toBeGreaterThan(needles.size / 2);
    expect(await host.deletePerson(puid)).toBe(200);
    expect(await search(database, needles)).toEqual([]);
  } finally {
    await database.close();
  }
});

it('redaction leaves no byte of the session, its outcome, its webhook and its callback', async () => {
  const { host, sessionId, puid } = await enrollWhole();
  const database = openDatabase(room.storage);
  try {
    const all = await collect(database);
    const ofSession = new Map(
      [...all].filter(([name]) =>
        /^(digest of sessions|device|sessions\.(id|sealed|outcome|token_lookup)|webhook_deliveries|callback)/.test(
          name,
        ),
      ),
    );
    expect((await host.call('DELETE', `/v2/verification-session/${sessionId}`)).status).toBe(204);
    expect(await search(database, ofSession)).toEqual([]);
    expect(await host.deletePerson(puid)).toBe(200);
  } finally {
    await database.close();
  }
});
