// Whether a caller has proved to be the client that a key was made for. Where data of verification sessions can be read or
// changed, the key alone is not enough for a key with client credentials: every receiver of webhooks has it. This decides
// it for the whole API.
import type { ApiKeyRecord, ApiKeys } from './api-keys.ts';

declare const proofBrand: unique symbol;

/** A key that came with its client credentials, or has none. What reaches D's data asks for one of these. */
export type ProvenKey = ApiKeyRecord & { readonly [proofBrand]: true };

/** Client id and secret are short; what is longer is not even decoded. */
const MAX_BASIC_LENGTH = 1_024;

/** Undefined when the credentials of the key are missing or wrong in the `Authorization` header. */
export async function proveClient(
  apiKeys: Pick<ApiKeys, 'clientMatches'>,
  record: ApiKeyRecord,
  authorization: string | undefined,
): Promise<ProvenKey | undefined> {
  if (record.client_id === null) return record as ProvenKey;
  const given = readBasic(authorization);
  const isProven = given && (await apiKeys.clientMatches(record, given.user, given.password));
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
