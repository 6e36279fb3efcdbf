// An API key as operators see it; its value is never among it.
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import type { KeyView } from './views.ts';

export function presentKey(record: ApiKeyRecord): KeyView {
  return {
    id: record.id,
    kind: record.kind,
    world: ownerOf(record).world,
    label: record.label,
    customer: record.customer_id,
    isActive: record.status === 'active',
    hasClientCredentials: record.client_id !== null,
    createdAt: record.when_created,
  };
}

/** The newest first. */
export function keyViewsOf(records: readonly ApiKeyRecord[]): KeyView[] {
  return records.map(presentKey).sort((one, other) => other.createdAt - one.createdAt);
}

export function keyLabels(records: readonly ApiKeyRecord[]): ReadonlyMap<string, string | null> {
  return new Map(records.map(({ id, label }) => [id, label]));
}
