import { readFileSync } from 'node:fs';
import { isGenuine } from '../../examples/webhooks/verify.js';

for (const line of readFileSync(0, 'utf8').split('\n').slice(0, -1)) {
  const [keys, timestamp, signature, now, body] = line.split('\t');
  const rawBody = Buffer.from(body, 'base64');
  console.log(isGenuine(rawBody, timestamp || undefined, signature || undefined, keys.split(','), Number(now)));
}
