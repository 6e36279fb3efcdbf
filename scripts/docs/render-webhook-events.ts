// Renders docs/reference/webhook-events.md: each event with the fields and a sample of its body.

import { listFields } from '../../apps/server/src/platform/http/reference/operations.ts';
import { type JsonSchema, writeJson } from '../../apps/server/src/platform/http/reference/sample-request.ts';
import {
  collectReferencedSchemas,
  listWebhookBodies,
  listWebhookEvents,
  NewHitEvent,
} from '../../packages/contract/src/index.ts';
import { flattenFields } from './flatten-fields.ts';

/** Depth of listed fields; the API reference has the inner ones. */
const LEVELS = 2;
const HIT = 'screening.hit.';

export function renderWebhookEvents(): string {
  const bodies = listWebhookBodies();
  const sections = listWebhookEvents().map(({ event, when }) => {
    const parts = bodies
      .filter((body) => body.event === event)
      .map(({ name, schema, sample }) => {
        const fields = event.startsWith(HIT) ? 'See [fields of alerts](#fields-of-alerts).' : renderFields(schema);
        return `Body \`${name}\`:\n\n\`\`\`json\n${writeJson(sample)}\n\`\`\`\n\n${fields}`;
      });
    return `## ${event}\n\n${[when, ...parts].join('\n\n')}\n`;
  });
  return `<!-- Generated from the contract by \`npm run docs\`; do not edit. -->

# Webhook events

Events and their bodies; the inner types are in the [API reference](api.md) ([webhooks](../webhooks.md)). The samples are
what the service sends for fictional people.

${renderEvents()}
${sections.join('\n')}
## Fields of alerts

${renderFields(NewHitEvent)}
`;
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

function renderFields(body: object): string {
  const schemas = Object.fromEntries(collectReferencedSchemas(body)) as Record<string, JsonSchema>;
  const listedFields = flattenFields(listFields(body as JsonSchema, schemas));
  const fields = listedFields.filter(({ name }) => name.split('.').length <= LEVELS);
  const rows = fields.map(
    ({ name, type, required, description }) =>
      `| \`${name}\`${required ? '' : ' (optional)'} | ${type.replaceAll('|', '\\|')} | ${description} |`,
  );
  return `| field | type | meaning |\n|---|---|---|\n${rows.join('\n')}`;
}
