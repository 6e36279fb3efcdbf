// Storage of a device's key pair, and an implementation in memory.
import type { DeviceKeyPair } from './signing.ts';

/** One pair per session, because a reused key would link sessions. */
export interface DeviceKeys {
  load(sessionId: string): Promise<DeviceKeyPair | undefined>;
  /** Keeps an existing pair: if two tabs start together, both use the first one's. */
  save(pair: DeviceKeyPair, sessionId: string): Promise<void>;
}

/** Pairs are lost with the page or process, and the device then loses its session. */
export function createMemoryKeys(): DeviceKeys {
  const pairs = new Map<string, DeviceKeyPair>();
  return {
    load: async (sessionId) => pairs.get(sessionId),
    async save(pair, sessionId) {
      if (!pairs.has(sessionId)) pairs.set(sessionId, pair);
    },
  };
}
