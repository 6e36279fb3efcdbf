// The two parts of a request by ISO/IEC 18013-7, Annex C: what is asked for, and how the answer is to be encrypted.
import type { JWK } from 'jose';
import { encodeCbor, wrapEncoded } from '../cbor/codec.ts';
import { encodePublicKey } from '../cose/key.ts';
import { nameElement, type Profile } from '../profiles/profiles.ts';

/** ISO/IEC 18013-5:2021, 8.3.2.1.2.1. The one element, and that it is not kept. */
export function encodeDeviceRequest(profile: Profile, ageOver: number): string {
  const itemsRequest = encodeCbor(
    new Map<string, unknown>([
      ['docType', profile.docType],
      ['nameSpaces', new Map([[profile.namespace, new Map([[nameElement(ageOver), false]])]])],
    ]),
  );
  const docRequest = new Map([['itemsRequest', wrapEncoded(itemsRequest)]]);
  return toBase64url(
    encodeCbor(
      new Map<string, unknown>([
        ['version', '1.0'],
        ['docRequests', [docRequest]],
      ]),
    ),
  );
}

export function encodeEncryptionInfo(nonce: Uint8Array, publicKey: JWK): string {
  const parameters = new Map<string, unknown>([
    ['nonce', nonce],
    ['recipientPublicKey', encodePublicKey(publicKey)],
  ]);
  return toBase64url(encodeCbor(['dcapi', parameters]));
}

function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
