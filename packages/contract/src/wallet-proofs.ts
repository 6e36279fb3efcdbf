// Wallets: what a session's device asks of one through the browser or by a link, and what comes back.
import { WALLET_REFUSALS, WALLET_TRIES } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { SeenIndicators } from './device.ts';
import { base64url } from './device-fields.ts';
import { oneOf } from './one-of.ts';

const Protocol = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'As the Digital Credentials API names it, such as `org-iso-mdoc`.',
});
const Data = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

export const WalletOptionsReply = Type.Object(
  {
    requests: Type.Array(
      Type.Object({ protocol: Protocol, data: Data('As the protocol has it.') }, { additionalProperties: false }),
      { description: 'For `navigator.credentials.get({ digital: { requests } })`.' },
    ),
  },
  { $id: 'WalletOptionsReply' },
);
export type WalletOptionsReply = Static<typeof WalletOptionsReply>;

export const UseWalletRequest = Type.Object(
  {
    protocol: Protocol,
    data: Data('What the browser returned with it.'),
    indicators: Type.Optional(SeenIndicators),
  },
  { $id: 'UseWalletRequest' },
);
export type UseWalletRequest = Static<typeof UseWalletRequest>;

export const UseWalletReply = Type.Object(
  {
    outcome: oneOf(['accepted', 'refused'], '`accepted`: the session has ended with it. `refused`: it goes on.'),
    reason: Type.Optional(
      oneOf(
        WALLET_REFUSALS,
        'Why it was refused. `declined`: by the person or the wallet. `no_age`: it does not say that the age is reached. `not_trusted`: the issuer is not trusted here. `ended`: no longer valid, or revoked. `not_valid`: not an answer to this request, or whether it was revoked cannot be found out now.',
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
        description: 'Whether a link is to be opened on this device, beside those to be shown as QR codes.',
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
          profile: Type.String({ description: 'The kind of attestation that is asked for, such as `eu_age`.' }),
          link: Type.String({
            description: '`av://…` or `openid4vp://…`: to be shown as a QR code to another device.',
          }),
          sameDeviceLink: Type.Optional(
            Type.String({
              description:
                'Where it was asked for: to be opened on this device. The wallet leads back to the page with `#response_code=…`, and only `wallet/link/finish` with that code ends the session.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'One for each kind of attestation that would be taken.' },
    ),
    expiresAt: Type.String({ format: 'date-time', description: 'Answers are taken until then.' }),
    triesLeft: Type.Integer({ minimum: 0, maximum: WALLET_TRIES }),
  },
  { $id: 'WalletLinkReply' },
);
export type WalletLinkReply = Static<typeof WalletLinkReply>;

export const FinishWalletLinkRequest = Type.Object(
  {
    responseCode: base64url(32, 'From the fragment of the address that the wallet opened.'),
  },
  { $id: 'FinishWalletLinkRequest' },
);
export type FinishWalletLinkRequest = Static<typeof FinishWalletLinkRequest>;
