// Age keys: how a session's device uses one or makes one, and how a person deletes theirs.
import { AGE_KEY_REFUSALS, AGE_KEY_TRIES } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { SeenIndicators } from './device.ts';
import { oneOf } from './one-of.ts';
import { WebAuthnJson } from './web-authn-json.ts';

const Assertion = WebAuthnJson('AuthenticationResponseJSON, as the browser returned it.');

export const UseAgeKeyRequest = Type.Object(
  { response: Assertion, indicators: Type.Optional(SeenIndicators) },
  { $id: 'UseAgeKeyRequest' },
);
export type UseAgeKeyRequest = Static<typeof UseAgeKeyRequest>;

export const UseAgeKeyReply = Type.Object(
  {
    outcome: oneOf(['accepted', 'refused'], '`accepted`: the session has ended with it. `refused`: it goes on.'),
    reason: Type.Optional(
      oneOf(
        AGE_KEY_REFUSALS,
        'Why it was refused. `not_known`: deleted, ended, of a customer whose keys do not count here, or no age key. `too_old`, `too_weak`, `too_low`: the host asks for more. `too_often`: used up for today. `not_valid`: not a signature for this session.',
      ),
    ),
    triesLeft: Type.Integer({ minimum: 0, maximum: AGE_KEY_TRIES }),
  },
  { $id: 'UseAgeKeyReply' },
);
export type UseAgeKeyReply = Static<typeof UseAgeKeyReply>;

export const MakeAgeKeyRequest = Type.Object(
  { response: WebAuthnJson('RegistrationResponseJSON, as the browser returned it.') },
  { $id: 'MakeAgeKeyRequest' },
);
export type MakeAgeKeyRequest = Static<typeof MakeAgeKeyRequest>;

export const MakeAgeKeyReply = Type.Object(
  { outcome: oneOf(['made', 'refused'], '`refused`: what came was not made for this offer; get new options.') },
  { $id: 'MakeAgeKeyReply' },
);
export type MakeAgeKeyReply = Static<typeof MakeAgeKeyReply>;

export const DeleteAgeKeyRequest = Type.Object({ response: Assertion }, { $id: 'DeleteAgeKeyRequest' });
export type DeleteAgeKeyRequest = Static<typeof DeleteAgeKeyRequest>;

export const DeleteAgeKeyReply = Type.Object(
  {
    outcome: oneOf(
      ['deleted', 'not_known', 'refused'],
      '`not_known`: the service holds nothing for this passkey. `refused`: not a signature for these options.',
    ),
  },
  { $id: 'DeleteAgeKeyReply' },
);
export type DeleteAgeKeyReply = Static<typeof DeleteAgeKeyReply>;
