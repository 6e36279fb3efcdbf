// The device's proof that a response belongs to this request (ISO/IEC 18013-5:2021, 9.1.3).
import { createHash, createSecretKey, diffieHellman, hkdfSync } from 'node:crypto';
import type { JWK } from 'jose';
import { writeArray, writeEncoded, writeText } from '../cbor/write.ts';
import { describeKeyKind, importAnswerKey, type VerifyingKey } from '../cose/key.ts';
import { isMac, takesAlgorithm, verifyMac0, verifySign1 } from '../cose/message.ts';
import type { Profile } from '../profiles/profiles.ts';
import { refuse } from '../refusals.ts';
import type { Transcript } from '../transcripts/transcripts.ts';
import type { DisclosedDocument } from './device-response.ts';

/** First of its four parts. */
const CONTEXT = Buffer.concat([writeArray(4), ...writeText('DeviceAuthentication')]);

export function checkDeviceAuth(
  { docType, deviceNamespaces, deviceAuth: { kind, message } }: DisclosedDocument,
  deviceKey: VerifyingKey,
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
  const content = [CONTEXT, transcript, ...writeText(docType), ...writeEncoded(deviceNamespaces)];
  return Buffer.concat(writeEncoded(Buffer.concat(content)));
}

/** 9.1.3.5: derived from our key of this request and the device's own. */
function deriveMacKey(answerKey: JWK, deviceKey: VerifyingKey, transcript: Transcript): Uint8Array {
  const privateKey = importAnswerKey(answerKey);
  if (deviceKey.kind !== describeKeyKind(privateKey)) refuse('device_algorithm');
  const secret = createSecretKey(diffieHellman({ privateKey, publicKey: deviceKey.key }));
  const salt = createHash('sha256')
    .update(Buffer.concat(writeEncoded(transcript)))
    .digest();
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'EMacKey', 32));
}
