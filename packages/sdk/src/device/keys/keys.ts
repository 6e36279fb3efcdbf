// Where a device keeps its key pair: in memory, for one visit.
import type { DeviceKeyPair } from './signing.ts';

/** One pair per session: a key that served several sessions would tie them together. */
export interface DeviceKeys {
  load(sessionId: string): Promise<DeviceKeyPair | undefined>;
  /** A pair that is there already stays: of two tabs that begin together, the first one's counts for both. */
  save(pair: DeviceKeyPair, sessionId: string): Promise<void>;
}

/** Gone with the page or process, and the session's place at this device with it. */
export function createMemoryKeys(): DeviceKeys {
  const pairs = new Map<string, DeviceKeyPair>();
  return {
    load: async (sessionId) => pairs.get(sessionId),
    async save(pair, sessionId) {
      if (!pairs.has(sessionId)) pairs.set(sessionId, pair);
    },
  };
}
