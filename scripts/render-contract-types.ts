// Writes the contract's types as plain TypeScript, so that the published SDK needs neither the
// contract nor TypeBox.
import * as contract from '../packages/contract/src/index.ts';

/** The part of JSON Schema that the contract uses. */
interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  type?: string | string[];
  items?: Schema | false;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean;
  description?: string;
}

/** Types for the keys of a table rather than for a schema. */
const KEYS_OF_TABLE: Record<string, object> = { ErrorCode: contract.ERROR_STATUS };

/** Returns a module with the named types and their references. */
export function renderContractTypes(names: Iterable<string>): string {
  const wanted = new Set(names);
  const rendered = [
    '// Requests and replies of Limen. Generated; the source is the contract that the service validates by.',
  ];
  // Sets may grow during iteration, so references found on the way are visited too.
  for (const name of wanted) rendered.push(renderNamed(name, wanted));
  return `${rendered.join('\n\n')}\n`;
}

function renderNamed(name: string, wanted: Set<string>): string {
  const table = KEYS_OF_TABLE[name];
  if (table) return `export type ${name} = ${Object.keys(table).map(quote).join(' | ')};`;
  if (name === 'WebhookBodies') return renderWebhookBodies(wanted);
  const schema = (contract as Record<string, unknown>)[name] as Schema | undefined;
  if (typeof schema !== 'object') throw new Error(`The contract has no schema that is called ${name}.`);
  return `${renderComment(schema, '')}export type ${name} = ${renderType(schema, wanted, '')};`;
}

function renderWebhookBodies(wanted: Set<string>): string {
  const fields = contract.listWebhookEvents().map(({ event, when, bodies }) => {
    for (const name of bodies) wanted.add(name);
    return `  /** ${when} */\n  ${quote(event)}: ${bodies.join(' | ')};\n`;
  });
  return `/** The body of each webhook, by the event that it tells. */\nexport type WebhookBodies = {\n${fields.join('')}};`;
}

function renderType(schema: Schema, wanted: Set<string>, indent: string): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace(/#$/, '');
    wanted.add(name);
    return name;
  }
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum) return schema.enum.map(quote).join(' | ');
  if (schema.prefixItems) {
    return `readonly [${schema.prefixItems.map((item) => renderType(item, wanted, indent)).join(', ')}]`;
  }
  if (schema.anyOf) return schema.anyOf.map((member) => renderType(member, wanted, indent)).join(' | ');
  const { type } = schema;
  if (Array.isArray(type))
    return type.map((member) => renderType({ ...schema, type: member }, wanted, indent)).join(' | ');
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${renderType(schema.items || {}, wanted, indent)}>`;
    case 'object':
      return renderObject(schema, wanted, indent);
    default:
      throw new Error(`No TypeScript is known for the schema ${JSON.stringify(schema)}.`);
  }
}

function renderObject(schema: Schema, wanted: Set<string>, indent: string) {
  const { properties, required = [], patternProperties, additionalProperties } = schema;
  if (!properties && additionalProperties === true) return 'Record<string, unknown>';
  const [values] = Object.values(patternProperties ?? {});
  if (values) return `Record<string, ${renderType(values, wanted, indent)}>`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties ?? {}).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${renderComment(schema, inner)}${inner}${renderKey(name)}${optional}: ${renderType(schema, wanted, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function renderComment({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description} */\n`;
}

function renderKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
