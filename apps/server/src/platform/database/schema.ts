// The tables as Kysely sees them. Times are milliseconds since 1970, UTC; `Uint8Array` columns are raw bytes.

// biome-ignore lint/suspicious/noEmptyInterface: the rooms fill it
export interface Schema {}
