// HTTP of the address that wallets post their answers to (OpenID4VP 1.0, 8.2): public, one answer each.
import { ErrorReply, ref } from '@limen/contract';
import { Type } from 'typebox';
import { inOwnScope } from '../../../core/device-channel/signature/signed-routes.ts';
import { AppError } from '../../../platform/errors.ts';
import type { HttpServer } from '../../../platform/http/http-server.ts';
import { WALLET_BODY_LIMIT } from './device-routes.ts';
import type { WalletLinks } from './wallet-links.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Below the page, wherever that is. */
export function walletAnswerUrl(page: URL, linkId: string): string {
  return new URL(`${page.pathname}/wallet/${linkId}`, page.origin).href;
}

export function registerWalletAnswers(app: HttpServer, links: Pick<WalletLinks, 'answer'>): void {
  inOwnScope(app, (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(FORM_TYPE, { parseAs: 'string' }, async (_request: unknown, body: string | Buffer) =>
      readForm(String(body)),
    );

    scope.post(
      '/launch/wallet/:linkId',
      {
        bodyLimit: WALLET_BODY_LIMIT,
        schema: {
          tags: ['Wallets'],
          summary: 'Answer of a wallet',
          description:
            'The `response_uri` of a link or QR code that a session’s device asked for (`direct_post`, `direct_post.jwt`), called by the wallet. One answer each, for five minutes.',
          consumes: [FORM_TYPE],
          params: Type.Object({ linkId: Type.String({ description: 'The id from the link.' }) }),
          body: Type.Record(Type.String(), Type.String(), {
            description: '`vp_token`, or `response` where the answer is encrypted; `error` where it declines.',
          }),
          response: {
            200: Type.Object({}, { additionalProperties: false, description: 'The answer was understood.' }),
            400: ref(ErrorReply, 'The answer is not accepted.'),
            404: ref(ErrorReply, 'There is nothing to answer: it was answered, is over, or never was.'),
            413: ref(ErrorReply, 'The body is too large.'),
            415: ref(ErrorReply, `The body is not sent as ${FORM_TYPE}.`),
          },
        },
      },
      async (request) => {
        await links.answer(request.params.linkId, request.body);
        return {};
      },
    );
  });
}

/** A field that comes twice has no meaning. */
function readForm(body: string): Record<string, string> {
  const entries = [...new URLSearchParams(body)];
  const fields = new Map(entries);
  if (fields.size !== entries.length) throw new AppError('malformed_request', 'A field of the form comes twice.');
  return Object.fromEntries(fields);
}
