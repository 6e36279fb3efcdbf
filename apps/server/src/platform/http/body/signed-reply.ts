// Replies that are JWTs: how they are sent, and how the reference describes them.
import type { FastifyReply } from 'fastify';
import type { TSchema, TString, TUnion } from 'typebox';
import { Type } from 'typebox';
import { alsoAs, onlyAs } from './media-types.ts';

const JWT = 'application/jwt';

export function sendJwt(reply: FastifyReply, jwt: string): FastifyReply {
  return reply.code(200).type(JWT).send(jwt);
}

/** A reply as JSON, or as a JWT that says the same, or `contents`. The type is what a handler may send. */
export function orSigned<T extends TSchema>(json: T, contents?: TSchema): TUnion<[T, TString]> {
  return alsoAs(json, JWT, jwtOf(contents));
}

/** A reply that is a JWT only; `contents` is what it says. */
export function signedOnly(contents: TSchema, description: string): TString {
  return onlyAs(JWT, jwtOf(contents), description);
}

function jwtOf(contents: TSchema | undefined): TString {
  return Type.String({
    contentMediaType: JWT,
    ...(contents ? { contentSchema: contents } : { description: 'The same, signed.' }),
  });
}
