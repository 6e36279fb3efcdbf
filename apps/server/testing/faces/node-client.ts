// A customer of the biometric node with an API key, the six calls, and an independent encryption.
import type { LightMyRequestResponse } from 'fastify';
import type { TestApp } from '#testing/test-app.ts';
import { createIndependentCipher, type IndependentCipher } from './independent-cipher.ts';

export interface CallOptions {
  /** Encryption version in the path of an encrypted call, if any */
  version?: string;
  /** Further fields of the body */
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

type Reply = Promise<LightMyRequestResponse>;

export interface NodeClient extends IndependentCipher {
  apiKey: string;
  keyId: string;
  /** Posts any body, as text or JSON, with the key in the header. */
  post(path: string, body: unknown, headers?: Record<string, string>): Reply;
  enroll(vectors: readonly (readonly number[])[], options?: CallOptions): Reply;
  predict(vectors: readonly (readonly number[])[], options?: CallOptions): Reply;
  deleteUser(puid: unknown, options?: CallOptions): Reply;
  plainEnroll(vector: readonly number[], options?: CallOptions): Reply;
  plainPredict(vector: readonly number[], options?: CallOptions): Reply;
  /** Decrypts `puid` and `guid` of an encrypted reply. */
  openIds(reply: { puid: string; guid: string }): { puid: string; guid: string };
}

/** Rule 5, encrypted and plain. */
export const NOBODY = { status: -1, message: 'User not enrolled', puid: '-1', guid: '-1', score: '-1' };
export const NOBODY_PLAIN = { ...NOBODY, statusCode: 200, score: -1 };
/** Reply to an enrollment without features. */
export const ENROLL_WITHOUT = { status: -2, message: 'Enrollment Failed Features not provided.' };

export const ENCRYPTED_CALLS = ['/node/enroll', '/node/predict', '/node/deleteUser'];
export const PLAIN_CALLS = ['/node/plainEnroll', '/node/plainPredict'];
export const NODE_CALLS = [
  ...ENCRYPTED_CALLS,
  ...ENCRYPTED_CALLS.map((path) => path.replace('/node', '/node/FACE3_2')),
  ...PLAIN_CALLS,
];
export const KEY_CHECK = '/node/api-key/checkApiKeyValid';

/** Posts without a key. */
export function postTo(app: TestApp, path: string, body: unknown, headers: Record<string, string> = {}): Reply {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  return app.http.inject({
    method: 'POST',
    url: path,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Creates a key. Keys with the same `customerId` belong together. */
export async function newCustomer(app: TestApp, customerId?: string): Promise<NodeClient> {
  const created = await app.apiKeys.create({
    kind: 'live',
    clientCredentials: false,
    ...(customerId !== undefined && { customerId }),
  });
  return createNodeClient(app, created.apiKey, created.record.id);
}

export function createNodeClient(app: TestApp, apiKey: string, keyId = ''): NodeClient {
  const cipher = createIndependentCipher(apiKey);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    postTo(app, path, body, { 'x-api-key': apiKey, ...headers });
  const pathOf = (call: string, { version }: CallOptions) =>
    version === undefined ? `/node/${call}` : `/node/${version}/${call}`;
  const encrypted = (call: string, vectors: readonly (readonly number[])[], options: CallOptions) =>
    post(
      pathOf(call, options),
      { features: cipher.seal('features', JSON.stringify(vectors.map(featureOf))), ...options.body },
      options.headers,
    );
  const plain = (call: string, vector: readonly number[], options: CallOptions) =>
    post(`/node/${call}`, { features: featureOf(vector), ...options.body }, options.headers);
  return {
    ...cipher,
    apiKey,
    keyId,
    post,
    enroll: (vectors, options = {}) => encrypted('enroll', vectors, options),
    predict: (vectors, options = {}) => encrypted('predict', vectors, options),
    deleteUser: (puid, options = {}) => post(pathOf('deleteUser', options), { puid, ...options.body }, options.headers),
    plainEnroll: (vector, options = {}) => plain('plainEnroll', vector, options),
    plainPredict: (vector, options = {}) => plain('plainPredict', vector, options),
    openIds: ({ puid, guid }) => ({ puid: cipher.open('puid', puid), guid: cipher.open('guid', guid) }),
  };
}

export function featureOf(vector: readonly number[]) {
  return { type: 'face', embedding_vector: vector };
}
