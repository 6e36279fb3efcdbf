// References between schemas: one definition in the OpenAPI document, however often it is used.
import { type Static, type TSchema, Type } from 'typebox';

/** Refers to a schema by its `$id`, with its static type; `description` says what it means in this place. */
export function ref<T extends TSchema & { $id?: string }>(schema: T, description?: string) {
  if (schema.$id === undefined) throw new Error('only a schema with an $id can be referred to');
  return Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#`, ...(description === undefined ? {} : { description }) });
}
