// The error reply of everything but the biometric node.
import { type Static, Type } from 'typebox';

export const ErrorDetail = Type.Object({
  path: Type.String({
    description: 'Where the problem is, for example `body.value` or `query.limit`.',
  }),
  message: Type.String({ description: 'What is wrong there and what would be valid.' }),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

export const ErrorReply = Type.Object(
  {
    statusCode: Type.Integer({ description: 'The HTTP status.' }),
    error: Type.String({ description: 'The name of the HTTP status.' }),
    message: Type.String({ description: 'What was wrong and how to fix it.' }),
    requestId: Type.String({ description: 'The reply’s `x-request-id`; quote it in a report.' }),
    code: Type.Optional(
      Type.Integer({
        description: 'The session error code that stands for the refusal, such as -16; only on the device channel.',
      }),
    ),
    details: Type.Optional(
      Type.Array(ErrorDetail, { description: 'One entry per problem; only on a failed validation.' }),
    ),
  },
  { $id: 'ErrorReply', description: 'Every refusal, except those of the biometric node.' },
);
export type ErrorReply = Static<typeof ErrorReply>;
