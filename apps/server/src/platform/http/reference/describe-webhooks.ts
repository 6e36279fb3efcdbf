// The webhooks in the OpenAPI document, as the contract has them.
import { listWebhookEvents } from '@limen/contract';

const DESCRIPTION =
  'Sent to `callback.url`, signed: `x-service-signature` is `sha256=` and the HMAC-SHA256 of timestamp, a dot and the raw body, in hex, keyed with the API key of the session. Repeated until a 2xx comes.';

export function describeWebhooks() {
  return Object.fromEntries(
    listWebhookEvents().map(({ event, when, bodies }) => [event, { post: describeCall(when, bodies) }]),
  );
}

function describeCall(summary: string, bodies: readonly string[]) {
  const refs = bodies.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return {
    summary,
    description: DESCRIPTION,
    parameters: [
      headerOf('x-service-timestamp', 'Unix seconds of the signing.'),
      headerOf('x-service-signature', 'What to compare with, in constant time.'),
      headerOf('x-service-attempt', 'From 1.'),
      headerOf('webhook-id', 'The same for every attempt.'),
    ],
    requestBody: {
      content: { 'application/json': { schema: refs.length === 1 ? { ...refs[0] } : { oneOf: refs } } },
    },
    responses: { '2XX': { description: 'Taken.' }, 410: { description: 'Not wanted any more: it stops.' } },
  };
}

function headerOf(name: string, description: string) {
  return { in: 'header' as const, name, description, required: true, schema: { type: 'string' as const } };
}
