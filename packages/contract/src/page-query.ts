// Query parameters of paginated lists.
import { Type } from 'typebox';

interface PageSize {
  max: number;
  defaultLimit: number;
  description: string;
}

export function pageQuery({ max, defaultLimit: whenNotGiven, description }: PageSize) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: whenNotGiven, description })),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: '`nextCursor` of the previous page.' }),
    ),
  };
}
