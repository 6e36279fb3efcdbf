// Column types by engine, so that one migration serves both.
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../database.ts';

export interface ColumnTypes {
  /** Text that is compared byte by byte, whatever the server's locale. */
  id: RawBuilder<unknown>;
  integer: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
}

export function columnTypes(engine: Engine): ColumnTypes {
  return engine === 'sqlite'
    ? { id: sql`text`, integer: sql`integer`, bytes: sql`blob` }
    : { id: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` };
}
