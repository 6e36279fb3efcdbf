// As much of JSON Schema as the OpenAPI document uses, and its references resolved.

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  anyOf?: JsonSchema[];
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  examples?: unknown[];
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

export function resolve(schema: JsonSchema | undefined, schemas: Schemas): JsonSchema | undefined {
  return schema?.$ref ? schemas[refName(schema.$ref)] : schema;
}

export function refName(reference: string): string {
  return (reference.split('/').at(-1) ?? reference).replace(/#$/, '');
}
