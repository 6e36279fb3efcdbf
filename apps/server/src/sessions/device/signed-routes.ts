// Declares routes that devices sign: their schemas, the check of the signature, and the refusals that all of them share.
import { ErrorReply, ref } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { AppError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { collectBody } from '../../platform/http/body/collect-body.ts';
import { parseJson } from '../../platform/http/body/json.ts';
import { pathName } from '../../platform/http/paths.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import { MAX_DEVICE_JSON_BYTES } from '../limits.ts';
import { COUNTER_HEADER, refusal } from './refusals.ts';
import { readCounter, type Signer, verifyCall } from './signature.ts';

export const DEVICE_PATH = '/device/sessions/:sessionId';
export const BINARY_TYPE = 'application/octet-stream';
export const NO_BODY = Buffer.alloc(0);

const SessionPath = Type.Object({ sessionId: pathName<SessionId>('The `sessionId` from the launch URL.') });

export function deviceSchema(tag: string) {
  return { tags: [tag], params: SessionPath, headers: SIGNATURE_HEADERS };
}

const REFUSALS = {
  401: 'The call is not signed, or the signature is wrong.',
  403: '`device_mismatch`, code -16: another device holds the session, or none has claimed it yet.',
  404: 'There is no such session, or it was deleted.',
  409: '`session_ended` (code -8 if it expired), or `stale_counter` with the last counter in `limen-device-counter`.',
  503: 'The service is busy; `Retry-After` says when to try again.',
};

type RefusalTexts = Readonly<Record<number, string>>;

/** Describes refusals by status: those of every signed call, with `extra` added or in their place. */
export function refusals(extra: RefusalTexts = {}) {
  const texts = Object.entries({ ...REFUSALS, ...extra });
  return Object.fromEntries(texts.map(([status, text]) => [status, ref(ErrorReply, text)]));
}

/** Refuses a session that does not exist before the body is read. For routes that take large bodies. */
export function requireSessionFirst(app: HttpServer, sessions: Pick<Sessions, 'find'>): void {
  app.addHook('onRequest', async ({ params }) => {
    if (!(await sessions.find((params as { sessionId: SessionId }).sessionId))) throw refusal('noSuchSession');
  });
}

interface SignedRoute<Body, Reply extends TSchema> {
  summary: string;
  description?: string;
  reply: Reply;
  /** Refusals by status, besides those of every such route. */
  errors?: RefusalTexts;
  handle(sessionId: SessionId, signer: Signer, body: Body, request: FastifyRequest): Promise<Static<Reply>>;
}

type EmptyObject = ReturnType<typeof Type.Object<Record<never, never>>>;

export type AddJsonRoute = <Reply extends TSchema, Body extends TSchema = EmptyObject>(
  operation: string,
  route: SignedRoute<Static<Body>, Reply> & { body?: Body },
) => void;

const JSON_ERRORS = {
  400: 'The body is not JSON, or a field is missing or has a wrong type or value.',
  413: 'The body is too large.',
  415: 'The body is not sent as application/json.',
};

/** Returns the function that adds routes with signed JSON. The scope must be their own: its parser keeps the bytes. */
export function jsonRoutes(app: HttpServer, tag: string, bodyLimit = MAX_DEVICE_JSON_BYTES): AddJsonRoute {
  const signers = new WeakMap<FastifyRequest, Signer>();
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  app.removeAllContentTypeParsers();
  const parse = collectBody((request, body, done) => {
    bodies.set(request, body);
    done(null, parseJson(body));
  });
  app.addContentTypeParser('application/json', parse);
  return (operation, { body = Type.Object({}), reply, errors, handle, ...texts }) => {
    app.route({
      method: 'POST',
      url: `${DEVICE_PATH}/${operation}`,
      bodyLimit,
      // The signature comes before the fields, so that a stranger learns nothing about them.
      async preValidation(request) {
        signers.set(request, await requireSignature(request, operation, bodies.get(request) ?? NO_BODY));
      },
      schema: {
        ...deviceSchema(tag),
        ...texts,
        body,
        response: { 200: reply, ...refusals({ ...JSON_ERRORS, ...errors }) },
      },
      handler: (request) =>
        handle(request.params.sessionId, signers.get(request)!, request.body as never, request) as never,
    });
  };
}

interface BytesRoute<Reply extends TSchema> extends SignedRoute<Buffer, Reply> {
  /** Name of the body in refusals. */
  what: string;
  bodyLimit: number;
  /** Refuses the body before its signature is verified. */
  check?(body: Buffer): void;
}

/** Adds a route with signed bytes. Its scope must be its own. */
export function addBytesRoute<Reply extends TSchema>(
  app: HttpServer,
  tag: string,
  operation: string,
  { what, bodyLimit, check, reply, errors, handle, ...texts }: BytesRoute<Reply>,
): void {
  app.removeAllContentTypeParsers();
  const parse = collectBody((_request, body, done) => done(null, body));
  app.addContentTypeParser(BINARY_TYPE, parse);
  app.addContentTypeParser('*', async () => {
    throw new AppError('unsupported_media_type', `Send ${what} as ${BINARY_TYPE}.`);
  });
  const bodyErrors = { 413: 'The body is too large.', 415: `The body is not sent as ${BINARY_TYPE}.` };
  app.route({
    method: 'POST',
    url: `${DEVICE_PATH}/${operation}`,
    bodyLimit,
    // The schema is for the API reference only: there is nothing to validate in bytes.
    validatorCompiler: () => () => true,
    schema: {
      ...deviceSchema(tag),
      ...texts,
      consumes: [BINARY_TYPE],
      body: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
      response: { 200: reply, ...refusals({ ...bodyErrors, ...errors }) },
    },
    handler: (request) => take(request, request.params.sessionId) as never,
  });

  async function take(request: FastifyRequest, sessionId: SessionId) {
    const body = (request.body as Buffer | undefined) ?? NO_BODY;
    check?.(body);
    const signer = await requireSignature(request, operation, body);
    return handle(sessionId, signer, body, request);
  }
}

/** Key, counter and signature, in this order. */
const SIGNATURE_FIELDS = [
  {
    name: 'limen-device-key',
    description: 'The device’s P-256 key, an uncompressed point, base64url.',
    fits: (value: string) => /^B[A-Za-z0-9_-]{86}$/.test(value),
    form: 'the uncompressed point of a P-256 key, 87 characters of base64url',
  },
  {
    name: COUNTER_HEADER,
    description: 'A whole number above that of the device’s last change; milliseconds since 1970 will do.',
    fits: (value: string) => readCounter(value) !== undefined,
    form: 'a whole number from 1 to 2^53 − 1, without leading zeros',
  },
  {
    name: 'limen-device-signature',
    description: 'ECDSA with SHA-256 over method, path, body hash and counter; r and s, base64url.',
    fits: (value: string) => /^[A-Za-z0-9_-]{86}$/.test(value),
    form: 'r and s of 32 bytes each, 86 characters of base64url, not DER',
  },
];

/** Optional to the validation, because a call without them gets 401 and not 400. */
const SIGNATURE_HEADERS = Type.Object(
  Object.fromEntries(
    SIGNATURE_FIELDS.map(({ name, description }) => [name, Type.Optional(Type.String({ description }))]),
  ),
);

/** Returns undefined if the request has none of the headers. */
export async function readSignature(request: FastifyRequest, operation: string, body: Uint8Array) {
  const { headers, method } = request;
  if (SIGNATURE_FIELDS.every(({ name }) => headers[name] === undefined)) return undefined;
  const [key = '', counter = '', signature = ''] = SIGNATURE_FIELDS.map(({ name, fits, form }) => {
    const value = headers[name];
    if (value === undefined) throw new AppError('invalid_signature', `The header ${name} is missing.`);
    if (typeof value === 'string' && fits(value)) return value;
    throw new AppError('invalid_signature', `The header ${name} must be ${form}.`);
  });
  const { sessionId } = request.params as { sessionId: string };
  const signer = await verifyCall({ method, sessionId, operation, body, key, counter, signature });
  if (signer) return signer;
  throw new AppError(
    'invalid_signature',
    'The signature is wrong; it must cover method, path, body and counter, as docs/device-protocol.md describes.',
  );
}

export async function requireSignature(request: FastifyRequest, operation: string, body: Uint8Array): Promise<Signer> {
  const signer = await readSignature(request, operation, body);
  if (signer) return signer;
  const [key, counter, signature] = SIGNATURE_FIELDS.map(({ name }) => name);
  throw new AppError(
    'invalid_signature',
    `Sign the call with the device’s key: send ${key}, ${counter} and ${signature}.`,
  );
}
