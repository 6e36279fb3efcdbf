// The tables as Kysely sees them. Times are milliseconds since 1970, UTC; `Uint8Array` columns are raw bytes.

/** Rows by table. The `tables.ts` of each room declares tables and adds their rows. */
// biome-ignore lint/suspicious/noEmptyInterface: the rooms fill it
export interface Schema {}
