// The few lines of a host's own back end that do what the demo does, with the chosen options filled in.
import type { WebhookBodies, WebhookEvent } from '@limen/sdk';
import { buildRequest, metadataText, type Options } from './options.ts';

/** What would be left out otherwise lets in whoever sent the link. */
const BINDING = `// To sign somebody in: put a nonce into redirectURL, set a cookie in the browser that asks, and let in only the
// browser that brings both, never on the webhook alone (docs/verification.md, Binding a session).
`;

export function sampleCode(options: Options, baseUrl: string): string {
  const back = 'https://your-app.example/back';
  const isAge = options.purpose === 'AGE';
  const names = isAge
    ? { client: 'ageSessions', key: 'token', result: 'result', ...named('age_session.ended', 'sessionStatus') }
    : {
        client: 'verificationSessions',
        key: 'sessionId',
        result: 'getResult',
        ...named('verification_session.ended', 'status'),
      };
  const metadata = metadataText(options);
  const asText = metadata !== undefined && !isWhole(metadata);
  const request = {
    ...buildRequest(options),
    ...(metadata !== undefined && !asText && { metadata: JSON.parse(metadata) as object }),
    callback: { url: 'https://your-app.example/hook' },
    ...(isAge ? options.redirect && { redirectUrl: back } : { redirectURL: back }),
  };
  const fields = Object.entries(request).map(([name, value]) => `  ${name}: ${literal(value)},`);
  if (asText) fields.push(`  metadata: jsonText(${literal(metadata)}),`);
  return `import { createLimenClient, ${asText ? 'jsonText, ' : ''}verifyWebhook } from '@limen/sdk';

const apiKey = process.env.LIMEN_API_KEY;
const baseUrl = ${literal(baseUrl)};
const limen = createLimenClient({ baseUrl, apiKey });

const { ${names.key}, launchUrl } = await limen.${names.client}.create({
${fields.join('\n')}
});
${isAge ? '' : BINDING}// Keep the ${names.key}, send the person to launchUrl. In your hook:
const webhook = await verifyWebhook(rawBody, headers, apiKey);
if (webhook.event === '${names.event}') console.log(webhook.body.${names.tells});
// And whenever you like:
const result = await limen.${names.client}.${names.result}(${names.key});
`;
}

/** The webhook that comes, and the field of its body to look at first. */
function named<Event extends WebhookEvent>(event: Event, tells: keyof WebhookBodies[Event] & string) {
  return { event, tells };
}

/** Whether the text says no more than what JavaScript makes of it: no number is rounded, no key changes its place. */
function isWhole(json: string): boolean {
  const compact = json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
  return JSON.stringify(JSON.parse(json)) === compact;
}

/** A value as somebody would write it in JavaScript. */
function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, entry]) => `${fieldName(name)}: ${literal(entry)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}
