// Sample back-end code that does what the demo does, with the chosen options filled in.
import { buildRequest, metadataText, type Options } from './options.ts';

/** Checks without which anyone with the link would be admitted. */
const BINDING = `// To sign somebody in: put a nonce into redirectURL, set a cookie in the browser that asks, and let in only the
// browser that brings both, never on the webhook alone (docs/sign-in.md, Binding a session).
`;

export function sampleCode(options: Options, baseUrl: string): string {
  const back = 'https://your-app.example/back';
  const isAge = options.purpose === 'AGE';
  const names = isAge
    ? { client: 'ageSessions', key: 'token', result: 'result' }
    : { client: 'verificationSessions', key: 'sessionId', result: 'getResult' };
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
  return `import { createLimenClient, decide, ${asText ? 'jsonText, ' : ''}verifyWebhook } from '@limen/sdk';

const apiKey = process.env.LIMEN_API_KEY;
const baseUrl = ${literal(baseUrl)};
const limen = createLimenClient({ baseUrl, apiKey });

const { ${names.key}, launchUrl } = await limen.${names.client}.create({
${fields.join('\n')}
});
${isAge ? '' : BINDING}// Keep the ${names.key}, send the person to launchUrl. In your hook, at the end and after a review:
const webhook = await verifyWebhook(rawBody, headers, apiKey);
console.log(decide(webhook.body)); // action: 'admit', 'refuse' or 'wait', and the reason
// And whenever you like:
console.log(decide(await limen.${names.client}.${names.result}(${names.key})));
`;
}

/** Returns whether JavaScript preserves the text: no number is rounded, and no key is reordered. */
function isWhole(json: string): boolean {
  const compact = json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
  return JSON.stringify(JSON.parse(json)) === compact;
}

/** Formats a value as idiomatic JavaScript. */
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
