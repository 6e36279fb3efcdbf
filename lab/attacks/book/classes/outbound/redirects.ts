// A receiver that redirects the webhook.
import { createServer } from 'node:http';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { waitForDelivery } from '../../deliveries.ts';

export const callbacksRedirected: AttackClass = {
  name: 'callbacks-redirected',
  prevents:
    'a webhook that follows a redirect to a forbidden target, or reaches link-local addresses even where private ones are allowed',
  promise: 'docs/security.md#outbound-calls',
  needs: 'many keys',
  refusals: ['redirect', 'address_refused', '400 validation_failed'],
  attempts: 100,
  atOnce: 10,
  isLong: true,
  async begin(stage) {
    const open = await stage.another({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    const host = await open.newHost();
    let followed = 0;
    const receiver = createServer((request, reply) => {
      const path = request.url ?? '';
      if (path === '/inside') followed += 1;
      const status = Number(/^\/(30\d)/.exec(path)?.[1] ?? 200);
      const target = path.endsWith('elsewhere') ? 'http://169.254.169.254/latest/meta-data' : '/inside';
      reply.writeHead(status, status === 200 ? {} : { location: target }).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', () => resolve()));
    receiver.unref();
    const base = `http://127.0.0.1:${(receiver.address() as { port: number }).port}`;
    const deliver = async (url: string): Promise<string> => {
      const created = await host.call('POST', '/session', { callback: { url } });
      if (created.status !== 201) return created.label;
      const { token } = created.json<{ token: string }>();
      const ended = await host.call('POST', `/session/${token}/simulate`, { outcome: 'above' });
      const { sessionId } = ended.json<{ sessionId: string }>();
      return (await waitForDelivery(host, sessionId, ({ attempts }) => attempts > 0)).lastError ?? 'delivered';
    };
    expectHonest((await deliver(`${base}/hook`)) === 'delivered', 'a receiver on loopback gets its webhook here');
    const targets = [
      ...[301, 302, 303, 307, 308].flatMap((status) => [`${base}/${status}`, `${base}/${status}/elsewhere`]),
      ...[
        'http://169.254.169.254/latest/meta-data',
        'http://[fe80::1]/',
        'http://[::ffff:169.254.169.254]/',
        'http://0.0.0.0/',
      ],
    ];
    return async (round) => {
      const told = await deliver(inTurn(targets, round));
      return followed > 0 ? 'it was followed' : told;
    };
  },
};
