// The header as the reference shows it, for every operation that takes one.
import { Type } from 'typebox';

export const IDEMPOTENCY_HEADER = {
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'A repeated request with the same key returns the first reply. Kept for 24 hours, or until what it created is deleted.',
    }),
  ),
};
