// Checks of a strict wallet before it shows a signed request (OpenID4VP 1.0, 5.8, 5.9.3, A.2; RFC
// 9101).
import { createHash, X509Certificate } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';

export interface RequestChecks {
  requestObject: string;
  /** Authority that the wallet trusts, PEM. */
  root: string;
  now: Date;
  /** Client id in the link. */
  clientId?: string;
  /** Origin of the page, for browser requests. */
  origin?: string;
}

/** Returns the payload of a valid request. Throws the reason otherwise. */
export async function checkRequest(checks: RequestChecks): Promise<Record<string, unknown>> {
  const { requestObject, root, now, clientId, origin } = checks;
  const header = decodeProtectedHeader(requestObject);
  if (header.typ !== 'oauth-authz-req+jwt') throw new Error('typ');
  const chain = (header.x5c ?? []).map((der) => new X509Certificate(Buffer.from(der, 'base64')));
  const leaf = chain[0];
  if (!leaf) throw new Error('x5c');
  [...chain, new X509Certificate(root)].reduce((below, above) => {
    if (!below.checkIssued(above) || !below.verify(above.publicKey)) throw new Error('chain');
    return above;
  });
  if (now < leaf.validFromDate || now > leaf.validToDate) throw new Error('dates');
  const verified = await compactVerify(requestObject, leaf.publicKey, { algorithms: ['ES256'] });
  const payload = JSON.parse(Buffer.from(verified.payload).toString()) as Record<string, unknown>;
  const named = String(payload['client_id']);
  if (clientId !== undefined && named !== clientId) throw new Error('client_id of the link');
  checkClientId(named, leaf, payload['response_uri']);
  if (origin === undefined) {
    if (payload['aud'] !== 'https://self-issued.me/v2') throw new Error('aud');
  } else if (!(payload['expected_origins'] as string[] | undefined)?.includes(origin)) {
    throw new Error('expected_origins');
  }
  return payload;
}

function checkClientId(clientId: string, leaf: X509Certificate, responseUri: unknown): void {
  const [prefix, name = ''] = clientId.split(/:(.*)/s);
  if (prefix === 'x509_hash') {
    if (name !== createHash('sha256').update(leaf.raw).digest('base64url')) throw new Error('x509_hash');
    return;
  }
  if (prefix !== 'x509_san_dns') throw new Error('client_id prefix');
  if (!leaf.subjectAltName?.split(', ').includes(`DNS:${name}`)) throw new Error('x509_san_dns');
  if (responseUri !== undefined && new URL(String(responseUri)).hostname !== name) throw new Error('response_uri');
}
