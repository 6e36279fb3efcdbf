// Compiles how replies are written: each form once, with the definitions that it uses and no others.
import fastJsonStringify, { type Options, type Schema } from 'fast-json-stringify';
import { withVerbatim } from '../../json/verbatim.ts';
import { asLine } from './json-text.ts';
import type { NamedSchemas } from './named-schemas.ts';

type Write = (reply: unknown) => string;

/** By the form and the definitions that it uses: a process that makes many applications, as tests do, compiles each once. */
const writers = new Map<string, Write>();

/**
 * Most of what routes declare is the same few forms, refusals above all, and compiling one takes time for every
 * definition that it is given. Compiled when the first reply is written.
 */
export function buildSerializer(definitions: NamedSchemas) {
  return ({ schema }: { schema: object }): Write => {
    let write: Write | undefined;
    return (reply) => {
      write ??= writerOf(schema, definitions);
      return write(reply);
    };
  };
}

function writerOf(schema: object, definitions: NamedSchemas): Write {
  // A reference is the same form whatever is said about it beside.
  const form = JSON.stringify('$ref' in schema ? { $ref: schema.$ref } : schema);
  const used = definitionsUsedBy(form, definitions);
  const key = JSON.stringify([form, used]);
  const write = writers.get(key) ?? buildWriter(schema, used);
  writers.set(key, write);
  return write;
}

function buildWriter(schema: object, used: NamedSchemas): Write {
  const write = fastJsonStringify(schema as Schema, { schema: used, rounding: 'trunc' } as Options);
  return (reply) => asLine(withVerbatim(() => write(reply)));
}

function definitionsUsedBy(form: string, definitions: NamedSchemas): Record<string, object> {
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
