// Error reply of every route except those of the biometric node.
import { type Static, Type } from 'typebox';

export const ErrorDetail = Type.Object({
  path: Type.String({
    description: 'Location of the problem, for example `body.value` or `query.limit`.',
  }),
  message: Type.String({ description: 'Description of the problem and of valid values.' }),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

export const ErrorReply = Type.Object(
  {
    statusCode: Type.Integer({ description: 'HTTP status code.' }),
    error: Type.String({ description: 'HTTP status text.' }),
    message: Type.String({ description: 'Description of the error and how to fix it.' }),
    requestId: Type.String({ description: 'Value of the `x-request-id` header. Include it in bug reports.' }),
    code: Type.Optional(
      Type.Integer({
        description: 'Session error code, such as -16. Only on the device channel.',
      }),
    ),
    details: Type.Optional(
      Type.Array(ErrorDetail, { description: 'One entry per problem. Only for failed validation.' }),
    ),
  },
  { $id: 'ErrorReply', description: 'Error returned by every route except those of the biometric node.' },
);
export type ErrorReply = Static<typeof ErrorReply>;
