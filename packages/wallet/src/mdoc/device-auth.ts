// The device's proof that this answer is for this request (ISO/IEC 18013-5:2021, 9.1.3).
import { createHash, createPrivateKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { encodeCbor, wrapEncoded } from '../cbor/codec.ts';
import { isMac, takesAlgorithm, verifyMac0, verifySign1 } from '../cose/message.ts';
import type { Profile } from '../profiles/profiles.ts';
import { refuse } from '../refusals.ts';
import type { Transcript } from '../transcripts/transcripts.ts';
import type { DisclosedDocument } from './device-response.ts';

export function checkDeviceAuth(
  { docType, deviceNamespaces, deviceAuth: { kind, message } }: DisclosedDocument,
  deviceKey: KeyObject,
  transcript: Transcript,
  profile: Profile,
  answerKey: JWK | null,
): void {
  const payload = encodeDeviceAuthentication(transcript, docType, deviceNamespaces);
  if (kind === 'signature') {
    if (!takesAlgorithm(message, deviceKey, profile)) refuse('device_algorithm');
    if (!verifySign1(message, payload, deviceKey, profile)) refuse('device_signature');
    return;
  }
  if (!profile.takesDeviceMac || !answerKey || !isMac(message)) refuse('device_algorithm');
  if (!verifyMac0(message, payload, deriveMacKey(answerKey, deviceKey, transcript))) refuse('device_mac');
}

/** `DeviceAuthenticationBytes`. */
export function encodeDeviceAuthentication(
  transcript: Transcript,
  docType: string,
  deviceNamespaces: Uint8Array,
): Uint8Array {
  const content = ['DeviceAuthentication', transcript, docType, wrapEncoded(deviceNamespaces)];
  return encodeCbor(wrapEncoded(encodeCbor(content)));
}

/** 9.1.3.5: from our key of this request and the device's own. */
function deriveMacKey(answerKey: JWK, deviceKey: KeyObject, transcript: Transcript): Uint8Array {
  const privateKey = createPrivateKey({ key: { ...answerKey }, format: 'jwk' });
  if (deviceKey.asymmetricKeyDetails?.namedCurve !== privateKey.asymmetricKeyDetails?.namedCurve)
    refuse('device_algorithm');
  const secret = diffieHellman({ privateKey, publicKey: deviceKey });
  const salt = createHash('sha256')
    .update(encodeCbor(wrapEncoded(encodeCbor(transcript))))
    .digest();
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'EMacKey', 32));
}
