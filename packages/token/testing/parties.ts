// All roles with keys, for tests: one customer's enroll key, one challenge's key, a device.
import { type DeviceKey, openDevice, type TokenDevice } from '../device/index.ts';
import { createRenewalMask } from '../evaluator/renewal-mask.ts';
import { makeKeyPair, openKey, reencrypt, type SecretKey, scoreRows } from '../keyholder/index.ts';
import { type BlindedRows, ID_BYTES, readToken, writeId } from '../shared/index.ts';

export interface Party {
  key: SecretKey;
  deviceKey: DeviceKey;
}

export interface Parties {
  device: TokenDevice;
  enrol: Party;
  challenge: Party;
}

export const MODEL_ID: string = writeId(new Uint8Array(ID_BYTES).fill(7));

export async function openParties(): Promise<Parties> {
  return { device: await openDevice(), enrol: await makeParty(), challenge: await makeParty() };
}

export async function makeParty(): Promise<Party> {
  const { secret, publicKey } = await makeKeyPair();
  const keyId = writeId(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  return { key: await openKey(secret), deviceKey: { publicKey, keyId } };
}

export function encryptBody(device: TokenDevice, vector: Float32Array, party: Party): Uint8Array {
  return readToken(device.encrypt(vector, party.deviceKey, MODEL_ID)).body;
}

/** A token as stored: encrypted under a one-time key, moved to the enroll key. */
export async function adoptBody(probe: Uint8Array, challenge: Party, enroll: Party): Promise<Uint8Array> {
  const { masked, unmask } = createRenewalMask(probe);
  return await unmask(await reencrypt(masked, challenge.key, enroll.key));
}

export function scoreOne(rows: BlindedRows, left: SecretKey, right: SecretKey): number {
  const out = new Float64Array(1);
  scoreRows(rows, left, right, out);
  return out[0]!;
}
