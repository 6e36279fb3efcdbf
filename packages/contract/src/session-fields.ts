// Creation fields shared by both kinds of session.
import { AGE_ERROR_CODES } from '@limen/plan';
import { Type } from 'typebox';
import { allowAlias } from './aliases.ts';
import { listSessionErrors } from './error-table.ts';
import { oneOf } from './one-of.ts';

/** Maximum length of a URL, in characters. */
const URL_MAX_LENGTH = 2_048;

export const SessionUrl = (description: string) =>
  Type.String({ minLength: 1, maxLength: URL_MAX_LENGTH, description });

/** URL of the final redirect. The two API areas spell the field differently. */
export const RedirectUrl = (description: string, alias: string) =>
  Type.String({
    minLength: 1,
    maxLength: URL_MAX_LENGTH,
    description: `${description} Must not contain a user name or password. Also accepted as \`${alias}\`.`,
    ...allowAlias(alias),
  });

export const SessionLocale = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });

/** A host’s policies for the light challenge. */
export const LIGHT_POLICIES = ['optional', 'required'] as const;
export type LightPolicy = (typeof LIGHT_POLICIES)[number];

/** Returns the schema of the light policy. `more` adds a consequence of declining. */
export const SessionLight = (more = '') =>
  oneOf(
    LIGHT_POLICIES,
    `Extension. After the movements, the screen lights the face in unpredictable colors. \`optional\`: the person may decline. \`required\`: the person may still decline, but without a lit face the recommendation is at most \`REVIEW\`${more}. Default: \`optional\`, or no light if the service runs with \`LIGHT_CHALLENGE=off\`.`,
  );

export const SessionCallback = Type.Object(
  {
    url: SessionUrl('http or https URL without user name or password.'),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Headers to send with the webhook. Stored encrypted.',
      }),
    ),
  },
  { description: 'Endpoint that receives the result when the session ends.' },
);

/** Returns the schema of an error code in a result. -16 is only sent to the device that caused it. */
export const SessionErrorCode = (codes: Readonly<Record<string, number>>) =>
  Type.Integer({
    description: `${listSessionErrors()
      .filter(({ code }) => code !== AGE_ERROR_CODES.deviceMismatch && Object.values(codes).includes(code))
      .map(({ code, message }) => `\`${code}\`: ${message}`)
      .join('. ')}.`,
  });
