// What a client may ask of a list that comes in pages.
import { Type } from 'typebox';

interface PageSize {
  max: number;
  whenNotGiven: number;
  description: string;
}

export function pageQuery({ max, whenNotGiven, description }: PageSize) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: whenNotGiven, description })),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The `nextCursor` of the previous page.' }),
    ),
  };
}
