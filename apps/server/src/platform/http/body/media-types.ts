// Documents the media types of a reply that is not JSON, or not only JSON.
import { type TSchema, type TString, type TUnion, Type } from 'typebox';

interface DescribedReply {
  description?: string;
  content?: Record<string, { schema: TSchema }>;
}

/** Adds a media type to a reply, whose form before is JSON unless it names others. */
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

/** Documents a reply that has this one media type. */
export function onlyAs<T extends TSchema>(mediaType: string, schema: T, description: string): T {
  return describe({ description, content: { [mediaType]: { schema } } });
}

/** Fastify takes this form too; its types know schemas only. */
function describe<T>(reply: DescribedReply): T {
  return reply as T;
}
