// Session transcripts, which bind a wallet's response to one request of one verifier. All are
// `[null, null, handover]`.
import { hash } from 'node:crypto';
import { NOTHING, writeArray, writeBytes, writeText } from '../cbor/write.ts';

/** Encoded in CBOR. */
export type Transcript = Uint8Array;

/** ISO/IEC 18013-7, Annex C: both as text, the first as sent. */
export function transcribeAnnexC(encryptionInfo: string, origin: string): Transcript {
  return transcribe('dcapi', [writeText(encryptionInfo), writeText(origin)]);
}

/** OpenID4VP 1.0, B.2.6.1: by redirect. Thumbprint of the encryption key. */
export function transcribeRedirect(
  clientId: string,
  nonce: string,
  jwkThumbprint: Uint8Array | null,
  responseUri: string,
): Transcript {
  const info = [writeText(clientId), writeText(nonce), writeOrNothing(jwkThumbprint), writeText(responseUri)];
  return transcribe('OpenID4VPHandover', info);
}

/** OpenID4VP 1.0, B.2.6.2: through the Digital Credentials API. */
export function transcribeDcApi(origin: string, nonce: string, jwkThumbprint: Uint8Array | null): Transcript {
  return transcribe('OpenID4VPDCAPIHandover', [writeText(origin), writeText(nonce), writeOrNothing(jwkThumbprint)]);
}

/** `info` in CBOR, item by item. */
function transcribe(kind: string, info: readonly Uint8Array[][]): Transcript {
  const digest = hash('sha256', Buffer.concat([writeArray(info.length), ...info.flat()]), 'buffer');
  return Buffer.concat([writeArray(3), NOTHING, NOTHING, writeArray(2), ...writeText(kind), ...writeBytes(digest)]);
}

function writeOrNothing(bytes: Uint8Array | null): Uint8Array[] {
  return bytes ? writeBytes(bytes) : [NOTHING];
}
