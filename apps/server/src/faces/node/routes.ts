// HTTP of the biometric node: the check of a key, and the deletion of people. Enrollments and predictions have files of their own.
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
import { type NodeAccess, nodeCallerOf } from './access.ts';
import { registerEnrollRoutes } from './enroll-routes.ts';
import { registerPredictRoutes } from './predict-routes.ts';
import { isProvided, wantsRot13 } from './read-request.ts';
import { badRequest, missingKey, missingPuid, noSuchPerson, rot13 } from './replies.ts';
import { EncryptedHeaders, NODE_REFUSALS, NodeFrame } from './route-frame.ts';
import type { BiometricNode } from './service.ts';

const RotBackHeader = {
  'x-encoding': Type.Optional(Type.String({ description: '`rot13` reads a plain `puid` as ROT13.' })),
};

interface NodeRoutes {
  node: BiometricNode;
  access: NodeAccess;
  signing: Pick<Signing, 'deleteWithReceipt'>;
}

export function registerNodeRoutes(app: HttpServer, { node, access, signing }: NodeRoutes): void {
  const frame = new NodeFrame(app, access);
  frame.post('api-key/checkApiKeyValid', {
    ifKeyMissing: missingKey,
    schema: {
      summary: 'Check an API key',
      body: CheckApiKeyRequest,
      response: { 200: ref(NodeStatusReply, 'The key is active.'), ...NODE_REFUSALS },
    },
    handler: async () => ({ status: NODE_STATUS.success, message: 'API Key is valid' }),
  });
  registerEnrollRoutes(frame, node);
  registerPredictRoutes(frame, node);
  registerDeleteRoutes(frame, node, signing);
}

function registerDeleteRoutes(frame: NodeFrame, node: BiometricNode, signing: NodeRoutes['signing']): void {
  const schema = {
    summary: 'Delete a person',
    description:
      'All their biometric data is deleted too, from disk and memory. The `puid` is looked for in every version of the customer’s galleries. With `Accept: application/jwt` the answer is a signed receipt.',
    headers: Type.Object({ ...EncryptedHeaders, ...RotBackHeader }),
    body: DeleteUserRequest,
    response: {
      200: orSigned(ref(NodeStatusReply, 'Deleted.'), ref(DeletionReceipt)),
      ...NODE_REFUSALS,
      400: ref(
        NodeStatusReply,
        'The customer has no such person, the `puid` cannot be decrypted, or the person belongs to verification sessions and the key’s client credentials are missing or wrong.',
      ),
      500: ref(NodeStatusReply, 'No `puid` was sent (`status` -2).'),
    },
  };
  frame.postVersioned<{ puid?: unknown }>(
    'deleteUser',
    {
      schema,
      async handler(request, reply) {
        const { cipher } = frame.openCipher(request);
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
      },
    },
    MAX_PLAIN_NODE_BYTES,
  );
}
