// Creates certificate revocation lists with a library that the verifier does not use.
import type { webcrypto } from 'node:crypto';
import type { Extension, X509CrlCreateParams } from '@peculiar/x509';
import { DER } from '../src/revocation/read-crl.ts';
import { loadX509, type X509 } from '../src/trust/certificate.ts';
import type { TestIssuer } from '../test-issuer/test-issuer.ts';
import { NOW } from './requests.ts';

export interface CrlOptions {
  /** In hex. */
  serials?: readonly string[];
  thisUpdate?: Date;
  nextUpdate?: Date | undefined;
  /** Replaces the authority's own. */
  issuer?: string;
  key?: webcrypto.CryptoKey;
  extensions?: (x509: X509) => Extension[];
  entryExtensions?: (x509: X509) => Extension[];
}

const HOUR_MS = 3_600_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function makeCrl(issuer: TestIssuer, options: CrlOptions = {}): Promise<Uint8Array> {
  const x509 = await loadX509();
  const { serials = [], thisUpdate = NOW, key = issuer.authorityKey } = options;
  const nextUpdate = 'nextUpdate' in options ? options.nextUpdate : new Date(thisUpdate.getTime() + 24 * HOUR_MS);
  const certificate = new x509.X509Certificate(Uint8Array.from(issuer.chain[0]!));
  const made = await x509.X509CrlGenerator.create({
    issuer: options.issuer ?? certificate.issuer,
    thisUpdate,
    ...(nextUpdate && { nextUpdate }),
    entries: serials.map((serialNumber) => ({
      serialNumber,
      revocationDate: thisUpdate,
      reason: x509.X509CrlReason.keyCompromise,
      extensions: options.entryExtensions?.(x509) ?? [],
    })),
    extensions: options.extensions?.(x509) ?? [],
    signingAlgorithm: ALGORITHM,
    // The library's types use the names of browser keys for the same keys.
    signingKey: key as unknown as X509CrlCreateParams['signingKey'],
  });
  return new Uint8Array(made.rawData);
}

export async function serialOf(issuer: TestIssuer): Promise<string> {
  const x509 = await loadX509();
  return new x509.X509Certificate(Uint8Array.from(issuer.chain[0]!)).serialNumber;
}

/** RFC 5280, 5.2.5: URL of the list, and other restrictions. */
export function pointOf(address: string, more: number[] = [], isCritical = true): (x509: X509) => Extension[] {
  const wrap = (tag: number, content: Uint8Array) => Buffer.of(tag, content.length, ...content);
  const name = wrap(DER.first, wrap(DER.first, wrap(DER.uri, Buffer.from(address))));
  const point = Uint8Array.from(wrap(DER.sequence, Buffer.from([...name, ...more])));
  return (x509) => [new x509.Extension('2.5.29.28', isCritical, point.buffer)];
}
