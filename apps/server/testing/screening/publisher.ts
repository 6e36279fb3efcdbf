// A publisher of lists on loopback whose files a test can change and break, with a log of requests.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PublishedFile {
  body: string;
  status?: number;
  headers?: Record<string, string>;
  /** Custom reply */
  answer?: (reply: ServerResponse) => void;
}

export interface Publisher {
  base: string;
  /** Files by path. One with an `etag` or `last-modified` header answers conditional requests. */
  files: Map<string, PublishedFile>;
  /** Method, path and status of every request, in order */
  requests: string[];
}

export async function startPublisher(): Promise<Publisher> {
  const files = new Map<string, PublishedFile>();
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    const path = request.url ?? '';
    const file = files.get(path);
    reply.on('close', () => requests.push(`${path} ${reply.statusCode}`));
    if (!file) return reply.writeHead(404).end();
    if (file.answer) return file.answer(reply);
    const { etag, 'last-modified': modified } = file.headers ?? {};
    const { 'if-none-match': tag, 'if-modified-since': since } = request.headers;
    const same = tag === undefined ? since !== undefined && since === modified : tag === etag;
    if (same) return reply.writeHead(304).end();
    return reply.writeHead(file.status ?? 200, file.headers).end(file.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, files, requests };
}

/** Returns a fictional person as a line of entities.ftm.json. */
export function ftmPerson(id: string, name: string, birthDate = '1970-01-01'): string {
  const properties = { name: [name], birthDate: [birthDate], topics: ['sanction'] };
  return JSON.stringify({ id, caption: name, schema: 'Person', properties, datasets: ['test'], target: true });
}

export function ftmList(...people: string[]): string {
  return `${people.join('\n')}\n`;
}

/** Returns a list of this many fictional people. */
export function ftmCrowd(count: number): string {
  return ftmList(...Array.from({ length: count }, (_, n) => ftmPerson(`p-${n}`, `Person Number${n.toString(36)}`)));
}

export function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
