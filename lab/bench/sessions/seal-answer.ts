// A device's sealing of its answer with OpenSSL's key encapsulation: HPKE (RFC 9180) in base mode,
// one message.
import { createCipheriv, createHash, createHmac, encapsulate } from 'node:crypto';
import { POINT_BYTES, readPoint } from '@limen/p256';
import { type DevicePlan, ENVELOPE_BYTES } from '@limen/plan';

const LABEL = 'limen device answer v1';
const TAG_BYTES = 16;
const PADDED_BYTES = ENVELOPE_BYTES - POINT_BYTES - TAG_BYTES;
/** HPKE over DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. */
const SUITE = Buffer.from([...Buffer.from('HPKE-v1HPKE'), 0, 0x10, 0, 1, 0, 2]);
const NOTHING = Buffer.alloc(0);
const PSK_ID_HASH = extract(NOTHING, 'psk_id_hash', NOTHING);
const CONTEXT = Buffer.concat([Buffer.of(0), PSK_ID_HASH, extract(NOTHING, 'info_hash', Buffer.from(LABEL))]);

export function sealAnswer(planText: string, plan: DevicePlan, answer: object): Buffer {
  const { sharedKey, ciphertext: enc } = encapsulate(readPoint(Buffer.from(plan.publicKey, 'base64url'))!);
  const secret = extract(sharedKey, 'secret', NOTHING);
  const cipher = createCipheriv('aes-256-gcm', expand(secret, 'key', 32), expand(secret, 'base_nonce', 12));
  const planHash = createHash('sha256').update(planText).digest('hex');
  cipher.setAAD(Buffer.from([LABEL, plan.sessionId, planHash].join('\n')));
  const padded = Buffer.alloc(PADDED_BYTES);
  padded.writeUInt16BE(padded.write(JSON.stringify(answer), 2), 0);
  return Buffer.concat([enc, cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
}

function extract(salt: Buffer, label: string, input: Buffer): Buffer {
  return createHmac('sha256', salt).update(SUITE).update(label).update(input).digest();
}

function expand(key: Buffer, label: string, length: number): Buffer {
  const parts = [Buffer.of(0, length), SUITE, Buffer.from(label), CONTEXT, Buffer.of(1)];
  return createHmac('sha256', key).update(Buffer.concat(parts)).digest().subarray(0, length);
}
