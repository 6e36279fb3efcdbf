// Finds and keeps what vouches for a person besides their face, which can be photographed. Without a voucher the host is asked
// to review, and device and passkey of that session do not vouch later.
import type { Owner } from '../../platform/api-keys/owner.ts';
import type { PersonId, SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ApiKeyTraits } from '../lifecycle/kinds.ts';
import type { PersonDevices } from '../proofs/devices.ts';
import type { Passkeys } from '../proofs/passkeys.ts';
import { VOUCHED_BY } from '../proofs/vouched-rows.ts';
import type { VouchingLevel } from '../tables.ts';
import type { StepEvidence } from './device/evidence.ts';

export function createVouching(devices: PersonDevices, passkeys: Passkeys) {
  // Both look only at the person's own rows: a device or passkey of someone else vouches for no one.
  const ofDevice = async (
    trx: Transaction,
    personId: PersonId,
    { knownDevice }: StepEvidence,
  ): Promise<VouchingLevel> =>
    knownDevice ? devices.voucherOf(trx, personId, knownDevice.deviceId) : VOUCHED_BY.nobody;
  const ofPasskey = async (trx: Transaction, personId: PersonId, { passkey }: StepEvidence): Promise<VouchingLevel> =>
    passkey && 'credentialId' in passkey ? passkeys.voucherOf(trx, personId, passkey.credentialId) : VOUCHED_BY.nobody;

  return {
    /**
     * Returns the owner of the vouched device or passkey that was used, if any. A device or passkey that a face alone has bound does not vouch,
     * because an attacker with a photograph could bypass the locks on strangers with it.
     */
    async findVoucher(trx: Transaction, shown: StepEvidence) {
      const { knownDevice, passkey } = shown;
      if (knownDevice && (await ofDevice(trx, knownDevice.personId, shown))) return knownDevice;
      if (!passkey || !('credentialId' in passkey)) return undefined;
      const { personId, credentialId: deviceId } = passkey;
      return (await ofPasskey(trx, personId, shown)) ? { personId, deviceId } : undefined;
    },

    /** Returns the strongest voucher, besides a face, of this person's used device and passkey. */
    async findVouched(trx: Transaction, personId: PersonId, shown: StepEvidence) {
      const [device, passkey] = [await ofDevice(trx, personId, shown), await ofPasskey(trx, personId, shown)];
      return device > passkey ? device : passkey;
    },

    /**
     * Returns whether a vouched passkey of this person was used on the device that began the session. A passkey that a face alone
     * has bound may belong to an attacker who began with a photograph and lets someone else finish.
     */
    async isBegunBy(trx: Transaction, personId: PersonId, shown: StepEvidence) {
      const { passkey } = shown;
      const isHere = passkey !== undefined && 'credentialId' in passkey && passkey.onFirstDevice === true;
      return isHere && (await ofPasskey(trx, personId, shown)) !== VOUCHED_BY.nobody;
    },

    /** Binds the presented device and the new passkey. Returns false if that passkey already belongs to someone. */
    async keep(
      trx: Transaction,
      { owner, session, personId }: { owner: Owner; session: SessionId; personId: PersonId },
      { person, knownDevice, passkey }: StepEvidence,
      vouched: VouchingLevel,
    ) {
      await devices.confirm(trx, session, { personId, deviceId: person?.deviceId, vouched });
      if (knownDevice?.personId === personId) {
        if (person?.by === 'server') await devices.resetUses(trx, knownDevice.deviceId);
        await devices.vouch(trx, personId, knownDevice.deviceId, vouched);
      }
      if (!passkey) return true;
      if ('made' in passkey) return passkeys.add(trx, { owner, personId }, passkey.made, vouched);
      await passkeys.vouch(trx, personId, passkey.credentialId, vouched);
      return true;
    },

    /** Lets these vouch for the person, and no longer those that no host ever trusted. Returns false if none is left. */
    async trust(trx: Transaction, { personId, devices: deviceIds, passkeys: credentialIds }: ApiKeyTraits) {
      const isDevice = await devices.trustOnly(trx, personId, deviceIds);
      const isPasskey = await passkeys.trustOnly(trx, personId, credentialIds);
      return isDevice || isPasskey;
    },
  };
}

export type Vouching = ReturnType<typeof createVouching>;

/** Returns undefined if the session neither bound nor used anything. */
export function listTrustable(personId: PersonId, { person, knownDevice, passkey }: StepEvidence) {
  const known = knownDevice?.personId === personId ? knownDevice.deviceId : undefined;
  const devices = [person?.deviceId, known].filter((id) => id !== undefined);
  const used = passkey?.personId === personId ? passkey : undefined;
  const passkeys = used ? ['made' in used ? used.made.credentialId : used.credentialId] : [];
  return devices.length + passkeys.length > 0 ? { personId, devices, passkeys } : undefined;
}
