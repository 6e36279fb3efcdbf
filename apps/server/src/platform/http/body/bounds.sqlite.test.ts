// Every list and every open object in a request is bounded, so that no body blocks other requests.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  AgeDeviceAnswer,
  CaptureFacts,
  collectReferencedSchemas,
  VerificationDeviceAnswer,
  WatchSubjectRequest,
} from '@limen/contract';
import type { FastifyInstance } from 'fastify';
import { expect, it } from 'vitest';
import { startTestApp } from '#testing/test-app.ts';

import { boundUnknownFields, MAX_UNKNOWN_FIELDS, mapSchema, type SchemaObject } from '../../json/unknown-fields.ts';

const PARTS = ['body', 'querystring', 'params', 'headers'] as const;
/** Free-form values. Their routes bound them in bytes, the parser in depth and members. */
const FREE_FORM = ['metadata', 'headers', 'properties', 'response', 'data'];

interface Place {
  /** Name of the field that holds the value, if any */
  field: string;
  where: string;
  schema: SchemaObject;
}

/** Returns every request schema, including the console's hidden routes. */
async function listRequestSchemas(): Promise<Place[]> {
  const found: Place[] = [];
  const collect = (where: string, part: string, schema: unknown) => {
    const bounded = part === 'body' ? boundUnknownFields(schema as object) : (schema as SchemaObject);
    found.push({ field: part, where, schema: bounded });
    for (const [id, named] of collectReferencedSchemas(schema)) {
      found.push({ field: id, where: `${where} ${id}`, schema: boundUnknownFields(named) });
    }
  };
  const watch = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url, schema }) => {
      for (const part of PARTS) if (schema?.[part]) collect(`${method} ${url} ${part}`, part, schema[part]);
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    await startTestApp({ environment: { NODE_ENV: 'development' } });
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
  const others = { AgeDeviceAnswer, CaptureFacts, VerificationDeviceAnswer, WatchSubjectRequest };
  for (const [name, schema] of Object.entries(others)) collect(name, 'body', schema);
  return found;
}

/** Returns the schema and all schemas inside it. */
function listInner(place: Place): Place[] {
  const inner: Place[] = [];
  const fields = new Map<unknown, string>();
  mapSchema(place.schema, (one) => {
    inner.push({ ...place, field: '', schema: one });
    for (const [name, schema] of Object.entries(one['properties'] ?? {})) fields.set(schema, name);
    return one;
  });
  return inner.map((one) => ({ ...one, field: fields.get(one.schema) ?? place.field }));
}

const isOf = (type: string, { schema }: Place) => [schema['type']].flat().includes(type);
const tell = ({ where, field, schema }: Place) => `${where}, ${field}: ${JSON.stringify(schema).slice(0, 120)}`;

it('bounds every list and every open object of a request', async () => {
  const requests = await listRequestSchemas();
  const isConsole = ({ where }: Place) => where.includes(' /console/');
  expect([requests.length > 200, requests.some(isConsole)]).toEqual([true, true]);
  const places = requests.flatMap(listInner);
  const lists = places.filter((place) => isOf('array', place));
  expect(lists.length).toBeGreaterThan(50);
  expect(lists.filter(({ schema }) => schema['maxItems'] === undefined).map(tell)).toEqual([]);
  const objects = places.filter((place) => place.where.endsWith(' body') && isOf('object', place));
  const isBounded = ({ field, schema }: Place) =>
    schema['additionalProperties'] === false ||
    schema[MAX_UNKNOWN_FIELDS] !== undefined ||
    schema['maxProperties'] !== undefined ||
    FREE_FORM.includes(field);
  expect(objects.length).toBeGreaterThan(80);
  expect(objects.filter((place) => !isBounded(place)).map(tell)).toEqual([]);
});
