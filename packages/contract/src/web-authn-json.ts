// WebAuthn JSON exchanged between browsers and the service. A separate parser validates each field.
import { type Static, Type } from 'typebox';

export const WebAuthnJson = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

export const PasskeyOptionsReply = Type.Object(
  {
    publicKey: WebAuthnJson(
      '`PublicKeyCredentialCreationOptionsJSON` for registration, `PublicKeyCredentialRequestOptionsJSON` for authentication.',
    ),
  },
  { $id: 'PasskeyOptionsReply' },
);
export type PasskeyOptionsReply = Static<typeof PasskeyOptionsReply>;
