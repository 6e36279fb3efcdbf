// Warnings about unknown fields of a body. The service ignores such fields.
import { type Static, Type } from 'typebox';

/** Maximum number of unknown fields named in one reply. */
export const WARNINGS_MAX = 10;

export const FieldWarning = Type.Object({
  path: Type.String({ description: 'The field, for example `body.ageTreshold`. At most 80 visible characters.' }),
  message: Type.String({ description: 'The consequence, and the field that was probably meant.' }),
});
export type FieldWarning = Static<typeof FieldWarning>;

export const Warnings = Type.Optional(
  Type.Array(FieldWarning, {
    maxItems: WARNINGS_MAX,
    description: 'Unknown fields of the body, which were ignored. Absent if there were none.',
  }),
);
