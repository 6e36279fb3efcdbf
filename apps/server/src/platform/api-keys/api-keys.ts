// API keys: found by HMAC, stored sealed (webhooks are signed with them), refused unless active.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { StartError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { InTransaction } from '../database/database.ts';
import { type Sealer, UnknownDataKeyError } from '../sealing/sealer.ts';
import { tables } from '../tables.ts';
import { listOrigins, writeOrigins } from './embed-origins.ts';
import type { KeyTraits } from './key-traits.ts';
import { isSameOwner, type Owner, toOwner } from './owner.ts';
import type { ApiKeyRow, ApiKeyStore } from './store.ts';

const KEY_RANDOM_BYTES = 32;
const ACTIVE = 'active';
const EDITED_DEVELOPMENT_KEY =
  'The row of DEV_API_KEY was edited in the database, so the key is invalid; choose another value.';
/** Longer header values are refused before they are hashed. */
const MAX_KEY_LENGTH = 512;

export type ApiKeyKind = ApiKeyRow['kind'];

export type ApiKeyRecord = Omit<ApiKeyRow, 'lookup' | 'sealed_key' | 'client_secret_digest' | 'mac'>;

export interface NewApiKey {
  /** Random by default; chosen if a caller has to know it in advance */
  id?: string;
  kind: ApiKeyKind;
  value?: string;
  label?: string | undefined;
  customerId?: string | undefined;
  apiId?: string | undefined;
  usagePlanId?: string | undefined;
  productCode?: string | undefined;
  /** Only sites that may embed its pages, as `readOrigins` returns them */
  embedOrigins?: readonly string[] | undefined;
  traits?: KeyTraits | undefined;
  clientCredentials: boolean;
}

export type CreatedApiKey = Awaited<ReturnType<ApiKeys['create']>>;

/** The key exists, but its sealed value does not open. Unlike a failing database, this is permanent. */
export class UnreadableKeyError extends Error {
  override readonly name = 'UnreadableKeyError';
}

interface ApiKeysOptions {
  store: ApiKeyStore;
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
  /** False in production: development keys are printed on screens. */
  allowDevelopmentKeys: boolean;
  /** Called for every accepted key; must return at once. */
  onUse?: (id: string) => void;
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys, onUse }: ApiKeysOptions) {
  const lookupOf = (value: string) => sealer.digest('api_keys/lookup', value);
  const secretDigest = (secret: string) => sealer.digest('api_keys/client_secret', secret);

  const apiKeys = {
    /** Returns the new key with its secrets, which are not shown again. */
    async create(wanted: NewApiKey) {
      const newSecret = () => randomBytes(KEY_RANDOM_BYTES).toString('base64url');
      const { id = ids.random(), value: apiKey = `limen_${wanted.kind}_${newSecret()}` } = wanted;
      const clientId = wanted.clientCredentials ? ids.random() : undefined;
      const clientSecret = wanted.clientCredentials ? newSecret() : undefined;
      const now = clock.now();
      const row: Omit<ApiKeyRow, 'mac'> = {
        id,
        lookup: lookupOf(apiKey),
        sealed_key: sealer.seal(Buffer.from(apiKey), tables.api_keys.places.sealed_key({ id })),
        kind: wanted.kind,
        label: wanted.label ?? null,
        customer_id: wanted.customerId ?? null,
        api_id: wanted.apiId ?? null,
        usage_plan_id: wanted.usagePlanId ?? null,
        product_code: wanted.productCode ?? null,
        embed_origins: writeOrigins(wanted.embedOrigins ?? []),
        status: ACTIVE,
        client_id: clientId ?? null,
        client_secret_digest: clientSecret === undefined ? null : secretDigest(clientSecret),
        when_created: now,
        last_updated: now,
      };
      await store.insert(row, wanted.traits);
      return { record: toRecord(row), apiKey, clientId, clientSecret };
    },
    async list(): Promise<ApiKeyRecord[]> {
      return (await store.list()).map(toRecord);
    },
    /** Returns false if there is no such key. `writeAudit` here and below: writes the record of the act in the same transaction. */
    revoke: (id: string, writeAudit?: InTransaction): Promise<boolean> =>
      store.change(id, { status: 'revoked', last_updated: clock.now() }, writeAudit),
    relabel: (id: string, label: string, writeAudit?: InTransaction): Promise<boolean> =>
      store.change(id, { label, last_updated: clock.now() }, writeAudit),
    /** Sets the only sites that may embed its pages. With no site, the service's settings decide. */
    limitOrigins: (id: string, origins: readonly string[], writeAudit?: InTransaction): Promise<boolean> =>
      store.change(id, { embed_origins: writeOrigins(origins), last_updated: clock.now() }, writeAudit),
    async originsOf(id: string, owner: Owner): Promise<string[] | undefined> {
      const row = await store.findById(id);
      return row && isSameOwner(toOwner(row), owner) ? listOrigins(row) : undefined;
    },
    traitsOf: store.traits.find,
    listTraits: store.traits.list,
    setTraits: store.saveTraits,
    async authenticate(presented: string | undefined): Promise<ApiKeyRecord | undefined> {
      if (!presented || presented.length > MAX_KEY_LENGTH) return undefined;
      const row = await store.findByLookup(lookupOf(presented));
      if (row?.status !== ACTIVE || (row.kind === 'development' && !allowDevelopmentKeys)) return undefined;
      onUse?.(row.id);
      return toRecord(row);
    },
    async clientMatches(record: ApiKeyRecord, clientId: string, clientSecret: string): Promise<boolean> {
      const row = await store.findById(record.id);
      if (!row?.client_secret_digest || row.client_id === null) return false;
      const sameSecret = timingSafeEqual(row.client_secret_digest, secretDigest(clientSecret));
      return sameSecret && row.client_id === clientId;
    },
    /**
     * Returns the key's value. Throws UnreadableKeyError if it does not open. An `owner` gets only
     * its own key.
     */
    async reveal(id: string, owner?: Owner): Promise<string | undefined> {
      const row = await store.findById(id);
      if (row && owner && !isSameOwner(toOwner(row), owner)) return undefined;
      try {
        return row && sealer.open(row.sealed_key, tables.api_keys.places.sealed_key({ id: row.id })).toString();
      } catch (cause) {
        if (cause instanceof UnknownDataKeyError) throw cause;
        throw new UnreadableKeyError('a sealed API key does not open', { cause });
      }
    },
    /** Returns the development key, with `value` if given; creates it on first use. */
    async ensureDevelopmentKey(value: string | undefined): Promise<ApiKeyRecord> {
      const existing =
        value === undefined ? await store.findDevelopmentKey() : await store.findByLookup(lookupOf(value));
      if (existing && (existing.status !== ACTIVE || existing.kind !== 'development')) {
        const { status, kind } = existing;
        throw new StartError(`DEV_API_KEY is the value of a ${status} ${kind} key; choose another one.`);
      }
      if (existing) return toRecord(existing);
      const wanted = { kind: 'development', label: 'development', clientCredentials: false } as const;
      try {
        return (await apiKeys.create(value === undefined ? wanted : { ...wanted, value })).record;
      } catch (error) {
        // Another process may have created it at the same moment.
        const made = value === undefined ? undefined : await store.findByLookup(lookupOf(value));
        if (made) return toRecord(made);
        const isEdited = value !== undefined && (await store.hasLookup(lookupOf(value)));
        if (!isEdited) throw error;
        throw new StartError(EDITED_DEVELOPMENT_KEY);
      }
    },
  };
  return apiKeys;
}

function toRecord(row: Omit<ApiKeyRow, 'mac'> & { mac?: Uint8Array }): ApiKeyRecord {
  const { lookup: _, sealed_key: __, client_secret_digest: ___, mac: ____, ...record } = row;
  return record;
}
