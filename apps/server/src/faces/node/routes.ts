// HTTP routes of the biometric node: the check of a key, and the deletion of people. face-routes.ts has the others.
import {
  CheckApiKeyRequest,
  DeleteUserRequest,
  DeletionReceipt,
  NODE_STATUS,
  NodeStatusReply,
  ref,
} from '@limen/contract';
import { Type } from 'typebox';
import { named, type Puid } from '../../platform/base/ids.ts';
import { orSigned, sendJwt } from '../../platform/http/body/signed-reply.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Signing } from '../../signing/sign.ts';
import { MAX_PLAIN_NODE_BYTES } from '../limits.ts';
import { type NodeAccess, requireNodeCaller } from './access.ts';
import { registerEnrollRoutes, registerPredictRoutes } from './face-routes.ts';
import { isProvided, wantsRot13 } from './read-request.ts';
import { badRequest, NodeRefusalError, rot13 } from './replies.ts';
import { createNodeFrame, EncryptedHeaders, NODE_REFUSALS } from './route-frame.ts';
import type { BiometricNode } from './service.ts';

export function registerNodeRoutes(
  app: HttpServer,
  node: BiometricNode,
  access: NodeAccess,
  signing: Pick<Signing, 'deleteWithReceipt'>,
): void {
  const frame = createNodeFrame(app, access);
  frame.post('api-key/checkApiKeyValid', {
    ifKeyMissing: () => new NodeRefusalError('validation_failed', NODE_STATUS.refused, 'Missing api key'),
    schema: {
      summary: 'Check an API key',
      body: CheckApiKeyRequest,
      response: { 200: ref(NodeStatusReply, 'The key is active.'), ...NODE_REFUSALS },
    },
    handler: async () => ({ status: NODE_STATUS.success, message: 'API Key is valid' }),
  });
  registerEnrollRoutes(frame, node);
  registerPredictRoutes(frame, node);
  frame.postVersioned<{ puid?: unknown }>(
    'deleteUser',
    {
      schema: DELETE_SCHEMA,
      async handler(request, reply) {
        const { cipher } = frame.openCipher(request);
        const sentPuid = request.body.puid;
        if (!isProvided(sentPuid))
          throw new NodeRefusalError('validation_failed', NODE_STATUS.unusable, 'Missing PUID.', 500);
        if (typeof sentPuid !== 'string') throw badRequest('puid must be a string');
        // A plain puid is a UUID, which is too short to be an encrypted text.
        const opened = cipher.decrypt('puid', sentPuid)?.toString();
        const puid = opened ?? (wantsRot13(request.headers) ? rot13(sentPuid) : sentPuid);
        const caller = requireNodeCaller(request);
        const deletion = { owner: caller.owner, kind: 'person', id: puid } as const;
        const receipt = await signing.deleteWithReceipt(request.headers.accept, deletion, async () => {
          const isDeleted = await node.deleteUser(caller, named<Puid>(puid));
          if (!isDeleted) throw new NodeRefusalError('not_found', 400, 'delete failed', 400);
        });
        return receipt === undefined ? { status: 200, message: 'delete successful' } : sendJwt(reply, receipt);
      },
    },
    MAX_PLAIN_NODE_BYTES,
  );
}

const DELETE_SCHEMA = {
  summary: 'Delete a person',
  description:
    'All their biometric data is deleted too, from disk and memory. The `puid` is looked for in every version of the customer’s galleries. With `Accept: application/jwt` the answer is a signed receipt.',
  headers: Type.Object({
    ...EncryptedHeaders,
    'x-encoding': Type.Optional(Type.String({ description: '`rot13` reads a plain `puid` as ROT13.' })),
  }),
  body: DeleteUserRequest,
  response: {
    200: orSigned(ref(NodeStatusReply, 'Deleted.'), ref(DeletionReceipt)),
    ...NODE_REFUSALS,
    400: ref(
      NodeStatusReply,
      'The customer has no such person, the `puid` cannot be decrypted, or the person is from verification sessions and the key’s client credentials are missing or wrong.',
    ),
    500: ref(NodeStatusReply, 'No `puid` was sent (`status` -2).'),
  },
};
