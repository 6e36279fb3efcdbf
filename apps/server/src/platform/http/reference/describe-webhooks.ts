// The webhooks in the OpenAPI document, as the contract has them.
import { listWebhookEvents } from '@limen/contract';

const DESCRIPTION =
  'Sent to `callback.url` and signed: `x-service-signature` is `sha256=` followed by the hex HMAC-SHA256 of timestamp, a dot and the raw body, keyed with the API key that created the session. Repeated until you answer 2xx.';

export function describeWebhooks() {
  return Object.fromEntries(
    listWebhookEvents().map(({ event, when, bodies }) => [event, { post: describeCall(event, when, bodies) }]),
  );
}

function describeCall(event: string, summary: string, bodies: readonly string[]) {
  const refs = bodies.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const words = event.split(/\W|_/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return {
    operationId: `on${words.join('')}`,
    // The signature is in the parameters: no scheme of OpenAPI describes it.
    security: [],
    summary,
    description: DESCRIPTION,
    parameters: [
      headerOf('x-service-timestamp', 'When it was signed, in Unix seconds.'),
      headerOf('x-service-signature', 'The signature; compare in constant time.'),
      headerOf('x-service-attempt', 'The number of the attempt, from 1.'),
      headerOf('webhook-id', 'The same for every attempt.'),
    ],
    requestBody: {
      content: { 'application/json': { schema: refs.length === 1 ? { ...refs[0] } : { oneOf: refs } } },
    },
    responses: { '2XX': { description: 'Accepted.' }, 410: { description: 'No longer wanted: Limen stops trying.' } },
  };
}

function headerOf(name: string, description: string) {
  return { in: 'header' as const, name, description, required: true, schema: { type: 'string' as const } };
}
