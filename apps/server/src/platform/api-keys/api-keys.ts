// API keys: made here, found by HMAC, kept sealed (webhooks are signed with them), refused unless active.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { StartError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { InTransaction } from '../database/database.ts';
import { DataKeyUnknown, type Sealer } from '../sealing/sealer.ts';
import { tables } from '../tables.ts';
import { originsOf, writeOrigins } from './embed-origins.ts';
import type { KeyTraits } from './key-traits.ts';
import { isSameOwner, type Owner, ownerOf } from './owner.ts';
import type { ApiKeyRow, ApiKeyStore } from './store.ts';

const KEY_RANDOM_BYTES = 32;
const ACTIVE = 'active';
const EDITED_DEVELOPMENT_KEY =
  'The row of DEV_API_KEY was edited in the database, so the key is invalid; choose another value.';
/** Longer header values are not keys of ours; they are not even hashed. */
const MAX_KEY_LENGTH = 512;

export type ApiKeyKind = ApiKeyRow['kind'];

/** The specification's record without the key itself, and what we add to it. */
export interface ApiKeyRecord {
  id: string;
  customer_id: string | null;
  api_id: string | null;
  usage_plan_id: string | null;
  product_code: string | null;
  status: string;
  when_created: number;
  last_updated: number;
  kind: ApiKeyKind;
  label: string | null;
  client_id: string | null;
  /** As `originsOf` reads them. */
  embed_origins: string | null;
}

export interface NewApiKey {
  /** Chosen by whoever has to know it before; by default a random one. */
  id?: string;
  kind: ApiKeyKind;
  /** Chosen value; by default a random one. */
  value?: string;
  label?: string | undefined;
  customerId?: string | undefined;
  apiId?: string | undefined;
  usagePlanId?: string | undefined;
  productCode?: string | undefined;
  /** The only sites that may embed its pages, as `readOrigins` lets them pass. */
  embedOrigins?: readonly string[] | undefined;
  traits?: KeyTraits | undefined;
  clientCredentials: boolean;
}

/** The only moment at which the secrets are seen. */
export interface CreatedApiKey {
  record: ApiKeyRecord;
  apiKey: string;
  clientId: string | undefined;
  clientSecret: string | undefined;
}

/** The key is there, and what is sealed in it is not to be had any more; unlike a failing database, that stays so. */
export class KeyUnreadable extends Error {
  override readonly name = 'KeyUnreadable';
}

interface ApiKeysOptions {
  store: ApiKeyStore;
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
  /** False in production: a key that was printed on somebody's screen opens nothing there. */
  allowDevelopmentKeys: boolean;
  /** Told of every key that was let in; must return at once. */
  onUse?: (id: string) => void;
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys(options: ApiKeysOptions) {
  const { store, sealer, clock, ids, allowDevelopmentKeys, onUse } = options;
  const lookupOf = (value: string) => sealer.digest('api_keys/lookup', value);
  const secretDigest = (secret: string) => sealer.digest('api_keys/client_secret', secret);

  const apiKeys = {
    async create(wanted: NewApiKey): Promise<CreatedApiKey> {
      const apiKey = wanted.value ?? `limen_${wanted.kind}_${randomBytes(KEY_RANDOM_BYTES).toString('base64url')}`;
      const clientId = wanted.clientCredentials ? ids.random() : undefined;
      const clientSecret = wanted.clientCredentials ? randomBytes(KEY_RANDOM_BYTES).toString('base64url') : undefined;
      const id = wanted.id ?? ids.random();
      const now = clock.now();
      const row: Omit<ApiKeyRow, 'mac'> = {
        id,
        lookup: lookupOf(apiKey),
        sealed_key: sealer.seal(Buffer.from(apiKey), tables.api_keys.places.sealed_key({ id })),
        ...describeKey(wanted),
        status: ACTIVE,
        client_id: clientId ?? null,
        client_secret_digest: clientSecret === undefined ? null : secretDigest(clientSecret),
        when_created: now,
        last_updated: now,
      };
      await store.insert(row, wanted.traits);
      return { record: recordOf(row), apiKey, clientId, clientSecret };
    },
    async list(): Promise<ApiKeyRecord[]> {
      return (await store.list()).map(recordOf);
    },
    /** Returns false if there is no such key. `noted` here and below: put on record with it. */
    revoke: (id: string, noted?: InTransaction): Promise<boolean> =>
      store.change(id, { status: 'revoked', last_updated: clock.now() }, noted),
    relabel: (id: string, label: string, noted?: InTransaction): Promise<boolean> =>
      store.change(id, { label, last_updated: clock.now() }, noted),
    /** Sets the only sites that may embed its pages; with none the service's settings decide. */
    limitOrigins: (id: string, origins: readonly string[], noted?: InTransaction): Promise<boolean> =>
      store.change(id, { embed_origins: writeOrigins(origins), last_updated: clock.now() }, noted),
    /** Returns undefined if there is no such key, or not of this owner. */
    async originsOf(id: string, owner: Owner): Promise<string[] | undefined> {
      const row = await store.findById(id);
      return row && isSameOwner(ownerOf(row), owner) ? originsOf(row) : undefined;
    },
    /** Exemptions of its devices; none for a key that does not exist. */
    traitsOf: store.traits.find,
    listTraits: store.traits.list,
    /** Returns false if there is no such key. */
    setTraits: store.saveTraits,
    /** Returns the active key with this value. */
    async authenticate(presented: string | undefined): Promise<ApiKeyRecord | undefined> {
      if (!presented || presented.length > MAX_KEY_LENGTH) return undefined;
      const row = await store.findByLookup(lookupOf(presented));
      if (row?.status !== ACTIVE || (row.kind === 'development' && !allowDevelopmentKeys)) return undefined;
      onUse?.(row.id);
      return recordOf(row);
    },
    /** Whether a key that was made with client credentials got the right ones. */
    async clientMatches(record: ApiKeyRecord, clientId: string, clientSecret: string): Promise<boolean> {
      const row = await store.findById(record.id);
      if (!row?.client_secret_digest || row.client_id === null) return false;
      const sameSecret = timingSafeEqual(row.client_secret_digest, secretDigest(clientSecret));
      return sameSecret && row.client_id === clientId;
    },
    /**
     * Returns the key's value, for signing and for the development banner. Throws KeyUnreadable if it does not open. With an `owner`
     * only if it is theirs: the row that names a key may have been edited.
     */
    async reveal(id: string, owner?: Owner): Promise<string | undefined> {
      const row = await store.findById(id);
      if (row && owner && !isSameOwner(ownerOf(row), owner)) return undefined;
      try {
        return row && sealer.open(row.sealed_key, tables.api_keys.places.sealed_key({ id: row.id })).toString();
      } catch (cause) {
        if (cause instanceof DataKeyUnknown) throw cause;
        throw new KeyUnreadable('a sealed API key does not open', { cause });
      }
    },
    /** Returns the development key, made on first use; with `value` the one of that value. */
    async ensureDevelopmentKey(value: string | undefined): Promise<ApiKeyRecord> {
      const existing =
        value === undefined ? await store.findDevelopmentKey() : await store.findByLookup(lookupOf(value));
      if (existing && (existing.status !== ACTIVE || existing.kind !== 'development')) {
        const { status, kind } = existing;
        throw new StartError(`DEV_API_KEY is the value of a ${status} ${kind} key; choose another one.`);
      }
      if (existing) return recordOf(existing);
      const wanted = { kind: 'development', label: 'development', clientCredentials: false } as const;
      try {
        return (await apiKeys.create(value === undefined ? wanted : { ...wanted, value })).record;
      } catch (error) {
        // Another process that started at the same moment made it first.
        const made = value === undefined ? undefined : await store.findByLookup(lookupOf(value));
        if (made) return recordOf(made);
        const isEdited = value !== undefined && (await store.hasLookup(lookupOf(value)));
        if (!isEdited) throw error;
        throw new StartError(EDITED_DEVELOPMENT_KEY);
      }
    },
  };
  return apiKeys;
}

/** Columns of a new key that say what it is for */
function describeKey({ kind, label, customerId, apiId, usagePlanId, productCode, embedOrigins = [] }: NewApiKey) {
  return {
    kind,
    label: label ?? null,
    customer_id: customerId ?? null,
    api_id: apiId ?? null,
    usage_plan_id: usagePlanId ?? null,
    product_code: productCode ?? null,
    embed_origins: writeOrigins(embedOrigins),
  };
}

function recordOf(row: Omit<ApiKeyRow, 'mac'> & { mac?: Uint8Array }): ApiKeyRecord {
  const { lookup: _, sealed_key: __, client_secret_digest: ___, mac: ____, ...record } = row;
  return record;
}
