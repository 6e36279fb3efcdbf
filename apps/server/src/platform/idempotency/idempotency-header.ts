// The header as the reference shows it, for every operation that takes one.
import { Type } from 'typebox';

export const IDEMPOTENCY_HEADER = {
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'Makes a repeated request return what the first one did; kept 24 hours, or until what it made is gone.',
    }),
  ),
};
