// Replies that are JWTs, and their documentation.
import type { FastifyReply } from 'fastify';
import { type TSchema, type TString, type TUnion, Type } from 'typebox';
import { alsoAs, onlyAs } from './media-types.ts';

const JWT = 'application/jwt';

export function sendJwt(reply: FastifyReply, jwt: string): FastifyReply {
  return reply.code(200).type(JWT).send(jwt);
}

/** Documents a reply as JSON or as a JWT with the same data, or with `contents`. */
export function orSigned<T extends TSchema>(json: T, contents?: TSchema): TUnion<[T, TString]> {
  return alsoAs(json, JWT, describeJwt(contents));
}

export function signedOnly(contents: TSchema, description: string): TString {
  return onlyAs(JWT, describeJwt(contents), description);
}

function describeJwt(contents: TSchema | undefined): TString {
  return Type.String({
    contentMediaType: JWT,
    ...(contents ? { contentSchema: contents } : { description: 'The signed form of the JSON reply.' }),
  });
}
