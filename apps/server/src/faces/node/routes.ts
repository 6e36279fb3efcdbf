// HTTP of the biometric node.
import {
  CheckApiKeyRequest,
  DEFAULT_VERSION,
  DeleteUserRequest,
  DeletionReceipt,
  EnrollReply,
  EnrollRequest,
  EnrollUnusableReply,
  NODE_FIELDS_CHECKED_LAST,
  NODE_STATUS,
  NodeStatusReply,
  NotRecognizedReply,
  PlainEnrollReply,
  PlainEnrollRequest,
  PlainNotRecognizedReply,
  PlainPredictListReply,
  PlainPredictReply,
  PlainPredictRequest,
  PredictListReply,
  PredictReply,
  PredictRequest,
  PredictUnusableReply,
  ref,
} from '@limen/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { named, type Puid } from '../../platform/base/ids.ts';
import { readRepeatable } from '../../platform/http/body/read-creation.ts';
import { orSigned, sendJwt } from '../../platform/http/body/signed-reply.ts';
import { buildValidatorWithout } from '../../platform/http/body/validation.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { IDEMPOTENCY_HEADER } from '../../platform/idempotency/header.ts';
import type { Signing } from '../../signing/sign.ts';
import { MAX_ENCRYPTED_NODE_BYTES, MAX_PLAIN_NODE_BYTES } from '../limits.ts';
import { type NodeAccess, nodeCallerOf } from './access.ts';
import { createNodeCipher } from './cipher.ts';
import {
  isProvided,
  readEncryptedFeatures,
  readPlainFeatures,
  readVersion,
  requireKnownEncryption,
  wantsRot13,
} from './read-request.ts';
import {
  asRot13,
  badRequest,
  encryptedWith,
  enrollReply,
  enrollUnusableReply,
  inTheClear,
  missingPuid,
  noSuchPerson,
  plainEnrollReply,
  plainPredictReply,
  predictReply,
  predictUnusableReply,
  rot13,
  unreadable,
} from './replies.ts';
import type { BiometricNode } from './service.ts';

const VersionPath = Type.Object({
  version: Type.String({ description: `Face model version, \`[A-Z0-9_]{1,32}\`; \`${DEFAULT_VERSION}\` if left out.` }),
});
const CommonHeaders = {
  'x-correlation-id': Type.Optional(
    Type.String({ description: 'Your own id for tracking; repeated in the reply and the log.' }),
  ),
};
const EncryptedHeaders = {
  ...CommonHeaders,
  'x-encryption-version': Type.Optional(Type.String({ description: 'Only `1`, the default, is supported.' })),
};
const RotHeader = {
  'x-encoding': Type.Optional(
    Type.String({ description: '`rot13` writes `puid` and `guid` in ROT13, which protects nothing.' }),
  ),
};
const RotBackHeader = {
  'x-encoding': Type.Optional(Type.String({ description: '`rot13` reads a plain `puid` as ROT13.' })),
};

interface NodeRoutes {
  node: BiometricNode;
  access: NodeAccess;
  signing: Pick<Signing, 'deleteWithReceipt'>;
}

export function registerNodeRoutes(app: HttpServer, { node, access, signing }: NodeRoutes): void {
  const common = { tags: ['Biometric node'], security: [{ apiKey: [] }, { apiKey: [], client: [] }, {}] }; // the key may be in the body instead
  const refusals = {
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
  const enrolRefusals = {
    ...refusals,
    422: ref(NodeStatusReply, 'The Idempotency-Key was used with another body.'),
    500: ref(NodeStatusReply, 'The third attempt failed (`status` 152); send it again later.'),
    507: ref(NodeStatusReply, 'There is no room for another person.'),
  };
  const guard = {
    onRequest: access.checkHeader,
    preValidation: access.checkBody,
    errorHandler: access.keyBeforeBody,
    bodyLimit: MAX_ENCRYPTED_NODE_BYTES,
    validatorCompiler: buildValidatorWithout(NODE_FIELDS_CHECKED_LAST),
    config: { unlimited: true as const }, // the node has its own limit, per key
  };
  const plainGuard = { ...guard, bodyLimit: MAX_PLAIN_NODE_BYTES };

  app.post(
    '/node/api-key/checkApiKeyValid',
    {
      ...plainGuard,
      preValidation: access.checkBodyOfKeyCheck,
      errorHandler: access.keyBeforeBodyOfKeyCheck,
      schema: {
        ...common,
        summary: 'Check an API key',
        body: CheckApiKeyRequest,
        response: { 200: ref(NodeStatusReply, 'The key is active.'), ...refusals },
      },
    },
    async () => ({ status: NODE_STATUS.success, message: 'API Key is valid' }),
  );

  const enrollOptions = {
    ...guard,
    schema: {
      ...common,
      summary: 'Enroll a person from encrypted features',
      description:
        'A face that is already enrolled returns the existing person and adds nothing. Runs as a job of up to 3 attempts; the reply waits for it. See docs/node.md.',
      headers: Type.Object({ ...EncryptedHeaders, ...IDEMPOTENCY_HEADER }),
      body: EnrollRequest,
      response: {
        200: Type.Union([ref(EnrollReply), ref(EnrollUnusableReply)], { description: 'Enrolled, or unusable.' }),
        ...enrolRefusals,
      },
    },
  };
  const enroll = async (request: FastifyRequest<{ Body: { features?: unknown; metadata?: { id?: string } } }>) => {
    const { cipher, modelVersion } = openEncrypted(request);
    const { features, metadata } = request.body;
    const vectors = isProvided(features) ? readEncryptedFeatures(features, cipher) : undefined;
    if (!vectors) throw unreadable('Enrollment Failed Features not provided.');
    const options = enrolOptionsOf(request, EnrollRequest, modelVersion, metadata?.id);
    const enrolment = await node.enroll({ ...options, vectors });
    return enrolment ? enrollReply(enrolment, encryptedWith(cipher)) : enrollUnusableReply();
  };
  app.post('/node/:version/enroll', withVersionPath(enrollOptions), enroll as never);
  app.post('/node/enroll', enrollOptions, enroll as never);

  app.post(
    '/node/plainEnroll',
    {
      ...plainGuard,
      schema: {
        ...common,
        summary: 'Enroll a person from a plain feature vector',
        headers: Type.Object({ ...CommonHeaders, ...RotHeader, ...IDEMPOTENCY_HEADER }),
        body: PlainEnrollRequest,
        response: {
          200: Type.Union([ref(PlainEnrollReply), ref(EnrollUnusableReply)], {
            description: 'Enrolled, or unusable.',
          }),
          ...enrolRefusals,
        },
      },
    },
    async (request) => {
      const disguise = wantsRot13(request.headers) ? asRot13 : inTheClear;
      const { features, metadata, version } = request.body;
      const modelVersion = readVersion(version);
      if (!isProvided(features)) throw unreadable('Enrollment Failed Features not provided.');
      const vectors = readPlainFeatures(features);
      const options = enrolOptionsOf(request, PlainEnrollRequest, modelVersion, metadata?.id);
      const enrolment = await node.enroll({ ...options, vectors });
      return enrolment ? plainEnrollReply(enrolment, disguise) : { ...enrollUnusableReply(), statusCode: 200 };
    },
  );

  const predictOptions = {
    ...guard,
    schema: {
      ...common,
      summary: 'Find a person by encrypted features',
      description: 'Several features are averaged, without the bad ones. `K` above 1 returns a list.',
      headers: Type.Object(EncryptedHeaders),
      body: PredictRequest,
      response: {
        200: Type.Union(
          [ref(PredictReply), ref(PredictListReply), ref(NotRecognizedReply), ref(PredictUnusableReply)],
          { description: 'Recognized, not recognized, or unusable.' },
        ),
        ...refusals,
      },
    },
  };
  const predict = async (
    request: FastifyRequest<{ Body: { features?: unknown; K?: number; user_identifier?: string } }>,
  ) => {
    const { cipher, modelVersion } = openEncrypted(request);
    const { features, K: k = 1, user_identifier: identifier } = request.body;
    const vectors = isProvided(features) ? readEncryptedFeatures(features, cipher) : undefined;
    if (!vectors) throw unreadable('Prediction Failed Features not provided.');
    const identified = await node.predict({ caller: nodeCallerOf(request), modelVersion, vectors, identifier, k });
    return identified ? predictReply(identified, k, encryptedWith(cipher)) : predictUnusableReply();
  };
  app.post('/node/:version/predict', withVersionPath(predictOptions), predict as never);
  app.post('/node/predict', predictOptions, predict as never);

  app.post(
    '/node/plainPredict',
    {
      ...plainGuard,
      schema: {
        ...common,
        summary: 'Find a person by a plain feature vector',
        headers: Type.Object({ ...CommonHeaders, ...RotHeader }),
        body: PlainPredictRequest,
        response: {
          200: Type.Union(
            [
              ref(PlainPredictReply),
              ref(PlainPredictListReply),
              ref(PlainNotRecognizedReply),
              ref(PredictUnusableReply),
            ],
            { description: 'Recognized, not recognized, or unusable.' },
          ),
          ...refusals,
        },
      },
    },
    async (request) => {
      const disguise = wantsRot13(request.headers) ? asRot13 : inTheClear;
      const { features, K: k = 1, user_identifier: identifier, version } = request.body;
      const modelVersion = readVersion(version);
      if (!isProvided(features)) throw unreadable('Prediction Failed Features not provided.');
      const vectors = readPlainFeatures(features);
      const identified = await node.predict({ caller: nodeCallerOf(request), modelVersion, vectors, identifier, k });
      return identified ? plainPredictReply(identified, k, disguise) : { ...predictUnusableReply(), statusCode: 200 };
    },
  );

  const deleteOptions = {
    ...plainGuard,
    schema: {
      ...common,
      summary: 'Delete a person',
      description:
        'All their biometric data is deleted too, from disk and memory. The `puid` is looked for in every version of the customer’s galleries. With `Accept: application/jwt` the answer is a signed receipt.',
      headers: Type.Object({ ...EncryptedHeaders, ...RotBackHeader }),
      body: DeleteUserRequest,
      response: {
        200: orSigned(ref(NodeStatusReply, 'Deleted.'), ref(DeletionReceipt)),
        ...refusals,
        400: ref(
          NodeStatusReply,
          'The customer has no such person, the `puid` cannot be decrypted, or the person belongs to verification sessions and the key’s client credentials are missing or wrong.',
        ),
        500: ref(NodeStatusReply, 'No `puid` was sent (`status` -2).'),
      },
    },
  };
  const deleteUser = async (request: FastifyRequest<{ Body: { puid?: unknown } }>, reply: FastifyReply) => {
    const { cipher } = openEncrypted(request);
    const given = request.body.puid;
    if (!isProvided(given)) throw missingPuid();
    if (typeof given !== 'string') throw badRequest('puid must be a string');
    // A plain one is a UUID, which is too short to be an encrypted text.
    const opened = cipher.decrypt('puid', given)?.toString();
    const puid = opened ?? (wantsRot13(request.headers) ? rot13(given) : given);
    const caller = nodeCallerOf(request);
    const deletion = { owner: caller.owner, kind: 'person', id: puid } as const;
    const receipt = await signing.deleteWithReceipt(request.headers.accept, deletion, async () => {
      if (!(await node.deleteUser(caller, named<Puid>(puid)))) throw noSuchPerson();
    });
    return receipt === undefined ? { status: 200, message: 'delete successful' } : sendJwt(reply, receipt);
  };
  app.post('/node/:version/deleteUser', withVersionPath(deleteOptions), deleteUser as never);
  app.post('/node/deleteUser', deleteOptions, deleteUser as never);

  function openEncrypted(request: FastifyRequest) {
    requireKnownEncryption(request.headers);
    const { version = DEFAULT_VERSION } = request.params as { version?: string };
    return { cipher: createNodeCipher(access.keyOf(request)), modelVersion: readVersion(version) };
  }
}

function withVersionPath<Options extends { schema: object }>(options: Options) {
  return { ...options, schema: { ...options.schema, params: VersionPath } };
}

function enrolOptionsOf(request: FastifyRequest, schema: object, modelVersion: string, identifier: string | undefined) {
  return {
    caller: nodeCallerOf(request),
    modelVersion,
    identifier,
    repeatable: readRepeatable(request, schema, modelVersion),
    correlationId: request.correlationId ?? undefined,
  };
}
