// The few lines of a host's own back end that do what the demo does, with the chosen options filled in.
import { buildRequest, type Options } from './options.ts';

export function sampleCode(options: Options, baseUrl: string): string {
  const request = {
    ...buildRequest(options),
    callback: { url: 'https://your-app.example/hook' },
    ...(options.redirect && { redirectUrl: 'https://your-app.example/back' }),
  };
  const fields = Object.entries(request).map(([name, value]) => `  ${name}: ${literal(value)},`);
  return `import { createLimenClient, verifyWebhook } from '@limen/sdk';

const apiKey = process.env.LIMEN_API_KEY;
const baseUrl = ${literal(baseUrl)};
const limen = createLimenClient({ baseUrl, apiKey });

const { token, launchUrl } = await limen.ageSessions.create({
${fields.join('\n')}
});
// Keep the token, send the person to launchUrl. In your hook:
const { body } = await verifyWebhook(rawBody, headers, apiKey);
// And whenever you like:
const result = await limen.ageSessions.result(token);
`;
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
