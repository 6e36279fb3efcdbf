// Issuer and wallet of another implementation: @owf/mdoc, with the ciphers that it requires.
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  webcrypto,
} from 'node:crypto';
import {
  CoseKey,
  cborDecode,
  cborEncode,
  DeviceKey,
  DeviceRequest,
  Holder,
  Issuer,
  type IssuerSigned,
  type MdocContext,
  SessionTranscript,
  SignatureAlgorithm,
} from '@owf/mdoc';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import type { CreatedRequest, RequestState } from '../src/index.ts';
import { PROFILES } from '../src/profiles/profiles.ts';
import { ANSWER_SUITE } from '../src/requests/answer-key.ts';
import { encodeDeviceRequest } from '../src/requests/create-request.ts';
import type { TestIssuer } from '../test-issuer/test-issuer.ts';

export interface PeerAttestation {
  issuerSigned: IssuerSigned;
  deviceJwk: JWK;
}

const HASHES = { 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' } as const;
const MAC_ALGORITHM = 5;
const DAY_MS = 86_400_000;

const context: Pick<MdocContext, 'crypto' | 'cose'> = {
  crypto: {
    random: (length) => new Uint8Array(randomBytes(length)),
    digest: ({ digestAlgorithm, bytes }) => new Uint8Array(createHash(HASHES[digestAlgorithm]).update(bytes).digest()),
    calculateEphemeralMacKey: ({ privateKey, publicKey, sessionTranscriptBytes }) => {
      const [own, other] = [CoseKey.decode(privateKey).jwk, CoseKey.decode(publicKey).jwk];
      const secret = diffieHellman({
        privateKey: createPrivateKey({ key: own, format: 'jwk' }),
        publicKey: createPublicKey({ key: other, format: 'jwk' }),
      });
      const salt = createHash('sha256').update(sessionTranscriptBytes).digest();
      const k = new Uint8Array(hkdfSync('sha256', secret, salt, 'EMacKey', 32));
      return CoseKey.create({ keyType: 4, k });
    },
  },
  cose: {
    sign1: {
      sign: ({ toBeSigned, key }) => {
        const privateKey = createPrivateKey({ key: key.jwk, format: 'jwk' });
        return new Uint8Array(sign('sha256', toBeSigned, { key: privateKey, dsaEncoding: 'ieee-p1363' }));
      },
      verify: () => false,
    },
    mac0: {
      sign: ({ key, toBeAuthenticated }) =>
        new Uint8Array(createHmac('sha256', key.k!).update(addAssociatedData(toBeAuthenticated)).digest()),
      verify: () => false,
    },
  },
};

/** RFC 9052, 6.3 has four parts. The library omits the third if it is empty. */
function addAssociatedData(toBeAuthenticated: Uint8Array): Uint8Array {
  const [kind, header, payload] = cborDecode<unknown[]>(toBeAuthenticated);
  return cborEncode([kind, header, new Uint8Array(0), payload]);
}

export async function issueByPeer(
  issuer: TestIssuer,
  elements: Record<string, unknown>,
  now: Date,
): Promise<PeerAttestation> {
  const { docType, namespace } = issuer.profile;
  const deviceJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK;
  const { d: _, ...publicJwk } = deviceJwk;
  const signingJwk = await webcrypto.subtle.exportKey('jwk', issuer.signingKey);
  const issuerSigned = await new Issuer(docType, context).addIssuerNamespace(namespace, elements).sign({
    signingKey: CoseKey.fromJwk({ ...signingJwk, alg: 'ES256' }),
    algorithm: SignatureAlgorithm.ES256,
    digestAlgorithm: 'SHA-256',
    validityInfo: {
      signed: now,
      validFrom: now,
      validUntil: new Date(now.getTime() + 30 * DAY_MS),
    },
    deviceKeyInfo: { deviceKey: DeviceKey.fromJwk(publicJwk) },
    certificates: [...issuer.chain],
  });
  return { issuerSigned, deviceJwk };
}

/** Responds using only state that the request contains. */
export async function answerByPeer(
  { state }: CreatedRequest,
  { issuerSigned, deviceJwk }: PeerAttestation,
  { mac = false }: { mac?: boolean } = {},
): Promise<Record<string, unknown>> {
  const transcript = await transcribeByPeer(state);
  const { d: _, ...readerJwk } = state.answerKey ?? {};
  const response = await Holder.createDeviceResponseForDeviceRequest(
    {
      deviceRequest: DeviceRequest.decode(
        Buffer.from(encodeDeviceRequest(PROFILES[state.profile], state.ageOver), 'base64url'),
      ),
      sessionTranscript: transcript,
      issuerSigned: [issuerSigned],
      ...(mac
        ? {
            mac: {
              ephemeralKey: CoseKey.fromJwk(readerJwk),
              signingKey: withAlgorithm(CoseKey.fromJwk({ ...deviceJwk }), MAC_ALGORITHM),
            },
          }
        : { signature: { signingKey: CoseKey.fromJwk({ ...deviceJwk, alg: 'ES256' }) } }),
    },
    context,
  );
  return wrapAnswer(state, response.encode(), transcript);
}

function withAlgorithm(key: CoseKey, algorithm: number): CoseKey {
  return Object.create(key, { algorithm: { value: algorithm } });
}

async function transcribeByPeer({ handover, nonce, answerKeyThumbprint }: RequestState): Promise<SessionTranscript> {
  const thumbprint = answerKeyThumbprint
    ? { jwkThumbprint: new Uint8Array(Buffer.from(answerKeyThumbprint, 'base64url')) }
    : {};
  if (handover.kind === 'dc_api') {
    return SessionTranscript.forOid4VpDcApi({ origin: handover.origin, nonce, ...thumbprint }, context);
  }
  if (handover.kind === 'redirect') {
    const { clientId, responseUri } = handover;
    return SessionTranscript.forOid4Vp({ clientId, responseUri, nonce, ...thumbprint }, context);
  }
  // The library has no Annex C, so one of its handovers gets this content.
  const info = cborEncode([handover.encryptionInfo, handover.origin]);
  const dcapi = ['dcapi', new Uint8Array(createHash('sha256').update(info).digest())];
  const other = await SessionTranscript.forOid4VpDcApi({ origin: '', nonce }, context);
  return SessionTranscript.create({ handover: Object.create(other.handover, { encodedStructure: { value: dcapi } }) });
}

async function wrapAnswer(
  { handover, answerKey }: RequestState,
  response: Uint8Array,
  transcript: SessionTranscript,
): Promise<Record<string, unknown>> {
  if (handover.kind === 'annex_c') {
    const { d: _, ...publicJwk } = answerKey!;
    const recipientPublicKey = await ANSWER_SUITE.kem.importKey('jwk', publicJwk as never, true);
    const { ct, enc } = await ANSWER_SUITE.seal(
      { recipientPublicKey, info: Uint8Array.from(transcript.encode()) },
      Uint8Array.from(response),
    );
    const sealed = { enc: new Uint8Array(enc), cipherText: new Uint8Array(ct) };
    return { response: Buffer.from(cborEncode(['dcapi', new Map(Object.entries(sealed))])).toString('base64url') };
  }
  const vp_token = { proof_of_age: [Buffer.from(response).toString('base64url')] };
  if (!answerKey) return { vp_token: handover.kind === 'redirect' ? JSON.stringify(vp_token) : vp_token };
  const { d: _, ...publicJwk } = answerKey;
  const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify({ vp_token })))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(await importJWK(publicJwk, 'ECDH-ES'));
  return { response: jwe };
}
