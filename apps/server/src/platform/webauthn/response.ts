// Reads what a browser's authenticator answered: the fields we use, of bounded length, and no other.

interface Answer<Response> {
  id: string;
  rawId: string;
  type: 'public-key';
  clientExtensionResults: Record<string, never>;
  response: Response;
}

type Registration = Answer<{ clientDataJSON: string; attestationObject: string; transports: string[] }>;
type Assertion = Answer<{ clientDataJSON: string; authenticatorData: string; signature: string }>;

/** An id is at most 1,023 bytes (WebAuthn 3, 6.5.1). */
const MAX_ID_CHARACTERS = 1_364;
/** The largest answers are attestations with certificates: a few kilobytes, though we ask for none. */
const MAX_FIELD_CHARACTERS = 16_384;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const TRANSPORT = /^[a-z-]{1,32}$/;
const MAX_TRANSPORTS = 8;

export function readRegistration(value: unknown): Registration | undefined {
  const read = readAnswer(value);
  const clientDataJSON = fieldOf(read?.response, 'clientDataJSON');
  const attestationObject = fieldOf(read?.response, 'attestationObject');
  if (!read || clientDataJSON === undefined || attestationObject === undefined) return undefined;
  return { ...read, response: { clientDataJSON, attestationObject, transports: readTransports(read.response) } };
}

export function readAssertion(value: unknown): Assertion | undefined {
  const read = readAnswer(value);
  const clientDataJSON = fieldOf(read?.response, 'clientDataJSON');
  const authenticatorData = fieldOf(read?.response, 'authenticatorData');
  const signature = fieldOf(read?.response, 'signature');
  if (!read || clientDataJSON === undefined || authenticatorData === undefined || signature === undefined) {
    return undefined;
  }
  return { ...read, response: { clientDataJSON, authenticatorData, signature } };
}

function readAnswer(value: unknown): Answer<unknown> | undefined {
  const id = fieldOf(value, 'id', MAX_ID_CHARACTERS);
  if (id === undefined || fieldOf(value, 'rawId', MAX_ID_CHARACTERS) !== id) return undefined;
  const { type, response } = value as { type?: unknown; response?: unknown };
  if (type !== 'public-key') return undefined;
  return { id, rawId: id, type, clientExtensionResults: {}, response };
}

function fieldOf(value: unknown, name: string, most = MAX_FIELD_CHARACTERS): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const field: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  return typeof field === 'string' && field.length <= most && BASE64URL.test(field) ? field : undefined;
}

/** Hints for the browser; a wrong one is left out. */
function readTransports(response: unknown): string[] {
  const { transports } = response as { transports?: unknown };
  if (!Array.isArray(transports)) return [];
  return transports
    .slice(0, MAX_TRANSPORTS)
    .filter((one): one is string => typeof one === 'string' && TRANSPORT.test(one));
}
