// The session transcripts: what ties a wallet's answer to one request of one verifier. All are `[null, null, handover]`.
import { createHash } from 'node:crypto';
import { encodeCbor } from '../cbor/codec.ts';

/** In CBOR. */
export type Transcript = Uint8Array;

/** ISO/IEC 18013-7, Annex C: both as text, the first as it was sent. */
export function transcribeAnnexC(encryptionInfo: string, origin: string): Transcript {
  return transcribe('dcapi', [encryptionInfo, origin]);
}

/** OpenID4VP 1.0, B.2.6.1: by redirect. The thumbprint is that of the key that the answer is encrypted to. */
export function transcribeRedirect(
  clientId: string,
  nonce: string,
  jwkThumbprint: Uint8Array | null,
  responseUri: string,
): Transcript {
  return transcribe('OpenID4VPHandover', [clientId, nonce, jwkThumbprint, responseUri]);
}

/** OpenID4VP 1.0, B.2.6.2: through the Digital Credentials API. */
export function transcribeDcApi(origin: string, nonce: string, jwkThumbprint: Uint8Array | null): Transcript {
  return transcribe('OpenID4VPDCAPIHandover', [origin, nonce, jwkThumbprint]);
}

function transcribe(kind: string, info: readonly unknown[]): Transcript {
  return encodeCbor([null, null, [kind, createHash('sha256').update(encodeCbor(info)).digest()]]);
}
