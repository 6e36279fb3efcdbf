// Wallet proofs: requests through the browser or by link, and their replies.
import { WALLET_REFUSALS, WALLET_TRIES } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { SeenIndicators } from './device.ts';
import { base64url } from './device-fields.ts';
import { oneOf } from './one-of.ts';

const Protocol = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Protocol name of the Digital Credentials API, such as `org-iso-mdoc`.',
});
const Data = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

export const WalletOptionsReply = Type.Object(
  {
    requests: Type.Array(
      Type.Object(
        { protocol: Protocol, data: Data('Request in the format of the protocol.') },
        { additionalProperties: false },
      ),
      { description: 'Argument for `navigator.credentials.get({ digital: { requests } })`.' },
    ),
  },
  { $id: 'WalletOptionsReply' },
);
export type WalletOptionsReply = Static<typeof WalletOptionsReply>;

export const UseWalletRequest = Type.Object(
  {
    protocol: Protocol,
    data: Data('Data that the browser returned with the protocol.'),
    indicators: Type.Optional(SeenIndicators),
  },
  { $id: 'UseWalletRequest' },
);
export type UseWalletRequest = Static<typeof UseWalletRequest>;

export const UseWalletReply = Type.Object(
  {
    outcome: oneOf(
      ['accepted', 'refused'],
      '`accepted`: the session ended with this proof. `refused`: the session continues.',
    ),
    reason: Type.Optional(
      oneOf(
        WALLET_REFUSALS,
        'Why the proof was refused. `declined`: the person or the wallet declined. `no_age`: the proof does not state that the age is reached. `not_trusted`: the issuer is not trusted here. `ended`: the credential has expired or was revoked. `not_valid`: the response does not match this request, or its revocation status is unavailable.',
      ),
    ),
    triesLeft: Type.Integer({ minimum: 0, maximum: WALLET_TRIES }),
  },
  { $id: 'UseWalletReply' },
);
export type UseWalletReply = Static<typeof UseWalletReply>;

export const WalletLinkRequest = Type.Object(
  {
    indicators: Type.Optional(SeenIndicators),
    sameDevice: Type.Optional(
      Type.Boolean({
        description: 'Whether to also return links for this device, in addition to those for QR codes.',
      }),
    ),
  },
  { $id: 'WalletLinkRequest' },
);
export type WalletLinkRequest = Static<typeof WalletLinkRequest>;

export const WalletLinkReply = Type.Object(
  {
    links: Type.Array(
      Type.Object(
        {
          profile: Type.String({ description: 'Kind of attestation that the link requests, such as `eu_age`.' }),
          link: Type.String({
            description: 'Link for another device, to be shown as a QR code. `av://…` or `openid4vp://…`.',
          }),
          sameDeviceLink: Type.Optional(
            Type.String({
              description:
                'Link for this device, if requested. The wallet redirects to the page with `#response_code=…`. Only `wallet/link/finish` with that code ends the session.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'One link per accepted kind of attestation.' },
    ),
    expiresAt: Type.String({ format: 'date-time', description: 'When the links stop working.' }),
    triesLeft: Type.Integer({ minimum: 0, maximum: WALLET_TRIES }),
  },
  { $id: 'WalletLinkReply' },
);
export type WalletLinkReply = Static<typeof WalletLinkReply>;

export const FinishWalletLinkRequest = Type.Object(
  {
    responseCode: base64url(32, 'Code from the fragment of the URL that the wallet opened.'),
  },
  { $id: 'FinishWalletLinkRequest' },
);
export type FinishWalletLinkRequest = Static<typeof FinishWalletLinkRequest>;
