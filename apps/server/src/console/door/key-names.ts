// An API key as operators see it, never with its value.
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { listOrigins } from '../../platform/api-keys/embed-origins.ts';
import { type KeyTraits, NO_TRAITS } from '../../platform/api-keys/key-traits.ts';
import { toOwner } from '../../platform/api-keys/owner.ts';

export function presentKey(
  record: ApiKeyRecord,
  lastUsedAt: number | null = null,
  { nativeApp, kiosk }: KeyTraits = NO_TRAITS,
) {
  return {
    id: record.id,
    kind: record.kind,
    world: toOwner(record).world,
    label: record.label,
    customer: record.customer_id,
    isActive: record.status === 'active',
    hasClientCredentials: record.client_id !== null,
    createdAt: record.when_created,
    /** To the hour; null before the first use */
    lastUsedAt,
    /** Only sites that may embed its pages; empty for no limit */
    embedOrigins: listOrigins(record),
    nativeApp,
    kiosk,
  };
}

export type KeyView = ReturnType<typeof presentKey>;

export function presentKeys(
  records: readonly ApiKeyRecord[],
  uses: ReadonlyMap<string, number> = new Map(),
  traits: ReadonlyMap<string, KeyTraits> = new Map(),
): KeyView[] {
  const views = records.map((record) => presentKey(record, uses.get(record.id), traits.get(record.id)));
  return views.sort((a, b) => b.createdAt - a.createdAt);
}

export function mapKeyNames(records: readonly ApiKeyRecord[]) {
  const labels = new Map(records.map(({ id, label }) => [id, label]));
  const customers = new Map(records.map((key) => [toOwner(key).customer as string, key.customer_id ?? key.label]));
  return {
    labelOf: (keyId: string) => labels.get(keyId) ?? null,
    /** Returns the name of the customer. A customer that is one key has the label of the key. */
    customerOf: (customer: string) => customers.get(customer) ?? customer,
  };
}

export type KeyNames = ReturnType<typeof mapKeyNames>;
