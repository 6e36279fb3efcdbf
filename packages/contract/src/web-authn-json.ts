// What passes between a browser's passkeys and the service: JSON of WebAuthn, which its own reader looks at field by field.
import { type Static, Type } from 'typebox';

export const WebAuthnJson = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

export const PasskeyOptionsReply = Type.Object(
  {
    publicKey: WebAuthnJson(
      'PublicKeyCredentialCreationOptionsJSON to register, PublicKeyCredentialRequestOptionsJSON to assert.',
    ),
  },
  { $id: 'PasskeyOptionsReply' },
);
export type PasskeyOptionsReply = Static<typeof PasskeyOptionsReply>;
