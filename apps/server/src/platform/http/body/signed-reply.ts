// Replies that are JWTs: how they are sent, and how the reference describes them.
import type { FastifyReply } from 'fastify';
import type { TSchema, TString, TUnion } from 'typebox';
import { Type } from 'typebox';

const JWT = 'application/jwt';

export function sendJwt(reply: FastifyReply, jwt: string): FastifyReply {
  return reply.code(200).type(JWT).send(jwt);
}

/** A reply as JSON, or as a JWT that says the same, or `contents`. The type is what a handler may send. */
export function orSigned<T extends TSchema>(json: T, contents?: TSchema): TUnion<[T, TString]> {
  const { description } = json as { description?: string };
  return {
    ...(description !== undefined && { description }),
    content: { 'application/json': { schema: json }, [JWT]: { schema: jwtOf(contents) } },
  } as unknown as TUnion<[T, TString]>;
}

/** A reply that is a JWT only; `contents` is what it says. */
export function signedOnly(contents: TSchema, description: string): TString {
  return { description, content: { [JWT]: { schema: jwtOf(contents) } } } as unknown as TString;
}

function jwtOf(contents: TSchema | undefined): TString {
  return Type.String({
    contentMediaType: JWT,
    ...(contents ? { contentSchema: contents } : { description: 'The same, signed.' }),
  });
}
