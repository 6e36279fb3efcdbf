// Renders docs/reference/webhook-events.md: the events, and the body of the alerts about watched subjects.

import { listFields } from '../../apps/server/src/platform/http/reference/operations.ts';
import type { JsonSchema } from '../../apps/server/src/platform/http/reference/sample-request.ts';
import { collectReferencedSchemas, listWebhookEvents, NewHitEvent } from '../../packages/contract/src/index.ts';
import { flattenFields } from './flatten-fields.ts';

/** Depth of listed fields; the API reference has the inner ones. */
const LEVELS = 2;

export function renderWebhookEvents(): string {
  return `<!-- Generated from the contract by \`npm run docs\`; do not edit. -->

# Webhook events

Events and their bodies; the other types are in the [API reference](api.md) ([webhooks](../webhooks.md)).

${renderEvents()}
## Alerts of watched subjects

${renderHitEvent()}`;
}

function renderEvents(): string {
  const rows = listWebhookEvents().map(
    ({ event, when, bodies }) => `| \`${event}\` | ${when} | ${bodies.map((name) => `\`${name}\``).join(' or ')} |`,
  );
  return `| event | when | body |
|---|---|---|
${rows.join('\n')}
`;
}

/** Renders the fields that all three hit events have. */
function renderHitEvent(): string {
  const schemas = Object.fromEntries(collectReferencedSchemas(NewHitEvent)) as Record<string, JsonSchema>;
  const { event: _, ...properties } = NewHitEvent.properties;
  const body = { ...NewHitEvent, properties } as unknown as JsonSchema;
  const fields = flattenFields(listFields(body, schemas)).filter(({ name }) => name.split('.').length <= LEVELS);
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
