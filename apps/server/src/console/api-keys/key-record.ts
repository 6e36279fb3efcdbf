// An API key as the commands show it: the specification's record, field by field, so that no secret can slip in.
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { originsOf } from '../../platform/api-keys/embed-origins.ts';
import { type KeyTraits, NO_TRAITS } from '../../platform/api-keys/key-traits.ts';

/** Absent fields are left out; times are ISO 8601. */
export function toKeyRecord(
  key: ApiKeyRecord,
  { nativeApp, kiosk }: KeyTraits = NO_TRAITS,
): Record<string, string | true> {
  const fields = {
    id: key.id,
    customer_id: key.customer_id,
    api_id: key.api_id,
    usage_plan_id: key.usage_plan_id,
    product_code: key.product_code,
    status: key.status,
    when_created: new Date(key.when_created).toISOString(),
    last_updated: new Date(key.last_updated).toISOString(),
    kind: key.kind,
    label: key.label,
    client_id: key.client_id,
    embed_origins: originsOf(key).join(' ') || null,
  };
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    ...Object.fromEntries(present),
    ...(nativeApp && { native_app: true as const }),
    ...(kiosk && { kiosk: true as const }),
  };
}
