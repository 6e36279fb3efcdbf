// A loopback proxy that counts bytes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface CountingWire {
  url: string;
  bytes(): { in: number; out: number };
  close(): void;
}

export async function openCountingWire(target: string): Promise<CountingWire> {
  const { hostname, port } = new URL(target);
  const counted = { in: 0, out: 0 };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('data', (chunk) => (counted.in += chunk.length)).pipe(far);
    far.on('data', (chunk) => (counted.out += chunk.length)).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => ({ ...counted }),
    close: () => void server.close(),
  };
}
