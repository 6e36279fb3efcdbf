// The biometric node: enrolls, recognizes and deletes faces given as vectors.
import { LimenError } from '../errors.ts';
import type { Call, CallOptions } from '../http/exchange.ts';
import type { RequestFunction } from '../http/request.ts';
import { rot13 as undoRot13 } from '../text/rot13.ts';
import { mintUuid } from '../text/uuid.ts';
import { createNodeCipher, ENCRYPTION_VERSION, type NodeCipher } from './encryption.ts';
import { type FaceFeature, type FaceFeatures, toFeature, toFeatures } from './features.ts';
import {
  type EnrollResult,
  type OpenId,
  type PlainEnrollResult,
  type PredictResult,
  readEnroll,
  readPlainEnroll,
  readPredict,
  readPredictMany,
  type ScoredPerson,
} from './replies.ts';

export interface NodeCallOptions extends CallOptions {
  /** Correlation id, written to the service's log and returned in `x-correlation-id`. */
  correlationId?: string | undefined;
}

export interface VersionedCallOptions extends NodeCallOptions {
  /** Model version of the vectors. Default: `FACE3_1`, and `FACE3_3` for plain calls. */
  version?: string | undefined;
}

export interface EnrollOptions extends VersionedCallOptions {
  /** Your own id for the person, stored only as a keyed digest. */
  userIdentifier?: string | undefined;
  /** Idempotency key. A repetition returns the first outcome. Default: a new one per call. */
  idempotencyKey?: string | undefined;
}

export interface PredictOptions extends VersionedCallOptions {
  /** Limits the search to the person enrolled with this id. */
  userIdentifier?: string | undefined;
}

/** Options of the plain calls. */
export interface PlainOptions {
  /** Requests ids in ROT13, which are decoded here. This is no protection. */
  rot13?: boolean | undefined;
}

export interface PlainNodeClient {
  enroll(face: FaceFeature, options?: EnrollOptions & PlainOptions): Promise<PlainEnrollResult>;
  predict(face: FaceFeature, options?: PredictOptions & PlainOptions): Promise<PredictResult>;
  predictMany(face: FaceFeature, k: number, options?: PredictOptions & PlainOptions): Promise<ScoredPerson[]>;
}

export interface NodeClient {
  /** Returns whether the service knows the client's API key and it is active. */
  checkApiKey(options?: NodeCallOptions): Promise<boolean>;
  /** Enrolls a person. Returns the existing person if the face is already enrolled. */
  enroll(faces: FaceFeatures, options?: EnrollOptions): Promise<EnrollResult>;
  /** Recognizes a person. Several vectors are averaged. */
  predict(faces: FaceFeatures, options?: PredictOptions): Promise<PredictResult>;
  /**
   * Returns the `k` (1 to 100) most similar people, best first. Empty if no one is similar enough
   * or no vector was usable.
   */
  predictMany(faces: FaceFeatures, k: number, options?: PredictOptions): Promise<ScoredPerson[]>;
  /** Deletes a person and all of their data. Returns false if the person does not exist. */
  deleteUser(puid: string, options?: VersionedCallOptions): Promise<boolean>;
  /** The calls without encryption, for one vector. Confidentiality then depends on https alone. */
  plain: PlainNodeClient;
}

/** The contract's limit. A test compares them. */
export const DEFAULT_VERSION = 'FACE3_1';
export const PREDICT_MAX_K = 100;

const VERSION = /^[A-Z0-9_]{1,32}$/;
const DELETE_FAILED = (error: LimenError) => error.status === 400 && error.message === 'delete failed';

/** Lets a retry after a lost reply still return `enrolled`. */
function withIdempotencyKey<Options extends EnrollOptions>(options: Options): Options {
  return { ...options, idempotencyKey: options.idempotencyKey ?? mintUuid() };
}

export function createNodeClient(request: RequestFunction, apiKey: string | undefined): NodeClient {
  const cipher = apiKey === undefined ? undefined : createNodeCipher(apiKey);

  const send = async (call: Pick<Call, 'path' | 'json' | 'headers' | 'saysGone'>, options: EnrollOptions) => {
    requireCipher(cipher);
    const { correlationId, signal, idempotencyKey } = options;
    const headers = { ...call.headers, 'x-correlation-id': correlationId };
    // Enrolling is idempotent: the same face returns the same person.
    return request<unknown>({ ...call, method: 'POST', headers, idempotencyKey, isIdempotent: true, signal });
  };
  const sendSealed = (operation: string, json: object, options: EnrollOptions, more: Pick<Call, 'saysGone'> = {}) => {
    const path = ['node', parseVersion(options.version) ?? DEFAULT_VERSION, operation];
    return send({ ...more, path, json, headers: { 'x-encryption-version': String(ENCRYPTION_VERSION) } }, options);
  };
  const sendPlain = (operation: string, json: object, options: EnrollOptions & PlainOptions) => {
    const headers = { 'x-encoding': options.rot13 === true ? 'rot13' : undefined };
    const version = parseVersion(options.version);
    return send({ path: ['node', operation], json: { version, ...json }, headers }, options);
  };
  const sealFeatures = (faces: FaceFeatures, repeatKey?: string) =>
    requireCipher(cipher).encrypt('features', JSON.stringify(toFeatures(faces)), repeatKey);
  const open: OpenId = (field, text) => requireCipher(cipher).decrypt(field, text);

  return {
    async checkApiKey(options = {}) {
      try {
        await send({ path: ['node', 'api-key', 'checkApiKeyValid'], json: {} }, options);
        return true;
      } catch (error) {
        // A proxy's 403 has no such number and says nothing about the key.
        if (error instanceof LimenError && error.status === 403 && error.nodeStatus !== undefined) return false;
        throw error;
      }
    },
    async enroll(faces, options = {}) {
      // The service compares encrypted requests by their bytes.
      const json = { features: await sealFeatures(faces, options.idempotencyKey), ...metadataOf(options) };
      return readEnroll(await sendSealed('enroll', json, withIdempotencyKey(options)), open);
    },
    async predict(faces, options = {}) {
      const json = { features: await sealFeatures(faces), user_identifier: options.userIdentifier };
      return readPredict(await sendSealed('predict', json, options), open);
    },
    async predictMany(faces, k, options = {}) {
      const K = parseK(k);
      const json = { features: await sealFeatures(faces), K, user_identifier: options.userIdentifier };
      return readPredictMany(await sendSealed('predict', json, options), open);
    },
    async deleteUser(puid, options = {}) {
      const sealer = requireCipher(cipher);
      if (typeof puid !== 'string' || puid === '') throw new TypeError('puid must be the puid of an enrolled person');
      try {
        const json = { puid: await sealer.encrypt('puid', puid) };
        await sendSealed('deleteUser', json, options, { saysGone: DELETE_FAILED });
        return true;
      } catch (error) {
        if (error instanceof LimenError && DELETE_FAILED(error)) return false;
        throw error;
      }
    },
    plain: {
      async enroll(face, options = {}) {
        const json = { features: toFeature(face), ...metadataOf(options) };
        return readPlainEnroll(await sendPlain('plainEnroll', json, withIdempotencyKey(options)), openPlain(options));
      },
      async predict(face, options = {}) {
        const json = { features: toFeature(face), user_identifier: options.userIdentifier };
        return readPredict(await sendPlain('plainPredict', json, options), openPlain(options));
      },
      async predictMany(face, k, options = {}) {
        const json = { features: toFeature(face), K: parseK(k), user_identifier: options.userIdentifier };
        return readPredictMany(await sendPlain('plainPredict', json, options), openPlain(options));
      },
    },
  };
}

function requireCipher(cipher: NodeCipher | undefined): NodeCipher {
  if (cipher) return cipher;
  throw new TypeError('limen.node needs an API key: pass apiKey to createLimenClient');
}

function metadataOf({ userIdentifier }: EnrollOptions): object {
  return userIdentifier === undefined ? {} : { metadata: { id: userIdentifier } };
}

function openPlain(options: PlainOptions): OpenId {
  return (_field, text) => (options.rot13 === true ? undoRot13(text) : text);
}

function parseVersion(version: string | undefined): string | undefined {
  if (version === undefined || (typeof version === 'string' && VERSION.test(version))) return version;
  throw new TypeError('version must be 1 to 32 characters of A-Z, 0-9 and _');
}

function parseK(k: number): number {
  if (Number.isInteger(k) && k >= 1 && k <= PREDICT_MAX_K) return k;
  throw new RangeError(`k must be a whole number from 1 to ${PREDICT_MAX_K}`);
}
