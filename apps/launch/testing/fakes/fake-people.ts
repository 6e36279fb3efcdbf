// A browser that stores people in memory, and one with scripted passkeys.
import { generateDeviceKeyPair } from '@limen/sdk/device';
import type { Passkeys } from '../../src/passkeys/passkeys.ts';
import type { KnownPeople } from '../../src/people/people-store.ts';
import { type PersonFacts, type PersonRecord, sealPerson } from '../../src/people/person-record.ts';

export const GALLERY = 'gallery';
export const MODEL_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

export interface FakePeople extends KnownPeople {
  /** Makes storage fail from now on. */
  fail(): void;
  readonly records: readonly PersonRecord[];
}

export function createFakePeople(known: readonly PersonRecord[] = []): FakePeople {
  let records = [...known];
  let isBroken = false;
  const requireStore = () => {
    if (isBroken) throw new Error('There is no place to keep anything');
  };
  return {
    async all() {
      requireStore();
      return [...records];
    },
    async listComparable(gallery, modelId) {
      requireStore();
      return records.filter((record) => record.gallery === gallery && record.modelId === modelId);
    },
    async save(record, replaces) {
      requireStore();
      records = [...records.filter(({ deviceId }) => !replaces.includes(deviceId)), record];
    },
    async forget(deviceIds) {
      requireStore();
      records = records.filter(({ deviceId }) => !deviceIds.includes(deviceId));
    },
    fail() {
      isBroken = true;
    },
    get records() {
      return records;
    },
  };
}

export async function makePerson(face: readonly number[], facts: Partial<PersonFacts> = {}): Promise<PersonRecord> {
  return sealPerson(Float32Array.from(face), {
    deviceId: 'device',
    gallery: GALLERY,
    modelId: MODEL_ID,
    savedAt: 0,
    pair: await generateDeviceKeyPair(),
    ...facts,
  });
}

export interface FakePasskeys extends Passkeys {
  isThere: boolean;
  /** Closes so many of the next prompts. */
  close(times: number): void;
  readonly asked: readonly string[];
}

export function createFakePasskeys(): FakePasskeys {
  const asked: string[] = [];
  let closed = 0;
  const passkeys: FakePasskeys = {
    isThere: true,
    isSupported: () => passkeys.isThere,
    prepare: async () => undefined,
    async ask(operation) {
      asked.push(operation);
      closed -= 1;
      if (closed >= 0) throw new Error('The question was closed');
      return { id: 'credential' };
    },
    close(times) {
      closed = times;
    },
    asked,
  };
  return passkeys;
}
