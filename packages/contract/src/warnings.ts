// Warnings about fields of a body that the service does not know and therefore ignored.
import { type Static, Type } from 'typebox';

/** Unknown fields that one reply names. */
export const WARNINGS_MAX = 10;

export const FieldWarning = Type.Object({
  path: Type.String({ description: 'The field, for example `body.ageTreshold`; at most 80 visible characters.' }),
  message: Type.String({ description: 'The consequence, and the field that was probably meant.' }),
});
export type FieldWarning = Static<typeof FieldWarning>;

export const Warnings = Type.Optional(
  Type.Array(FieldWarning, {
    maxItems: WARNINGS_MAX,
    description: 'Fields of the body that are not known and were ignored. Absent if there were none.',
  }),
);
