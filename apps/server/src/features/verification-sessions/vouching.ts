// What speaks for a person besides their face. A face can be photographed: where nothing else speaks for the person, the
// host is told to look, and neither the device nor the passkey of that session speaks for anybody later.
import type { Passkeys } from '../../core/passkeys/passkeys.ts';
import type { PersonDevices } from '../../core/person-devices/person-devices.ts';
import type { Owner } from '../../platform/api-keys/owner.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ShownInSteps } from './device/evidence.ts';

/** What a session that ended well bound to its person or used of theirs. Kept with its outcome, for the host to trust. */
export interface Trustable {
  personId: string;
  devices: string[];
  passkeys: string[];
}

/** Who speaks for an attempt with more than a face. */
export interface Voucher {
  personId: string;
  /** Or the id of a passkey. */
  deviceId: string;
}

export interface Vouching {
  /**
   * Whose vouched device or passkey was used, if any. One that a face alone has bound speaks for nobody: whoever has a
   * photograph would get out of the locks on strangers with it, and use up what its owner may try.
   */
  findVoucher(trx: Transaction, shown: ShownInSteps): Promise<Voucher | undefined>;
  /** Whether a device or passkey of this person that more than a face has spoken for was used. */
  isVouchedFor(trx: Transaction, personId: string, shown: ShownInSteps): Promise<boolean>;
  /**
   * Whether a passkey of this person that more than a face has spoken for was used on the device that began the session.
   * One that a face alone has bound may be that of whoever began it, with a photograph, for somebody else to finish.
   */
  isBegunBy(trx: Transaction, personId: string, shown: ShownInSteps): Promise<boolean>;
  /** Binds the device that came along and the passkey that was made; false when that passkey is somebody's already. */
  keep(trx: Transaction, owner: SessionOwner, shown: ShownInSteps, vouched: boolean): Promise<boolean>;
  /** The host has looked: they speak for the person from now on. False when there is nothing left of them. */
  trust(trx: Transaction, trustable: Trustable): Promise<boolean>;
}

interface SessionOwner {
  owner: Owner;
  session: string;
  personId: string;
}

interface VouchingOptions {
  devices: Pick<PersonDevices, 'confirm' | 'resetUses' | 'isVouched' | 'vouch'>;
  passkeys: Pick<Passkeys, 'add' | 'isVouched' | 'vouch'>;
}

export function createVouching({ devices, passkeys }: VouchingOptions): Vouching {
  return {
    async findVoucher(trx, { knownDevice, passkey }) {
      if (knownDevice && (await devices.isVouched(trx, knownDevice.personId, knownDevice.deviceId))) return knownDevice;
      if (!passkey || !('credentialId' in passkey)) return undefined;
      const { personId, credentialId: deviceId } = passkey;
      return (await passkeys.isVouched(trx, personId, deviceId)) ? { personId, deviceId } : undefined;
    },

    async isVouchedFor(trx, personId, { knownDevice, passkey }) {
      // Each is asked of the person's own rows: what is somebody else's, or forgotten since, speaks for nobody.
      if (knownDevice && (await devices.isVouched(trx, personId, knownDevice.deviceId))) return true;
      const isUsed = passkey !== undefined && 'credentialId' in passkey;
      return isUsed && (await passkeys.isVouched(trx, personId, passkey.credentialId));
    },

    async isBegunBy(trx, personId, { passkey }) {
      const isUsed = passkey !== undefined && 'credentialId' in passkey && passkey.onFirstDevice === true;
      return isUsed && (await passkeys.isVouched(trx, personId, passkey.credentialId));
    },

    async keep(trx, { owner, session, personId }, { person, knownDevice, passkey }, vouched) {
      await devices.confirm(trx, session, { personId, deviceId: person?.deviceId, vouched });
      if (knownDevice?.personId === personId) {
        if (person?.by === 'server') await devices.resetUses(trx, knownDevice.deviceId);
        if (vouched) await devices.vouch(trx, personId, knownDevice.deviceId);
      }
      if (!passkey) return true;
      if ('made' in passkey) return passkeys.add(trx, { owner, personId }, passkey.made, vouched);
      if (vouched) await passkeys.vouch(trx, personId, passkey.credentialId);
      return true;
    },

    async trust(trx, { personId, devices: deviceIds, passkeys: credentialIds }) {
      let isAny = false;
      for (const id of deviceIds) isAny = (await devices.vouch(trx, personId, id)) || isAny;
      for (const id of credentialIds) isAny = (await passkeys.vouch(trx, personId, id)) || isAny;
      return isAny;
    },
  };
}

/** Undefined where the session neither bound nor used anything. */
export function listTrustable(personId: string, { person, knownDevice, passkey }: ShownInSteps): Trustable | undefined {
  const known = knownDevice?.personId === personId ? knownDevice.deviceId : undefined;
  const devices = [person?.deviceId, known].filter((id) => id !== undefined);
  const used = passkey?.personId === personId ? passkey : undefined;
  const passkeys = used ? ['made' in used ? used.made.credentialId : used.credentialId] : [];
  return devices.length + passkeys.length > 0 ? { personId, devices, passkeys } : undefined;
}
