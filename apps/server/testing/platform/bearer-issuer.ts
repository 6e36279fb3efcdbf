// A token issuer on loopback that publishes keys, signs tokens, and can misbehave.
import type { webcrypto } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/platform/base/clock.ts';

export const AUDIENCE = 'limen';

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: webcrypto.CryptoKey;
  publicJwk: JWK;
}

type Claims = { [Name in keyof JWTPayload]: JWTPayload[Name] | undefined };

export interface LocalIssuer {
  issuer: string;
  jwksUrl: string;
  /** Sets the keys that later fetches return. */
  publish(...keys: SigningKey[]): void;
  misbehave(answer: (response: ServerResponse) => void): void;
  /** Returns the number of fetches. */
  fetches(): number;
  /** Signs a valid token by default. Omits a claim given as undefined. */
  sign(key: SigningKey, claims?: Claims, header?: { kid?: string | undefined }): Promise<string>;
  /** Stops listening, so that the address refuses connections. */
  stop(): Promise<void>;
}

/** RSA key pairs take a second to generate, so there is one per algorithm. */
const rsaPairs = new Map<string, ReturnType<typeof generateKeyPair>>();

function makePair(alg: string) {
  if (!/^[RP]S/.test(alg)) return generateKeyPair(alg, { extractable: true });
  const made = rsaPairs.get(alg) ?? generateKeyPair(alg, { extractable: true });
  rsaPairs.set(alg, made);
  return made;
}

export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await makePair(alg);
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export function replyKeys(...keys: SigningKey[]) {
  const body = JSON.stringify({ keys: keys.map(({ publicJwk }) => publicJwk) });
  return (response: ServerResponse) => void response.setHeader('content-type', 'application/json').end(body);
}

export async function startLocalIssuer(clock: Clock): Promise<LocalIssuer> {
  let fetches = 0;
  let answer: (response: ServerResponse) => void = replyKeys();
  const server = createServer((_request, response) => {
    fetches += 1;
    answer(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}/`;
  const stop = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  return {
    issuer,
    jwksUrl: `${origin}/keys?set=1`,
    publish(...keys) {
      answer = replyKeys(...keys);
    },
    misbehave(wanted) {
      answer = wanted;
    },
    fetches: () => fetches,
    sign({ kid, alg, privateKey }, claims = {}, header = {}) {
      const now = Math.floor(clock.now() / 1000);
      const payload = { iss: issuer, aud: AUDIENCE, sub: 'person-7', exp: now + 300, ...claims } as JWTPayload;
      const signer = new SignJWT(payload).setProtectedHeader({ alg, kid, ...header } as { alg: string });
      return signer.sign(privateKey, { crit: { unheard: true } });
    },
    stop,
  };
}
