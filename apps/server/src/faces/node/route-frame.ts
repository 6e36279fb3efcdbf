// What the routes of the biometric node share: headers and refusals in the reference, the guard, and the two forms of a call.
import { DEFAULT_VERSION, NODE_FIELDS_CHECKED_LAST, NodeStatusReply, ref } from '@limen/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { buildValidatorWithout } from '../../platform/http/body/validation.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { MAX_ENCRYPTED_NODE_BYTES, MAX_PLAIN_NODE_BYTES } from '../limits.ts';
import type { NodeAccess } from './access.ts';
import { createNodeCipher } from './cipher.ts';
import {
  readEncryptedFeatures,
  readPlainFeatures,
  readVersion,
  requireKnownEncryption,
  wantsRot13,
} from './read-request.ts';
import { type Disguise, rot13, unknownKey } from './replies.ts';

export const NODE_REFUSALS = {
  400: ref(NodeStatusReply, 'The request cannot be used; `message` says what is wrong.'),
  403: ref(
    NodeStatusReply,
    'The API key is missing, unknown or inactive, or header and body disagree; or the gallery is that of verification sessions, and the key’s client credentials are missing or wrong.',
  ),
  413: ref(NodeStatusReply, 'The body is too large.'),
  415: ref(NodeStatusReply, 'The body is not sent as application/json.'),
  429: ref(
    NodeStatusReply,
    'Too many requests with this key, or from this address without a valid one; `Retry-After` says when to try again.',
  ),
};

const VersionPath = Type.Object({
  version: Type.String({ description: `Face model version, \`[A-Z0-9_]{1,32}\`; \`${DEFAULT_VERSION}\` if left out.` }),
});
const CommonHeaders = {
  'x-correlation-id': Type.Optional(
    Type.String({ description: 'Your own id for tracking; repeated in the reply and the log.' }),
  ),
};
export const EncryptedHeaders = {
  ...CommonHeaders,
  'x-encryption-version': Type.Optional(Type.String({ description: 'Only `1`, the default, is supported.' })),
};
export const PlainHeaders = {
  ...CommonHeaders,
  'x-encoding': Type.Optional(
    Type.String({ description: '`rot13` writes `puid` and `guid` in ROT13, which protects nothing.' }),
  ),
};

interface NodeRoute<Body> {
  /** Parts of the schema that are the route's own. */
  schema: { summary: string; description?: string; headers?: TObject<TProperties>; body: TSchema; response: object };
  /** Refusal of a request without any key; `unknownKey` unless given. */
  ifKeyMissing?: () => Error;
  handler: (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply) => Promise<unknown>;
}

/** An encrypted call or a plain one. */
export interface NodeCall {
  isPlain: boolean;
  modelVersion: string;
  /** Undefined if an encrypted array has no features. */
  readFeatures(features: unknown): number[][] | undefined;
  disguise: Disguise;
}

export class NodeFrame {
  readonly #app: HttpServer;
  readonly #access: NodeAccess;

  constructor(app: HttpServer, access: NodeAccess) {
    this.#app = app;
    this.#access = access;
  }

  post<Body>(path: string, route: NodeRoute<Body>): void {
    this.#app.post(`/node/${path}`, this.#optionsOf(route, MAX_PLAIN_NODE_BYTES), route.handler as never);
  }

  /** Adds a route whose path may name the face model version. */
  postVersioned<Body>(name: string, route: NodeRoute<Body>, bodyLimit = MAX_ENCRYPTED_NODE_BYTES): void {
    const options = this.#optionsOf(route, bodyLimit);
    const withVersion = { ...options, schema: { ...options.schema, params: VersionPath } };
    this.#app.post(`/node/:version/${name}`, withVersion, route.handler as never);
    this.#app.post(`/node/${name}`, options, route.handler as never);
  }

  openEncrypted(request: FastifyRequest): NodeCall {
    const { cipher, modelVersion } = this.openCipher(request);
    return {
      isPlain: false,
      modelVersion,
      readFeatures: (features) => readEncryptedFeatures(features, cipher),
      disguise: (field, id) => cipher.encrypt(field, id),
    };
  }

  openCipher(request: FastifyRequest) {
    requireKnownEncryption(request.headers);
    const { version = DEFAULT_VERSION } = request.params as { version?: string };
    return { cipher: createNodeCipher(this.#access.keyOf(request)), modelVersion: readVersion(version) };
  }

  openPlain({ headers, body }: FastifyRequest<{ Body: { version?: string } }>): NodeCall {
    const disguise: Disguise = wantsRot13(headers) ? (_field, id) => rot13(id) : (_field, id) => id;
    return { isPlain: true, modelVersion: readVersion(body.version), readFeatures: readPlainFeatures, disguise };
  }

  #optionsOf<Body>({ schema, ifKeyMissing = unknownKey }: NodeRoute<Body>, bodyLimit: number) {
    return {
      ...this.#access.hooks(ifKeyMissing),
      bodyLimit,
      validatorCompiler: buildValidatorWithout(NODE_FIELDS_CHECKED_LAST),
      config: { unlimited: true as const }, // the node has its own limit, per key
      // The key may be in the body instead.
      schema: { tags: ['Biometric node'], security: [{ apiKey: [] }, { apiKey: [], client: [] }, {}], ...schema },
    };
  }
}
