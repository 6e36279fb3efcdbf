// The public keys by which anybody can check what the service signed.
import { minutesInWords, PublicKeySet, ref } from '@limen/contract';
import type { HttpServer } from '../platform/http/types.ts';
import type { SigningKeys } from './keys.ts';
import { KEY_SET_MAX_AGE_SECONDS } from './limits.ts';

export function registerSigningKeyRoutes(app: HttpServer, signingKeys: Pick<SigningKeys, 'published'>): void {
  app.get(
    '/.well-known/jwks.json',
    {
      schema: {
        tags: ['Signed results'],
        summary: 'The public keys of signed results',
        description: `Of both worlds: those that sign, those that will, and those whose signatures have not all expired. May be kept for ${minutesInWords(KEY_SET_MAX_AGE_SECONDS * 1_000)}; a new key is here an hour before it signs. See docs/signed-results.md.`,
        response: { 200: ref(PublicKeySet, 'A JSON Web Key Set.') },
      },
    },
    async (_request, reply) =>
      reply
        .headers({
          'cache-control': `public, max-age=${KEY_SET_MAX_AGE_SECONDS}`,
          // Public by nature: a page of any origin may check a result.
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
        })
        .send(await signingKeys.published()),
  );
}
