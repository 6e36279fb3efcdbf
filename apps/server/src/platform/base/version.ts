// Name and version of the service, from its package.
import { readFileSync } from 'node:fs';

export const SERVICE = 'limen';
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;
