// References between schemas: one definition in the OpenAPI document, however often it is used.
import { type Static, type TSchema, Type } from 'typebox';

interface NamedSchema extends TSchema {
  $id: string;
}

/** On each reference; what writes JSON does not see it. */
const REFERRED = Symbol('the schema that is referred to');

/** Refers to a schema by its `$id`, with its static type; `description` says what it means in this place. */
export function ref<T extends TSchema & { $id?: string }>(schema: T, description?: string) {
  if (schema.$id === undefined) throw new Error('only a schema with an $id can be referred to');
  return Type.Unsafe<Static<T>>({
    $ref: `${schema.$id}#`,
    ...(description === undefined ? {} : { description }),
    [REFERRED]: schema,
  });
}

/** The schema that this one refers to, or itself if it refers to none. */
export function resolveRef(schema: object): object {
  return (schema as { [REFERRED]?: object })[REFERRED] ?? schema;
}

/** Every schema that something refers to, and those that they refer to, by name. */
export function findReferred(
  something: unknown,
  found = new Map<string, NamedSchema>(),
): ReadonlyMap<string, NamedSchema> {
  for (const referred of listReferences(something)) {
    if (found.has(referred.$id)) continue;
    found.set(referred.$id, referred);
    findReferred(referred, found);
  }
  return found;
}

/** Schemas are looked through once, though many routes refer to the same. */
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
