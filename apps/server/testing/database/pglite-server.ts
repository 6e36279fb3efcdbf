// A real PostgreSQL with pgvector for tests, without an installation: PGlite behind a port for
// `pg`. PGlite has one session. Its clients take turns for a statement or a transaction, each with
// its own settings. So there are no lock waits, no `listen` and no named statements. A transaction
// that waits for another connection waits forever.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import pg from 'pg';
import { createMessageReader, queryMessage, readAnswerEnd, startupMessage } from './pglite-messages.ts';
import type { TestDatabase } from './test-database.ts';

export interface PgliteServer {
  /** Returns a connection string with the schema and further settings. */
  url(schema: string, settings?: Record<string, string>): string;
  /** Creates a separate schema for `startTestApp` or `openDatabase`. */
  createDatabase(): Promise<TestDatabase>;
  close(): Promise<void>;
}

interface Client {
  socket: Socket;
  /** Statement that applies this client's settings to the session */
  settle: Buffer;
  batches: Buffer[];
}

/**
 * Starts the server, which takes seconds and half a gigabyte. Share it among all tests of a file.
 */
export async function startPgliteServer(): Promise<PgliteServer> {
  // Disables WebAssembly optimization, which costs a quarter of the time and finishes when the
  // tests are nearly over.
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  const postgres = await PGlite.create({ extensions: { vector } });
  // Copies the reply, because the next one overwrites its bytes.
  const execute = async (messages: Uint8Array) =>
    Buffer.from(await postgres.execProtocolRaw(messages, { syncToFs: false }));
  const welcome = await execute(startupMessage());
  const takeTurns = createTurns(execute);
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    const client: Client = { socket, settle: Buffer.alloc(0), batches: [] };
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      client.batches = [];
      takeTurns(client);
    });
    const read = createMessageReader({
      onStart(settings) {
        client.settle = queryMessage(settingStatements(settings));
        socket.write(welcome);
      },
      onBatch(messages) {
        client.batches.push(messages);
        takeTurns(client);
      },
      onEnd: () => socket.destroy(),
      reply: (bytes) => socket.write(bytes),
    });
    socket.on('data', read);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const url = createAddress(`postgres://postgres@127.0.0.1:${port}/postgres`);

  return {
    url,
    createDatabase: () => createSchema(url),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await postgres.close();
    },
  };
}

/** Returns a function for connection strings of one database, each with a schema and settings. */
export function createAddress(database: string): PgliteServer['url'] {
  return (schema, settings = {}) => {
    const address = new URL(database);
    const options = Object.entries({ ...settings, search_path: schema });
    address.searchParams.set('options', options.map(([name, value]) => `-c ${name}=${value}`).join(' '));
    return address.href;
  };
}

export async function createSchema(url: PgliteServer['url']): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-test-'));
  const schema = `limen_${randomUUID().replaceAll('-', '')}`;
  await runStatement(url('public'), `create schema ${schema}`);
  return {
    dataDir,
    url: url(schema),
    environment: { DATA_DIR: dataDir, DATABASE_URL: url(schema) },
    async dispose() {
      await runStatement(url('public'), `drop schema ${schema} cascade`);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Returns a function to call when a client has sent something or disconnected. A client keeps the
 * session during a transaction, which is rolled back if it disconnects.
 */
function createTurns(execute: (messages: Uint8Array) => Promise<Buffer>): (client: Client) => void {
  const waiting = new Set<Client>();
  let inTransaction: Client | undefined;
  let settledFor: Client | undefined;
  let busy = false;

  async function serveNext(): Promise<boolean> {
    const client = inTransaction ?? waiting.values().next().value;
    if (!client) return false;
    if (client.socket.destroyed) {
      if (inTransaction) await execute(queryMessage('rollback'));
      inTransaction = undefined;
      waiting.delete(client);
      return true;
    }
    const batch = client.batches.shift();
    if (!batch) {
      waiting.delete(client);
      return client !== inTransaction;
    }
    if (settledFor !== client) {
      settledFor = client;
      const { failed } = readAnswerEnd(await execute(client.settle));
      if (failed) {
        client.socket.destroy();
        return true;
      }
    }
    const answer = await execute(batch);
    client.socket.write(answer);
    inTransaction = readAnswerEnd(answer).inTransaction ? client : undefined;
    // Moves to the end of the queue, because the others come first.
    waiting.delete(client);
    if (client.batches.length > 0) waiting.add(client);
    return true;
  }

  async function serve(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      while (await serveNext());
    } finally {
      busy = false;
    }
  }

  return (client) => {
    if (client.batches.length > 0) waiting.add(client);
    void serve();
  };
}

function settingStatements(settings: Map<string, string>): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const given = [...settings].map(([name, value]) => `perform set_config(${quote(name)}, ${quote(value)}, false);`);
  // One statement without rows, so that the client receives only replies to its own messages.
  return `reset role; reset all; do $settings$ begin ${given.join(' ')} end $settings$`;
}

export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
