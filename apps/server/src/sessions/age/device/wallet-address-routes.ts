// Public HTTP of the address that a link gives to a wallet: the request (RFC 9101, 5.2.3) and its answer (OpenID4VP 1.0, 8.2).
import { ErrorReply, formatMinutes, ref, UNKNOWN_FIELDS_MAX } from '@limen/contract';
import { Type } from 'typebox';
import { AppError } from '../../../platform/base/errors.ts';
import { collectBody } from '../../../platform/http/body/collect-body.ts';
import { onlyAs } from '../../../platform/http/body/media-types.ts';
import { clientAddress } from '../../../platform/http/limits/client-address.ts';
import { takeToken } from '../../../platform/http/limits/rate-limit.ts';
import { createTokenBuckets } from '../../../platform/http/limits/token-buckets.ts';
import { inOwnScope } from '../../../platform/http/own-scope.ts';
import type { HttpServer } from '../../../platform/http/types.ts';
import { MAX_WALLET_ANSWER_BYTES, WALLET_CALLS, WALLET_LINK_TTL_MS } from '../../limits.ts';
import type { WalletCalls } from './wallet-calls.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const REQUEST_TYPE = 'application/oauth-authz-req+jwt';
const PATH = '/launch/wallet/:linkId';
const params = Type.Object({ linkId: Type.String({ description: 'The id from the link.' }) });
const refused = {
  404: ref(ErrorReply, 'No open request: it was answered, has expired, or never existed.'),
  429: ref(ErrorReply, 'Too many requests of one address.'),
};

export function walletAnswerUrl(page: URL, linkId: string): string {
  return new URL(`${page.pathname.replace(/\/$/, '')}/wallet/${linkId}`, page.origin).href;
}

export function registerWalletAddress(app: HttpServer, links: Pick<WalletCalls, 'request' | 'requireLink' | 'answer'>) {
  const strangers = createTokenBuckets(WALLET_CALLS);
  inOwnScope(app, (scope) => {
    scope.addHook('onRequest', async (request, reply) => takeToken(strangers, clientAddress(request), reply));
    scope.removeAllContentTypeParsers();
    const parse = collectBody((_request, body, done) => done(null, readForm(body.toString('utf8'))));
    scope.addContentTypeParser(FORM_TYPE, parse);

    scope.get(
      PATH,
      {
        schema: {
          tags: ['Wallets'],
          summary: 'Get the request for a wallet',
          description: `The \`request_uri\` of a link or QR code, where requests are signed: a JWT by the certificate of this service. For ${formatMinutes(WALLET_LINK_TTL_MS)}, until the answer.`,
          params,
          response: {
            200: onlyAs(REQUEST_TYPE, Type.String(), 'The signed request (RFC 9101).'),
            ...refused,
          },
        },
      },
      async (request, reply) => reply.type(REQUEST_TYPE).send(await links.request(request.params.linkId)),
    );

    scope.post(
      PATH,
      {
        // A made-up link is refused before its body is read.
        onRequest: async (request) => links.requireLink((request.params as { linkId: string }).linkId),
        bodyLimit: MAX_WALLET_ANSWER_BYTES,
        schema: {
          tags: ['Wallets'],
          summary: 'Answer of a wallet',
          description: `The \`response_uri\` of a link or QR code that a session’s device asked for (\`direct_post\`, \`direct_post.jwt\`), called by the wallet. One answer each, for ${formatMinutes(WALLET_LINK_TTL_MS)}.`,
          consumes: [FORM_TYPE],
          params,
          body: Type.Record(Type.String(), Type.String(), {
            maxProperties: UNKNOWN_FIELDS_MAX,
            description: '`vp_token`, or `response` where the answer is encrypted; `error` where it declines.',
          }),
          response: {
            200: Type.Object(
              {
                redirect_uri: Type.Optional(
                  Type.String({
                    description:
                      'The launch page, with a code that only this reply contains. The wallet sends the person there. Only for links that are opened on the session’s own device.',
                  }),
                ),
              },
              { additionalProperties: false, description: 'The answer was understood.' },
            ),
            400: ref(ErrorReply, 'The answer is not accepted.'),
            413: ref(ErrorReply, 'The body is too large.'),
            415: ref(ErrorReply, `The body is not sent as ${FORM_TYPE}.`),
            ...refused,
          },
        },
      },
      async ({ params: { linkId }, body }) => links.answer(linkId, body),
    );
  });
}

function readForm(body: string): Record<string, string> {
  const entries = [...new URLSearchParams(body)];
  const fields = new Map(entries);
  if (fields.size !== entries.length) throw new AppError('malformed_request', 'A field of the form comes twice.');
  return Object.fromEntries(fields);
}
