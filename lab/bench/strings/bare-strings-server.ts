// The peer: the string store on bare node:http and node:sqlite, with only what the two routes need.
//
// Same table (given SQL), same statements, same durability (WAL, synchronous=FULL) as Limen. Every
// POST is a separate commit, because group commit is Limen's addition. One connection serves reads
// and writes.
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { argv, stdin, stdout } from 'node:process';
import { DatabaseSync } from 'node:sqlite';

const [folder = '', createTable = ''] = argv.slice(2);
const database = new DatabaseSync(join(folder, 'bare.db'));
database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${createTable}`);
const insert = database.prepare('insert into strings (owner, id, value, created_at, bytes) values (?, ?, ?, ?, ?)');
const select = database.prepare('select id, value, created_at from strings where owner = ? and id = ?');
const OWNER = '';

const server = createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/strings') {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => create(Buffer.concat(chunks), response));
  } else if (request.method === 'GET' && request.url?.startsWith('/strings/')) {
    find(request.url.slice('/strings/'.length), response);
  } else {
    send(response, 404, { error: 'not found' });
  }
});

function create(body: Buffer, response: ServerResponse): void {
  const value = valueIn(body);
  if (typeof value !== 'string') {
    send(response, 400, { error: 'the body must be JSON with a string as value' });
    return;
  }
  const createdAt = Date.now();
  const id = sortableId(createdAt);
  insert.run(OWNER, id, value, createdAt, Buffer.byteLength(value));
  response.setHeader('location', `/strings/${id}`);
  send(response, 201, { id, value, createdAt: new Date(createdAt).toISOString() });
}

function valueIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))?.value;
  } catch {
    return undefined;
  }
}

function find(id: string, response: ServerResponse): void {
  const row = select.get(OWNER, id);
  if (!row) {
    send(response, 404, { error: 'not found' });
    return;
  }
  const createdAt = new Date(row['created_at'] as number).toISOString();
  send(response, 200, { id: row['id'], value: row['value'], createdAt });
}

function send(response: ServerResponse, status: number, content: object): void {
  const body = JSON.stringify(content);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Ordered by time like Limen's, so that both write to the same places of the index. */
function sortableId(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

server.listen(0, '127.0.0.1', () => {
  stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
// The parent has exited.
stdin.resume().on('end', () => process.exit());
