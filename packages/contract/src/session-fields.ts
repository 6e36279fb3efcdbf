// Fields that the creation bodies of both kinds of session share.
import { Type } from 'typebox';

/** Longest address that a session may name, in characters. */
const URL_MAX_LENGTH = 2_048;

export const SessionUrl = (description: string) =>
  Type.String({ minLength: 1, maxLength: URL_MAX_LENGTH, description });

export const SessionLocale = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });

export const SessionCallback = Type.Object(
  {
    url: SessionUrl('http or https.'),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Headers to send with the webhook; stored sealed.',
      }),
    ),
  },
  { description: 'Where the result is sent when the session ends.' },
);
