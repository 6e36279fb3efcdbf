// Compiles the writers of replies: one per form, with only the definitions that it uses.
import fastJsonStringify, { type Options, type Schema } from 'fast-json-stringify';
import { withVerbatim } from '../../json/verbatim.ts';
import { asLine } from './json-text.ts';

export type NamedSchemas = Readonly<Record<string, object>>;

/** Shares the schemas among all contexts of Fastify, which would copy them for each. Copying took a tenth of the start. */
export function shareNamedSchemas(schemas: Record<string, object> = {}) {
  return {
    add(schema: { $id: string }): void {
      schemas[schema.$id] = schema;
    },
    getSchema: (name: string) => schemas[name],
    getSchemas: () => schemas,
  };
}

type Write = (reply: unknown) => string;

const writers = new Map<string, Write>();

/** Most routes declare the same few forms. Each is compiled for its first reply, which takes time for every definition. */
export function buildSerializer(definitions: NamedSchemas) {
  return ({ schema }: { schema: object }): Write => {
    let write: Write | undefined;
    return (reply) => {
      write ??= buildWriter(schema, definitions);
      return write(reply);
    };
  };
}

function buildWriter(schema: object, definitions: NamedSchemas): Write {
  // The description of a reference does not matter.
  const form = JSON.stringify('$ref' in schema ? { $ref: schema.$ref } : schema);
  const used = pickDefinitions(form, definitions);
  const key = JSON.stringify([form, used]);
  const known = writers.get(key);
  if (known) return known;
  const stringify = fastJsonStringify(schema as Schema, { schema: used, rounding: 'trunc' } as Options);
  const write: Write = (reply) => asLine(withVerbatim(() => stringify(reply)));
  writers.set(key, write);
  return write;
}

function pickDefinitions(form: string, definitions: NamedSchemas): Record<string, object> {
  const used = new Map<string, object>();
  const open = [form];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const [, id = ''] of text.matchAll(/"\$ref":"([^"#]+)/g)) {
      const definition = definitions[id];
      if (!definition || used.has(id)) continue;
      used.set(id, definition);
      open.push(JSON.stringify(definition));
    }
  }
  return Object.fromEntries(used);
}
