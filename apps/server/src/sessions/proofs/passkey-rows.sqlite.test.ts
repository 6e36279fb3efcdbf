// A passkey whose row is resealed or changed between reading it and advancing its counter.
import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { expect, it } from 'vitest';
import { openTestStorage } from '#testing/database/open-test-storage.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { liveOwner } from '#testing/owners.ts';
import { ownerColumns } from '../../platform/api-keys/owner.ts';
import { createRowSeal } from '../../platform/sealing/row-seal.ts';
import { createChangingSealer } from '../../platform/sealing/sealer.ts';
import { createCeremony } from '../../platform/webauthn/ceremony.ts';
import { type PasskeyRow, Passkeys } from './passkeys.ts';

const OWNER = liveOwner('acme');
const FIELDS = {
  credential_id: 'credential',
  public_key: Buffer.of(1),
  counter: 0,
  transports: '[]',
  vouched: 0 as const,
};
const log = pino({ level: 'silent' });

it('advances its counter if only the seal changed, and is refused otherwise', async () => {
  const { clock, ids, database, sealer } = await openTestStorage();
  const person_id = await insertPerson({ database, sealer, ids }, OWNER);
  const key = () => ({ id: randomUUID(), key: randomBytes(32) });
  const given = { sealKeys: [key()], lookupKey: randomBytes(32) };
  const changing = createChangingSealer(given);
  const unused = createCeremony(() => ({ id: 'check.example', origins: ['https://check.example'] }));
  const passkeys = new Passkeys({ database, sealer: changing.sealer, clock, log }, unused, async () => []);
  const seal = createRowSeal<PasskeyRow>(changing.sealer, 'passkeys');
  const times = { created_at: clock.now(), last_used_at: clock.now() };
  const row = seal.sign({ ...FIELDS, ...ownerColumns(OWNER), ...times, person_id });
  await database.queries.insertInto('passkeys').values(row).execute();
  const replace = (changes: Partial<PasskeyRow>) =>
    database.queries.updateTable('passkeys').set(changes).where('credential_id', '=', row.credential_id).execute();

  changing.change({ ...given, rowKeys: [key()], rowsByLookup: 'holds' });
  const resealed = seal.sign(row);
  expect(resealed.mac).not.toEqual(row.mac);
  await replace({ mac: resealed.mac });
  expect(await passkeys.moveCounter(row, 1)).toBe(true);
  // Like a cloned passkey: the row that was read is outdated.
  expect(await passkeys.moveCounter(row, 1)).toBe(false);
  expect(await passkeys.moveCounter(resealed, 2)).toBe(false);
});
