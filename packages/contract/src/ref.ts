// Schema references: each schema is defined once in the OpenAPI document, however often it is used.
import { type Static, type TSchema, Type } from 'typebox';

interface NamedSchema extends TSchema {
  $id: string;
}

/** A symbol on each reference, ignored by JSON serialization. */
const REFERRED = Symbol('referenced schema');

/** Refers to a schema by its `$id`. `description` explains this use of it. */
export function ref<T extends TSchema & { $id?: string }>(schema: T, description?: string) {
  if (schema.$id === undefined) throw new Error('ref() needs a schema with an $id');
  return Type.Unsafe<Static<T>>({
    $ref: `${schema.$id}#`,
    ...(description === undefined ? {} : { description }),
    [REFERRED]: schema,
  });
}

/** Returns the referenced schema, or the schema itself if it is not a reference. */
export function resolveRef(schema: object): object {
  return (schema as { [REFERRED]?: object })[REFERRED] ?? schema;
}

/** Collects all schemas that a value references, directly or indirectly, by name. */
export function collectReferencedSchemas(
  something: unknown,
  found = new Map<string, NamedSchema>(),
): ReadonlyMap<string, NamedSchema> {
  for (const referred of listReferences(something)) {
    if (found.has(referred.$id)) continue;
    found.set(referred.$id, referred);
    collectReferencedSchemas(referred, found);
  }
  return found;
}

/** Cache: each schema is traversed once, although many routes reference it. */
const listed = new WeakMap<object, readonly NamedSchema[]>();

function listReferences(something: unknown): readonly NamedSchema[] {
  if (typeof something !== 'object' || something === null) return [];
  const known = listed.get(something);
  if (known) return known;
  const references: NamedSchema[] = [];
  collectReferences(something, references);
  listed.set(something, references);
  return references;
}

function collectReferences(something: object, references: NamedSchema[]): void {
  const { [REFERRED]: referred } = something as { [REFERRED]?: NamedSchema };
  if (referred) references.push(referred);
  for (const part of Object.values(something)) {
    if (typeof part === 'object' && part !== null) collectReferences(part, references);
  }
}
