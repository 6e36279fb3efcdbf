// A PostgreSQL with pgvector for tests: in the long run a real one, in a system of its own; else PGlite.
import { randomUUID } from 'node:crypto';
import { addressOf, createSchema, type PgliteServer, runStatement, startPgliteServer } from './pglite-server.ts';

const cluster = process.env['LIMEN_TEST_PGVECTOR_URL'];
export const IS_PGLITE = cluster === undefined;

export function startPgvectorServer(): Promise<PgliteServer> {
  return cluster === undefined ? startPgliteServer() : openOnCluster(cluster);
}

/** A database of its own: it has the extension once, for all its schemas. */
async function openOnCluster(address: string): Promise<PgliteServer> {
  const name = `limen_${randomUUID().replaceAll('-', '')}`;
  await runStatement(address, `create database ${name}`);
  const url = addressOf(new URL(`/${name}`, address).href);
  return {
    url,
    createDatabase: () => createSchema(url),
    close: () => runStatement(address, `drop database ${name} with (force)`),
  };
}
