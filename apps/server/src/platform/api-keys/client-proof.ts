// Checks client credentials. Data of verification sessions needs more than a key that has such credentials: every receiver of
// webhooks knows the key.
import type { ApiKeyRecord, ApiKeys } from './api-keys.ts';

declare const proofBrand: unique symbol;

/** A key that came with its client credentials, or has none */
export type ProvenKey = ApiKeyRecord & { readonly [proofBrand]: true };

const MAX_BASIC_LENGTH = 1_024;

/** Returns undefined if the `Authorization` header lacks the key's credentials. */
export async function proveClient(
  apiKeys: Pick<ApiKeys, 'clientMatches'>,
  record: ApiKeyRecord,
  authorization: string | undefined,
): Promise<ProvenKey | undefined> {
  if (record.client_id === null) return record as ProvenKey;
  const credentials = readBasic(authorization);
  const isProven = credentials && (await apiKeys.clientMatches(record, credentials.user, credentials.password));
  return isProven ? (record as ProvenKey) : undefined;
}

/** RFC 7617. */
export function readBasic(header: string | undefined): { user: string; password: string } | undefined {
  if (header === undefined || header.length > MAX_BASIC_LENGTH) return undefined;
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
