// A PostgreSQL with pgvector for tests: a real server in the long run, otherwise PGlite.
import { randomUUID } from 'node:crypto';
import { createAddress, createSchema, type PgliteServer, runStatement, startPgliteServer } from './pglite-server.ts';

const cluster = process.env['LIMEN_TEST_PGVECTOR_URL'];
export const IS_PGLITE = cluster === undefined;

export function startPgvectorServer(): Promise<PgliteServer> {
  return cluster === undefined ? startPgliteServer() : openOnCluster(cluster);
}

/** Creates a database with the extension, which all its schemas share. */
async function openOnCluster(address: string): Promise<PgliteServer> {
  const name = `limen_${randomUUID().replaceAll('-', '')}`;
  await runStatement(address, `create database ${name}`);
  const url = createAddress(new URL(`/${name}`, address).href);
  return {
    url,
    createDatabase: () => createSchema(url),
    close: () => runStatement(address, `drop database ${name} with (force)`),
  };
}
