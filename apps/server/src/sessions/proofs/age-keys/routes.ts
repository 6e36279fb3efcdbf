// HTTP of the page on which people delete their age key. The key itself is the credential.
import {
  DeleteAgeKeyReply,
  DeleteAgeKeyRequest,
  ErrorReply,
  formatMinutes,
  PasskeyOptionsReply,
  ref,
} from '@limen/contract';
import { Type } from 'typebox';
import type { HttpServer } from '../../../platform/http/types.ts';
import { AGE_KEY_DELETION_TTL_MS, MAX_AGE_KEY_BODY_BYTES } from '../../limits.ts';
import type { AgeKeys } from './age-keys.ts';

const PATH = '/launch/my-age-key';

export function registerMyAgeKeyRoutes(http: HttpServer, ageKeys: Pick<AgeKeys, 'deletionOptions' | 'delete'>): void {
  const tags = ['Age keys'];
  const badBody = {
    400: ref(ErrorReply, 'The body is not JSON, or a field is missing or has a wrong type or value.'),
    413: ref(ErrorReply, 'The body is too large.'),
    415: ref(ErrorReply, 'The body is not sent as application/json.'),
  };

  // Relative, because a reverse proxy may add a path prefix.
  http.get(PATH, { schema: { hide: true } }, async (_request, reply) => reply.redirect('../launch?my-age-key'));

  http.post(
    `${PATH}/options`,
    {
      schema: {
        tags,
        summary: 'Get what the browser needs to delete an age key',
        description: `For the page at \`/launch/my-age-key\`; no body or \`{}\`. Good for ${formatMinutes(AGE_KEY_DELETION_TTL_MS)}.`,
        body: Type.Object({}),
        response: { 200: ref(PasskeyOptionsReply), ...badBody },
      },
    },
    async () => ({ publicKey: { ...(await ageKeys.deletionOptions()) } }),
  );

  http.post(
    `${PATH}/delete`,
    {
      bodyLimit: MAX_AGE_KEY_BODY_BYTES,
      schema: {
        tags,
        summary: 'Delete an age key',
        description: 'The passkey itself is the credential. The service deletes its record immediately.',
        body: DeleteAgeKeyRequest,
        response: { 200: ref(DeleteAgeKeyReply), ...badBody },
      },
    },
    async (request) => ({ outcome: await ageKeys.delete(request.body.response) }),
  );
}
