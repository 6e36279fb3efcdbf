// Adds to the OpenAPI document what all operations have in common, so that no route repeats it.
import { isOptionalBody } from '../body/read-bodies.ts';
import type { OpenApiDocument, OperationObject, ReplyObject } from './operations.ts';

interface Reference {
  $ref: string;
}

const JSON_TYPE = 'application/json';
/** Form of a refusal in areas without their own */
const USUAL_REFUSAL = { $ref: '#/components/schemas/ErrorReply' };
const RANGES = {
  '4XX': 'Any other refusal, such as 401, 405 with `Allow`, 408, 413, 415, 429 with `Retry-After`, or 431.',
  '5XX': 'A failure: 500, 503 with `Retry-After`, or 507.',
};

export function completeOperations(described: object): void {
  const document = described as OpenApiDocument;
  const areas = Map.groupBy(Object.entries(document.paths ?? {}), ([path]) => path.split('/')[1]);
  for (const paths of areas.values()) {
    const refusal = findRefusal(paths.flatMap(([, methods]) => Object.values(methods))) ?? USUAL_REFUSAL;
    for (const [path, methods] of paths) {
      for (const [method, operation] of Object.entries(methods)) {
        const { requestBody } = operation;
        if (requestBody && isOptionalBody(requestBody.content[JSON_TYPE]?.schema)) requestBody.required = false;
        // An empty list shows linters that the operation is open on purpose.
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

/** Lists the refusals that follow from the shape of the request. */
function listMalformed(
  path: string,
  method: string,
  { requestBody }: OperationObject,
  refusal: Reference,
): Record<string, ReplyObject> {
  const hasParameter = path.includes('{');
  const takesNoBody = requestBody === undefined && method === 'post';
  return {
    ...(hasParameter && { 400: refuse('The path is not well encoded.', refusal) }),
    ...(takesNoBody && {
      400: refuse('The body is not JSON, or the path is not well encoded.', refusal),
      413: refuse('The body is too large.', refusal),
      415: refuse(`The body is not sent as ${JSON_TYPE}.`, refusal),
    }),
  };
}

function refuse(description: string, schema: Reference): ReplyObject {
  return { description, content: { [JSON_TYPE]: { schema } } };
}

function describeRanges(document: OpenApiDocument, refusal: Reference): Record<string, ReplyObject> {
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

/** Returns the form of the first refusal that an operation of the area documents. */
function findRefusal(operations: readonly OperationObject[]): Reference | undefined {
  for (const [status, { content }] of operations.flatMap(({ responses }) => Object.entries(responses ?? {}))) {
    const { $ref } = (content?.[JSON_TYPE]?.schema ?? {}) as Partial<Reference>;
    if (/^4\d\d$/.test(status) && $ref !== undefined) return { $ref };
  }
  return undefined;
}
