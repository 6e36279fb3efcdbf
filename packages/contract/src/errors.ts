// The error replies of areas A to D.
import { type Static, Type } from 'typebox';

export const ErrorDetail = Type.Object({
  path: Type.String({
    description: 'Where the problem is, for example `body.value` or `query.limit`.',
  }),
  message: Type.String({ description: 'What is wrong there and what would be right.' }),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

export const ErrorReply = Type.Object(
  {
    statusCode: Type.Integer({ description: 'The HTTP status again.' }),
    error: Type.String({ description: 'The name of the HTTP status.' }),
    message: Type.String({ description: 'What was wrong and how to put it right.' }),
    requestId: Type.String({ description: 'The reply’s `x-request-id`; quote it in a report.' }),
    code: Type.Optional(
      Type.Integer({ description: 'The code of area C that stands for the refusal; only on the device channel.' }),
    ),
    details: Type.Optional(
      Type.Array(ErrorDetail, { description: 'One entry per problem; only on a failed validation.' }),
    ),
  },
  { $id: 'ErrorReply', description: 'Every refusal of areas A to D.' },
);
export type ErrorReply = Static<typeof ErrorReply>;
