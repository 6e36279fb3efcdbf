// Adds to the OpenAPI document what every operation has in common, so that no route has to repeat it.

export interface OpenApiDocument {
  paths?: Record<string, Record<string, OperationToComplete>>;
  components?: { responses?: Record<string, Reply> };
}

interface OperationToComplete {
  security?: unknown[];
  requestBody?: unknown;
  responses?: Record<string, Reply>;
}

interface Reply {
  description?: string;
  content?: Record<string, { schema?: unknown }>;
  $ref?: string;
}

interface Reference {
  $ref: string;
}

const JSON_TYPE = 'application/json';
/** The form of a refusal, where an area has none of its own. */
const USUAL_REFUSAL = { $ref: '#/components/schemas/ErrorReply' };
/** Replies to a request that was not read as far as its route. */
const RANGES = {
  '4XX': 'Any other refusal, such as 401, 405 with `Allow`, 408, 413, 415, 429 with `Retry-After`, or 431.',
  '5XX': 'A failure: 500, 503 with `Retry-After`, or 507.',
};

/** Completes each operation: who may call it, what malformed requests get, and every reply that any operation can give. */
export function completeOperations(document: OpenApiDocument): void {
  const areas = Map.groupBy(Object.entries(document.paths ?? {}), ([path]) => path.split('/')[1]);
  for (const paths of areas.values()) {
    const refusal = findRefusal(paths.flatMap(([, methods]) => Object.values(methods))) ?? USUAL_REFUSAL;
    for (const [path, methods] of paths) {
      for (const [method, operation] of Object.entries(methods)) {
        // Without it, the operation would be as open, but a linter could not tell it from one that was forgotten.
        operation.security ??= [];
        operation.responses = {
          ...listMalformed(path, method, operation, refusal),
          ...operation.responses,
          ...describeRanges(document, refusal),
        };
      }
    }
  }
}

/** Refusals that come before the route, by the shape of the request alone. */
function listMalformed(
  path: string,
  method: string,
  { requestBody }: OperationToComplete,
  refusal: Reference,
): Record<string, Reply> {
  const hasParameter = path.includes('{');
  const takesNoBody = requestBody === undefined && method === 'post';
  return {
    ...((hasParameter || takesNoBody) && {
      400: refuse(
        takesNoBody ? 'The body is not JSON, or the path is not well encoded.' : 'The path is not well encoded.',
        refusal,
      ),
    }),
    ...(takesNoBody && {
      413: refuse('The body is too large.', refusal),
      415: refuse(`The body is not sent as ${JSON_TYPE}.`, refusal),
    }),
  };
}

function refuse(description: string, schema: Reference): Reply {
  return { description, content: { [JSON_TYPE]: { schema } } };
}

/** Refers to the replies that all operations of an area share. */
function describeRanges(document: OpenApiDocument, refusal: Reference): Record<string, Reply> {
  document.components ??= {};
  document.components.responses ??= {};
  const { responses } = document.components;
  return Object.fromEntries(
    Object.entries(RANGES).map(([range, description]) => {
      const name = `${range}${refusal.$ref.split('/').at(-1)}`;
      responses[name] ??= refuse(description, refusal);
      return [range, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** Returns the form of an area's refusals, by the first that one of its operations documents. */
function findRefusal(operations: readonly OperationToComplete[]): Reference | undefined {
  for (const { responses = {} } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      const schema = content?.[JSON_TYPE]?.schema;
      if (/^4\d\d$/.test(status) && isReference(schema)) return { $ref: schema.$ref };
    }
  }
  return undefined;
}

function isReference(schema: unknown): schema is Reference {
  return typeof schema === 'object' && schema !== null && '$ref' in schema && typeof schema.$ref === 'string';
}
