// A webhook receiver in a separate process: accepts everything immediately and reports the number
// of distinct ones.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const seen = new Set<string>();
let received = 0;

const server = createServer((request, reply) => {
  if (request.method === 'GET') {
    reply.end(JSON.stringify({ received, different: seen.size }));
    return;
  }
  request.resume().on('end', () => {
    received += 1;
    seen.add(String(request.headers['webhook-id']));
    reply.writeHead(204).end();
  });
}).listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
