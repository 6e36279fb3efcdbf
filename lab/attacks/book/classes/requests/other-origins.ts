// Cross-origin pages, which browsers allow only with the service's permission.
import { type AttackClass, inTurn } from '../../attack-class.ts';

export const otherOrigins: AttackClass = {
  name: 'other-origins',
  prevents: 'a page from another origin that reads replies in a person’s browser, or frames the launch page',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'a test key',
  refusals: ['nothing granted'],
  attempts: 100,
  async begin({ host, speaker }) {
    const { id, token } = await host.openAgeSession();
    const origins = [
      'https://evil.example',
      'null',
      'http://localhost:1',
      'https://shop.example.evil.example',
      'file://',
    ];
    const paths = [
      '/session',
      `/session/${token}/result`,
      `/device/sessions/${id}`,
      '/v2/webhook-deliveries',
      '/strings',
      '/node/plainPredict',
      '/launch',
    ];
    return async (round) => {
      const origin = inTurn(origins, round);
      const path = inTurn(paths, round);
      const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' };
      const { headers } = await speaker.send({
        method: inTurn(['GET', 'OPTIONS'], round),
        path,
        headers: { origin, ...preflight },
      });
      const framed =
        path === '/launch' &&
        !/frame-ancestors 'none'/.test(String(headers['content-security-policy'] ?? "frame-ancestors 'none'"));
      return headers['access-control-allow-origin'] === undefined && !framed ? 'nothing granted' : 'granted';
    };
  },
};
