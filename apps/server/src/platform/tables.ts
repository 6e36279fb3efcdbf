// The tables of the platform.
import { bindPath, bytes, defineTable, integer, nullable, rowSeal, type SchemaRows, text } from './database/table.ts';

/**
 * Phase of a migration. A start applies `expand`, which processes of the previous version tolerate. `limen migrate --contract` applies
 * `contract`, which removes what only that version needs.
 */
export type Phase = 'expand' | 'contract';

export const tables = {
  schema_migrations: defineTable({
    about: 'Which schema migrations have run.',
    stays: 'for ever',
    deletedBy: 'nothing',
    key: ['name'],
    columns: {
      name: text('nothing'),
      applied_at: integer('nothing'),
      phase: text<Phase>('nothing'),
    },
  }),
  processes: defineTable({
    about: 'Which processes work on the database, of which version.',
    stays: 'until the process ends, or an hour after it was last seen',
    deletedBy: 'the end of the process',
    key: ['id'],
    columns: {
      id: text('nothing'),
      version: text('nothing'),
      knows: text('nothing'),
      /** Newest data key that the process can open, and the one it seals with. Null until it has read the keys. */
      opens_with: nullable(text('nothing')),
      seals_with: nullable(text('nothing')),
      host: text('nothing'),
      pid: integer('nothing'),
      started_at: integer('nothing'),
      seen_at: integer('nothing'),
    },
  }),
  clock: defineTable({
    about: 'When a service last ran.',
    stays: 'as long as the database',
    deletedBy: 'nothing',
    key: ['id'],
    columns: {
      id: integer('nothing'),
      /** Last heartbeat of a service whose clock was right, or its confirmation. */
      seen_at: integer('nothing'),
      /** Boot id of the machine at that heartbeat; null if the system has none. */
      boot: nullable(text('nothing')),
      uptime_ms: integer('nothing'),
    },
  }),
  data_keys: defineTable({
    about: 'The keys that everything else is sealed with.',
    stays: 'for ever',
    deletedBy: 'nothing',
    key: ['id'],
    columns: {
      id: text('nothing'),
      /** `seal` keys encrypt values, `row` keys seal whole rows, the `lookup` key makes HMACs that are searched for. */
      purpose: text<'seal' | 'row' | 'lookup'>('nothing'),
      wrapped: bytes('sealed', 'the key, under the master key'),
      created_at: integer('nothing'),
    },
  }),
  api_keys: defineTable({
    about: 'API keys.',
    stays: 'permanently, revoked keys included',
    deletedBy: 'nothing',
    key: ['id'],
    columns: {
      id: text('nothing'),
      /** Finds the key; the key itself is sealed. */
      lookup: bytes('digest', 'of the key'),
      sealed_key: bytes('sealed', 'the key, which also signs webhooks'),
      kind: text<'live' | 'test' | 'development'>('nothing'),
      label: nullable(text('readable', 'the name shown to people as the one who asks')),
      customer_id: nullable(text('readable', 'the name you gave a customer')),
      api_id: nullable(text('nothing')),
      usage_plan_id: nullable(text('nothing')),
      product_code: nullable(text('nothing')),
      status: text('nothing'),
      client_id: nullable(text('nothing')),
      client_secret_digest: nullable(bytes('digest', 'of the secret')),
      when_created: integer('nothing'),
      last_updated: integer('nothing'),
      /** JSON array; null if the service's settings decide. */
      embed_origins: nullable(text('readable', 'sites that may embed the key’s pages')),
      mac: rowSeal(),
    },
    places: { sealed_key: bindPath('api_keys/sealed_key', 'id') },
  }),
  api_key_uses: defineTable({
    about: 'When each API key was last used, to the hour.',
    stays: 'for ever, of revoked keys too',
    deletedBy: 'nothing',
    key: ['key_id'],
    columns: {
      key_id: text('nothing'),
      used_at: integer('nothing'),
    },
  }),
  api_key_traits: defineTable({
    about: 'Exemptions of API keys: native apps and kiosks.',
    stays: 'permanently, also for revoked keys',
    deletedBy: 'nothing',
    key: ['key_id'],
    columns: {
      key_id: text('nothing'),
      /** 1 if the key's sessions run in an app, which has no browser data. */
      native_app: integer('nothing'),
      /** 1 if many people share one device or address, so bursts are normal. */
      kiosk: integer('nothing'),
      mac: rowSeal(),
    },
  }),
  jobs: defineTable({
    about: 'Work in progress: webhooks, enrollments, timers.',
    stays: 'until it is done; if it fails for good, for 30 days, except that a failed enrollment is deleted at once',
    deletedBy: 'deletion of what it is about',
    key: ['id'],
    columns: {
      id: text('pseudonym'),
      kind: text('nothing'),
      payload: bytes('sealed', 'ids, and for an enrollment the face vector'),
      state: text<'ready' | 'running' | 'dead'>('nothing'),
      attempts: integer('nothing'),
      run_at: integer('nothing'),
      /** Run that may finish this job. A run that lost its lease no longer matches. */
      lease_token: nullable(text('nothing')),
      lease_until: nullable(integer('nothing')),
      /** At most one job that is not dead per kind and unique key. */
      unique_key: nullable(text('pseudonym')),
      last_error: nullable(text('nothing', 'a class or code, never free text')),
      created_at: integer('pseudonym'),
    },
    places: { payload: bindPath('jobs/payload', 'id') },
  }),
  idempotency_keys: defineTable({
    about: 'Replies that are repeated when a request comes twice.',
    stays: 'for 24 hours',
    deletedBy: 'deletion of what the reply created',
    key: ['scope', 'key_digest'],
    columns: {
      scope: text('pseudonym', 'part of the API, customer and world'),
      key_digest: bytes('digest'),
      request_digest: bytes('digest', 'of the body'),
      reply: bytes('sealed', 'the first reply'),
      /** Resource that the reply created (`strings/<id>`); both are deleted together. */
      resource: text('pseudonym'),
      expires_at: integer('nothing'),
    },
    places: { reply: bindPath('idempotency_keys/reply', 'key_digest') },
  }),
};

declare module './database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
