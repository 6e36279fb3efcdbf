// Age key requests and replies: using a key, creating one, deleting one.
import { AGE_KEY_REFUSALS, AGE_KEY_TRIES } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { SeenIndicators } from './device.ts';
import { oneOf } from './one-of.ts';
import { WebAuthnJson } from './web-authn-json.ts';

const Assertion = WebAuthnJson('The browser’s `AuthenticationResponseJSON`.');

export const UseAgeKeyRequest = Type.Object(
  { response: Assertion, indicators: Type.Optional(SeenIndicators) },
  { $id: 'UseAgeKeyRequest' },
);
export type UseAgeKeyRequest = Static<typeof UseAgeKeyRequest>;

export const UseAgeKeyReply = Type.Object(
  {
    outcome: oneOf(
      ['accepted', 'refused'],
      '`accepted`: the session ended with this key. `refused`: the session continues.',
    ),
    reason: Type.Optional(
      oneOf(
        AGE_KEY_REFUSALS,
        'Why the key was refused. `not_known`: the key was deleted, has expired, belongs to another customer, or is not an age key. `too_old`, `too_weak`, `too_low`: the key does not meet the session’s requirements. `too_often`: the key reached its daily limit. `not_valid`: the signature does not verify for this session.',
      ),
    ),
    triesLeft: Type.Integer({ minimum: 0, maximum: AGE_KEY_TRIES }),
  },
  { $id: 'UseAgeKeyReply' },
);
export type UseAgeKeyReply = Static<typeof UseAgeKeyReply>;

export const MakeAgeKeyRequest = Type.Object(
  { response: WebAuthnJson('The browser’s `RegistrationResponseJSON`.') },
  { $id: 'MakeAgeKeyRequest' },
);
export type MakeAgeKeyRequest = Static<typeof MakeAgeKeyRequest>;

export const MakeAgeKeyReply = Type.Object(
  {
    outcome: oneOf(
      ['made', 'refused'],
      '`refused`: the response does not match this offer. Request new options and try again.',
    ),
  },
  { $id: 'MakeAgeKeyReply' },
);
export type MakeAgeKeyReply = Static<typeof MakeAgeKeyReply>;

export const DeleteAgeKeyRequest = Type.Object({ response: Assertion }, { $id: 'DeleteAgeKeyRequest' });
export type DeleteAgeKeyRequest = Static<typeof DeleteAgeKeyRequest>;

export const DeleteAgeKeyReply = Type.Object(
  {
    outcome: oneOf(
      ['deleted', 'not_known', 'refused'],
      '`not_known`: the service has no age key for this passkey. `refused`: the signature does not verify for these options.',
    ),
  },
  { $id: 'DeleteAgeKeyReply' },
);
export type DeleteAgeKeyReply = Static<typeof DeleteAgeKeyReply>;
