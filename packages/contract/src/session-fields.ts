// Fields that the creation bodies of both kinds of session share.
import { Type } from 'typebox';
import { alsoReadAs } from './aliases.ts';
import { oneOf } from './one-of.ts';

/** Longest address that a session may name, in characters. */
const URL_MAX_LENGTH = 2_048;

export const SessionUrl = (description: string) =>
  Type.String({ minLength: 1, maxLength: URL_MAX_LENGTH, description });

/** Address for the browser at the end. The other area spells the field differently; each reads both spellings. */
export const RedirectUrl = (description: string, alias: string) =>
  Type.String({
    minLength: 1,
    maxLength: URL_MAX_LENGTH,
    description: `${description} No user name or password. Also read as \`${alias}\`.`,
    ...alsoReadAs(alias),
  });

export const SessionLocale = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });

/** What a host asks of the light challenge. */
export const LIGHT_POLICIES = ['optional', 'required'] as const;
export type LightPolicy = (typeof LIGHT_POLICIES)[number];

/** `more`: what becomes of those who go without it, where something does. */
export const SessionLight = (more = '') =>
  oneOf(
    LIGHT_POLICIES,
    `Extension. The screen lights the face in colours that nobody can foresee, after the movements. \`optional\`: people may decline. \`required\`: they still may, but without a face that was lit as drawn the recommendation is at most \`REVIEW\`${more}. Default: \`optional\`, or no light at all where the service runs with \`LIGHT_CHALLENGE=off\`.`,
  );

export const SessionCallback = Type.Object(
  {
    url: SessionUrl('http or https, without user name or password.'),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Headers to send with the webhook; stored sealed.',
      }),
    ),
  },
  { description: 'Where the result is sent when the session ends.' },
);
