// The webhooks that there are, for docs/webhooks.md.
import { listWebhookEvents } from '../../packages/contract/src/index.ts';

export function renderWebhookEvents(): string {
  const rows = listWebhookEvents().map(
    ({ event, when, bodies }) => `| \`${event}\` | ${when} | ${bodies.map((name) => `\`${name}\``).join(' or ')} |`,
  );
  return `| event | when | body |
|---|---|---|
${rows.join('\n')}
`;
}
