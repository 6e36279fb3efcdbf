// Traits of API keys whose sessions do not run in people's own browsers.
import type { Database, Queries, Transaction } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import type { SealLog } from '../sealing/edited-rows.ts';
import { createRowSeal } from '../sealing/row-seal.ts';
import type { RowSealer } from '../sealing/sealer.ts';

export interface KeyTraits {
  /** Whether sessions run in a native app, which has no browser data to send */
  nativeApp: boolean;
  /** Whether many people share one device or address, so that bursts are normal */
  kiosk: boolean;
}

export const NO_TRAITS: KeyTraits = { nativeApp: false, kiosk: false };

type TraitsRow = Schema['api_key_traits'];

/** An edited row counts as absent; the key then has no exemptions. */
export function createKeyTraitStore(
  { queries, prepareOne }: Pick<Database, 'queries' | 'prepareOne'>,
  sealer: RowSealer,
  log: SealLog,
) {
  const seal = createRowSeal<TraitsRow>(sealer, 'api_key_traits', {
    log,
    nameOf: ({ key_id }) => key_id,
    remembers: true,
  });
  const selectRow = prepareOne((keyId: string) =>
    queries.selectFrom('api_key_traits').selectAll().where('key_id', '=', keyId),
  );
  return {
    async find(keyId: string): Promise<KeyTraits> {
      const row = seal.ifWhole(await selectRow(keyId));
      return row ? toTraits(row) : NO_TRAITS;
    },
    async list(): Promise<ReadonlyMap<string, KeyTraits>> {
      const rows = await queries.selectFrom('api_key_traits').selectAll().execute();
      return new Map(rows.filter((row) => seal.ifWhole(row)).map((row) => [row.key_id, toTraits(row)]));
    },
    async save(trx: Transaction, key_id: string, { nativeApp, kiosk }: KeyTraits): Promise<void> {
      const { key_id: _, ...columns } = seal.sign({ key_id, native_app: Number(nativeApp), kiosk: Number(kiosk) });
      await trx
        .insertInto('api_key_traits')
        .values({ key_id, ...columns })
        .onConflict((conflict) => conflict.column('key_id').doUpdateSet(columns))
        .execute();
    },
  };
}

/** For read-only commands, which have no keys to check the seal. */
export async function listKeyTraits(queries: Queries): Promise<ReadonlyMap<string, KeyTraits>> {
  const rows = await queries.selectFrom('api_key_traits').selectAll().execute();
  return new Map(rows.map((row) => [row.key_id, toTraits(row)]));
}

function toTraits({ native_app, kiosk }: TraitsRow): KeyTraits {
  return { nativeApp: native_app === 1, kiosk: kiosk === 1 };
}
