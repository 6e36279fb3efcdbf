// Callback URLs into the service's network instead of to the host's receiver.
import { createServer } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { type AttackClass, inTurn } from '../../attack-class.ts';
import { waitForDelivery } from '../../deliveries.ts';

/** In every notation that a resolver or library may resolve to this machine or network. */
function insideAddresses(port: number): string[] {
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, address }) => family === 'IPv4' && /^(10|127|172\.(1[6-9]|2\d|3[01])|192\.168)\./.test(address))
    .map(({ address }) => address);
  const loopback = [
    ...['127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '127.0.1', '2130706433'],
    ...['0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.0.0.1.', '0', '0.0.0.0', '127.255.255.254'],
    ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    ...[
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[2001:0:7f00:1::]',
      '①②⑦.⓪.⓪.①',
      '127。0。0。1',
    ],
    ...[hostname(), ...own],
  ];
  const elsewhere = [
    ...['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '100.100.100.200', '10.0.0.1'],
    ...[
      '192.168.0.1',
      '172.16.0.1',
      '100.64.0.1',
      '[fc00::1]',
      '[fec0::1]',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.0.192',
    ],
  ];
  return [...loopback.map((host) => `http://${host}:${port}/hook`), ...elsewhere.map((host) => `http://${host}/hook`)];
}

export const callbacksInside: AttackClass = {
  name: 'callbacks-inside',
  prevents: 'webhooks that reach services on the machine or its network, including the cloud’s metadata service',
  promise: 'docs/security.md#outbound-calls',
  needs: 'many keys',
  refusals: ['address_refused', '400 validation_failed'],
  attempts: 150,
  atOnce: 10,
  async begin(stage) {
    const host = await stage.newHost();
    const reached = new Set<string>();
    const receiver = createServer((request, reply) => {
      reached.add(request.headers.host ?? '');
      reply.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, () => resolve()));
    receiver.unref();
    const addresses = insideAddresses((receiver.address() as { port: number }).port);
    return async (round) => {
      const url = inTurn(addresses, round);
      const created = await host.call('POST', '/session', { callback: { url } });
      if (created.status !== 201) return created.label;
      const { token } = created.json<{ token: string }>();
      const ended = await host.call('POST', `/session/${token}/simulate`, { outcome: 'above' });
      const { sessionId } = ended.json<{ sessionId: string }>();
      const { lastError } = await waitForDelivery(host, sessionId, ({ attempts }) => attempts > 0);
      return reached.size > 0 ? `it arrived, for ${url}` : (lastError ?? 'delivered');
    };
  },
};
