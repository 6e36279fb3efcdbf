// Documents replies that are not, or not only, JSON.
import { type TSchema, type TString, type TUnion, Type } from 'typebox';

interface DescribedReply {
  description?: string;
  content?: Record<string, { schema: TSchema }>;
}

/** Adds a media type to a reply, which is JSON unless it names others. */
export function alsoAs<T extends TSchema>(
  reply: T,
  mediaType: string,
  schema: TSchema = Type.String(),
): TUnion<[T, TString]> {
  const { description, content = { 'application/json': { schema: reply } } } = reply as DescribedReply;
  return describe({
    ...(description !== undefined && { description }),
    content: { ...content, [mediaType]: { schema } },
  });
}

export function onlyAs<T extends TSchema>(mediaType: string, schema: T, description: string): T {
  return describe({ description, content: { [mediaType]: { schema } } });
}

/** Fastify accepts this form; its types do not. */
function describe<T>(reply: DescribedReply): T {
  return reply as T;
}
