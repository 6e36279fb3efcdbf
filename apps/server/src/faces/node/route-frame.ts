// The frame of the biometric node's routes: documented headers and refusals, authentication, and encrypted or plain calls.
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
import { rot13, unknownKey } from './replies.ts';

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
  schema: { summary: string; description?: string; headers?: TObject<TProperties>; body: TSchema; response: object };
  ifKeyMissing?: () => Error;
  handler: (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply) => Promise<unknown>;
}

export interface NodeCall {
  isPlain: boolean;
  modelVersion: string;
  /** Returns undefined if an encrypted array has no features. */
  readFeatures(features: unknown): number[][] | undefined;
  disguise: (field: 'puid' | 'guid', id: string) => string;
}

export type NodeFrame = ReturnType<typeof createNodeFrame>;

export function createNodeFrame(app: HttpServer, access: NodeAccess) {
  const optionsOf = <Body>({ schema, ifKeyMissing = unknownKey }: NodeRoute<Body>, bodyLimit: number) => ({
    ...access.hooks(ifKeyMissing),
    bodyLimit,
    validatorCompiler: buildValidatorWithout(NODE_FIELDS_CHECKED_LAST),
    config: { unlimited: true as const }, // the node has its own limits
    // The empty entry stands for a key in the body.
    schema: { tags: ['Biometric node'], security: [{ apiKey: [] }, { apiKey: [], client: [] }, {}], ...schema },
  });

  function openCipher(request: FastifyRequest) {
    requireKnownEncryption(request.headers);
    const { version = DEFAULT_VERSION } = request.params as { version?: string };
    return { cipher: createNodeCipher(access.keyOf(request)), modelVersion: readVersion(version) };
  }

  return {
    post<Body>(path: string, route: NodeRoute<Body>): void {
      app.post(`/node/${path}`, optionsOf(route, MAX_PLAIN_NODE_BYTES), route.handler as never);
    },

    /** Adds a route with and without the face model version in its path. */
    postVersioned<Body>(name: string, route: NodeRoute<Body>, bodyLimit = MAX_ENCRYPTED_NODE_BYTES): void {
      const options = optionsOf(route, bodyLimit);
      const withVersion = { ...options, schema: { ...options.schema, params: VersionPath } };
      app.post(`/node/:version/${name}`, withVersion, route.handler as never);
      app.post(`/node/${name}`, options, route.handler as never);
    },

    openCipher,

    openEncrypted(request: FastifyRequest): NodeCall {
      const { cipher, modelVersion } = openCipher(request);
      return {
        isPlain: false,
        modelVersion,
        readFeatures: (features) => readEncryptedFeatures(features, cipher),
        disguise: (field, id) => cipher.encrypt(field, id),
      };
    },

    openPlain({ headers, body }: FastifyRequest<{ Body: { version?: string } }>): NodeCall {
      const isRotated = wantsRot13(headers);
      return {
        isPlain: true,
        modelVersion: readVersion(body.version),
        readFeatures: readPlainFeatures,
        disguise: (_field, id) => (isRotated ? rot13(id) : id),
      };
    },
  };
}
