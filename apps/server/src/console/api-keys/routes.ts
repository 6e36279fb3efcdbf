// Calls that manage API keys. Permissions depend on the world of the key.
import { oneOf } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { MAX_ORIGIN_LENGTH, MAX_ORIGINS, readOrigins, writeOrigins } from '../../platform/api-keys/embed-origins.ts';
import { AppError, invalid } from '../../platform/base/errors.ts';
import type { World } from '../../platform/base/world.ts';
import type { Context } from '../../platform/context.ts';
import { Answer, type Console } from '../door/console.ts';
import { requireOperator } from '../door/guard.ts';
import { type KeyView, presentKey, presentKeys } from '../door/key-names.ts';
import type { CreatedKeyView } from '../door/views.ts';
import { MAX_KEY_TEXT_LENGTH } from '../limits.ts';
import { isAllowed } from '../operators/permissions.ts';

const text = Type.String({ minLength: 1, maxLength: MAX_KEY_TEXT_LENGTH });
const NewKey = Type.Object({
  kind: oneOf(['live', 'test']),
  label: text,
  customer: Type.Optional(text),
  clientCredentials: Type.Boolean(),
  nativeApp: Type.Optional(Type.Boolean()),
  kiosk: Type.Optional(Type.Boolean()),
  ...Answer.properties,
});
const Label = Type.Object({ label: text });
const Origins = Type.Object({
  origins: Type.Array(Type.String({ maxLength: MAX_ORIGIN_LENGTH }), { maxItems: MAX_ORIGINS }),
  ...Answer.properties,
});
const IdPath = Type.Object({ id: Type.String() });

export function registerKeyRoutes(
  { add, record, recordWith, confirm }: Console,
  { apiKeys, keyUses, ids }: Pick<Context, 'apiKeys' | 'keyUses' | 'ids'>,
): void {
  add('GET /console/api/keys', {}, async () => ({
    keys: presentKeys(await apiKeys.list(), await keyUses.list(), await apiKeys.listTraits()),
  }));

  add('POST /console/api/keys', { body: NewKey }, async ({ body, request, reply }) => {
    const { kind, clientCredentials, nativeApp = false, kiosk = false } = body;
    const traits = { nativeApp, kiosk };
    await requireWorld(request, kind);
    const label = readLine('label', body.label);
    const customer = body.customer === undefined ? undefined : readLine('customer', body.customer);
    const names = [...(nativeApp ? ['native-app'] : []), ...(kiosk ? ['kiosk'] : [])];
    const about = JSON.stringify([kind, body.label, body.customer ?? null, clientCredentials, ...names]);
    await confirm(request, 'key.create', about, body);
    const id = ids.random();
    await record(request, 'key.create', id);
    const chosenTraits = names.length > 0 ? traits : undefined;
    const made = await apiKeys.create({
      id,
      kind,
      label,
      clientCredentials,
      customerId: customer,
      traits: chosenTraits,
    });
    const { apiKey, clientId = null, clientSecret = null } = made;
    const created: CreatedKeyView = { key: presentKey(made.record, null, traits), apiKey, clientId, clientSecret };
    return reply.code(201).send(created);
  });

  add('POST /console/api/keys/:id/label', { params: IdPath, body: Label }, async ({ params, body, request }) => {
    const key = await find(params.id, request);
    const label = readLine('label', body.label);
    if (!(await apiKeys.relabel(key.id, label, recordWith(request, 'key.label', key.id)))) throw notFound();
    return present({ ...key, label });
  });

  add('POST /console/api/keys/:id/origins', { params: IdPath, body: Origins }, async ({ params, body, request }) => {
    const key = await find(params.id, request);
    const origins = readOrigins(body.origins, 'body.origins');
    await confirm(request, 'key.origins', JSON.stringify([key.id, ...body.origins]), body);
    const writeAudit = recordWith(request, 'key.origins', key.id);
    if (!(await apiKeys.limitOrigins(key.id, origins, writeAudit))) throw notFound();
    return present({ ...key, embed_origins: writeOrigins(origins) });
  });

  add(
    'POST /console/api/keys/:id/revoke',
    { params: IdPath, body: Answer },
    async ({ params, body, request }): Promise<KeyView> => {
      const key = await find(params.id, request);
      await confirm(request, 'key.revoke', key.id, body);
      if (!(await apiKeys.revoke(key.id, recordWith(request, 'key.revoke', key.id)))) throw notFound();
      return { ...(await present(key)), isActive: false };
    },
  );

  async function present(key: ApiKeyRecord): Promise<KeyView> {
    return presentKey(key, null, await apiKeys.traitsOf(key.id));
  }

  async function find(id: string, request: FastifyRequest): Promise<ApiKeyRecord> {
    const key = (await apiKeys.list()).find((listed) => listed.id === id);
    if (!key) throw notFound();
    await requireWorld(request, presentKey(key).world);
    return key;
  }

  async function requireWorld(request: FastifyRequest, world: World): Promise<void> {
    const { role } = requireOperator(request).operator;
    if (world === 'test' || isAllowed(role, 'keys.write.live')) return;
    await record(request, 'refused', 'live key');
    throw new AppError('forbidden', `The role ${role} makes and changes test keys only.`);
  }
}

function readLine(field: string, value: string): string {
  const line = value.trim();
  if (line === '' || /\p{Cc}/u.test(line)) throw invalid(`body.${field}`, 'must be one line of text');
  return line;
}

function notFound(): AppError {
  return new AppError('not_found', 'No API key has this id.');
}
