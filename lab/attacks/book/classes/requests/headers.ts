// Host text that ends up in headers, and attacker text that must not.
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { NO_RECEIVER } from '../../host.ts';

const CAME_BACK = '200, came back as text';

export const headerInjection: AttackClass = {
  name: 'header-injection',
  prevents: 'line breaks in callback headers, metadata or ids that become headers of their own',
  promise: 'docs/webhooks.md',
  needs: 'a test key',
  refusals: ['400 validation_failed', CAME_BACK],
  attempts: 100,
  async begin({ host }) {
    const create = (headers: object) => host.call('POST', '/session', { callback: { url: NO_RECEIVER, headers } });
    expectHonest((await create({ 'x-shop': 'wine' })).status === 201, 'an ordinary header is taken');
    const wrong: object[] = [
      { 'x-shop': 'a\r\nx-service-signature: sha256=00' },
      { 'x-shop': 'a\nb' },
      { 'x-shop': 'a\rb' },
      { 'x-shop': 'a\u0000b' },
      { 'x-shop\r\nx-evil': 'a' },
      { 'x shop': 'a' },
      { 'x-shop:': 'a' },
      { '': 'a' },
      { 'x-shop': 'wine \u20ac\u{1f377}\u0085\u2028' },
      { 'x-shop': 'a'.repeat(100_000) },
    ];
    const texts = ['a\r\nset-cookie: b=c', '\u2028\u2029\u0085', '%0d%0aset-cookie:b', '"><script>', '{{7*7}}'];
    return async (round) => {
      if (round % 2 === 0) return (await create(inTurn(wrong, round >> 1))).label;
      const text = inTurn(texts, round >> 1);
      const created = await host.call('POST', '/session', { metadata: { [text]: text } });
      const result = await host.call('GET', `/session/${created.json<{ token: string }>().token}/result`);
      const { metadata } = result.json<{ metadata: Record<string, string> }>();
      const leaked = [created, result].some(({ headers }) => 'set-cookie' in headers);
      return !leaked && metadata[text] === text ? CAME_BACK : 'not as text';
    };
  },
};
