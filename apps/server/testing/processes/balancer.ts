// A load balancer: requests are distributed in turn, and a removed process finishes its requests.
import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  url: string;
  /** Statuses from 500 and broken connections: method, path without ids, and outcome */
  refusals: string[];
  /** Number of requests that each address has answered */
  answered: ReadonlyMap<string, number>;
  add(address: string): void;
  /** Resolves once the address has no requests in flight. */
  remove(address: string): Promise<void>;
  close(): void;
}

export async function startBalancer(): Promise<Balancer> {
  const targets: string[] = [];
  const inFlight = new Map<string, number>();
  const answered = new Map<string, number>();
  const refusals: string[] = [];
  const waiting = new Map<string, () => void>();
  let turn = 0;
  const count = (address: string, by: 1 | -1) => {
    inFlight.set(address, (inFlight.get(address) ?? 0) + by);
    if (inFlight.get(address) === 0) waiting.get(address)?.();
  };
  const server = createServer((request, reply) => {
    const address = targets[turn++ % targets.length];
    if (!address) return void reply.writeHead(503).end();
    const what = `${request.method} /${(request.url ?? '').split('/')[1]}`;
    count(address, 1);
    reply.once('close', () => count(address, -1));
    const onward = forward(`${address}${request.url}`, { method: request.method, headers: request.headers }, (got) => {
      if (got.statusCode! >= 500) refusals.push(`${what} got ${got.statusCode}`);
      answered.set(address, (answered.get(address) ?? 0) + 1);
      reply.writeHead(got.statusCode!, got.headers);
      got.pipe(reply);
    });
    onward.on('error', (error) => {
      refusals.push(`${what} broke: ${error.message}`);
      reply.destroy();
    });
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusals,
    answered,
    add: (address) => void targets.push(address),
    async remove(address) {
      targets.splice(targets.indexOf(address), 1);
      if ((inFlight.get(address) ?? 0) === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(address, resolve);
      await promise;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
