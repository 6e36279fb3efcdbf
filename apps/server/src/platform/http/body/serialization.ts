// Compiles how replies are written: each form once, with the definitions that it uses and no others.
import fastJsonStringify, { type Options, type Schema } from 'fast-json-stringify';
import { withVerbatim } from '../../json/verbatim.ts';
import { asLine } from './json-text.ts';

type Definitions = Readonly<Record<string, object>>;
type Write = (reply: unknown) => string;

/** By the form and the definitions that it uses: a process that makes many applications, as tests do, compiles each once. */
const writers = new Map<string, Write>();

/**
 * Most of what routes declare is the same few forms, refusals above all, and compiling one takes time for every
 * definition that it is given: done for each route and status anew, it was two thirds of the start.
 */
export function buildSerializer(definitions: Definitions) {
  const written = new Map<string, Write>();
  return ({ schema }: { schema: object }): Write => {
    // A reference is the same form whatever is said about it beside.
    const form = JSON.stringify('$ref' in schema ? { $ref: schema.$ref } : schema);
    const known = written.get(form);
    if (known) return known;
    const used = definitionsUsedBy(form, definitions);
    const key = JSON.stringify([form, used]);
    const write = writers.get(key) ?? buildWriter(schema, used);
    writers.set(key, write);
    written.set(form, write);
    return write;
  };
}

/** Compiled when the first reply of this form is written. */
function buildWriter(schema: object, used: Definitions): Write {
  let write: Write | undefined;
  return (reply) => {
    write ??= fastJsonStringify(schema as Schema, { schema: used, rounding: 'trunc' } as Options);
    return asLine(withVerbatim(() => write!(reply)));
  };
}

function definitionsUsedBy(form: string, definitions: Definitions): Record<string, object> {
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
