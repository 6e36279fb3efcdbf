// The webhooks that there are, and the body of those about watched subjects, for docs/webhooks.md.

import { listFields } from '../../apps/server/src/platform/http/reference/render.ts';
import type { JsonSchema } from '../../apps/server/src/platform/http/reference/sample-request.ts';
import { collectReferencedSchemas, listWebhookEvents, NewHitEvent } from '../../packages/contract/src/index.ts';

/** Of the match its own fields; what is inside them is in the API reference. */
const LEVELS = 2;

export function renderWebhookEvents(): string {
  const rows = listWebhookEvents().map(
    ({ event, when, bodies }) => `| \`${event}\` | ${when} | ${bodies.map((name) => `\`${name}\``).join(' or ')} |`,
  );
  return `| event | when | body |
|---|---|---|
${rows.join('\n')}
`;
}

/** The three have the same fields. */
export function renderHitEvent(): string {
  const schemas = Object.fromEntries(collectReferencedSchemas(NewHitEvent)) as Record<string, JsonSchema>;
  const { event: _, ...properties } = NewHitEvent.properties;
  const body = { ...NewHitEvent, properties } as unknown as JsonSchema;
  const fields = listFields(body, schemas).filter(({ name }) => name.split('.').length <= LEVELS);
  const rows = fields.map(
    ({ name, type, required, description }) =>
      `| \`${name}\`${required ? '' : ' (optional)'} | ${type.replaceAll('|', '\\|')} | ${description} |`,
  );
  return `| field | type | meaning |
|---|---|---|
| \`event\` | string | \`screening.hit.new\`, \`screening.hit.changed\` or \`screening.hit.removed\` |
${rows.join('\n')}
`;
}
