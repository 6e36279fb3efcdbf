// One dataset of the catalogue: the version that serves, the one on disk, and who still searches which.
import type { Dataset } from '@limen/contract';
import type { Edition } from '../../engine/messages.ts';
import type { DatasetInfo } from '../folder/folder.ts';
import { DEMO } from '../folder/names.ts';

/** A version in memory. It stays until it is replaced and the last request that began with it has ended. */
export interface LoadedVersion {
  edition: Edition;
  info: DatasetInfo;
  loadedAt: number;
  loadMs: number;
  holders: number;
  retired: boolean;
}

export interface DatasetSlot {
  name: string;
  /** The newest that was seen on disk; undefined for the demo. */
  wanted: DatasetInfo | undefined;
  loaded: LoadedVersion | undefined;
  /** Why the wanted version is not the loaded one. */
  problem: string | undefined;
  failedAt: number;
  /** Fulfilled once there was an attempt to load it; never rejects. */
  readonly settled: Promise<void>;
  readonly isSettled: boolean;
  settle(): void;
  /** Makes requests wait again: there is another attempt. */
  reopen(): void;
}

export function createSlot(name: string): DatasetSlot {
  let { promise, resolve } = Promise.withResolvers<void>();
  let isSettled = false;
  return {
    name,
    wanted: undefined,
    loaded: undefined,
    problem: undefined,
    failedAt: 0,
    get settled() {
      return promise;
    },
    get isSettled() {
      return isSettled;
    },
    settle() {
      isSettled = true;
      resolve();
    },
    reopen() {
      if (!isSettled) return;
      ({ promise, resolve } = Promise.withResolvers<void>());
      isSettled = false;
    },
  };
}

export function describeSlot({ name, loaded, problem, isSettled, wanted }: DatasetSlot): Dataset {
  const info = loaded?.info ?? wanted;
  return {
    name,
    kind: name === DEMO ? 'demo' : 'list',
    status: loaded ? 'ready' : isSettled ? 'failed' : 'loading',
    ...(info && {
      version: info.version,
      entityCount: info.entityCount,
      people: info.people,
      sanctions: info.sanctions,
      peps: info.peps,
      builtAt: info.builtAt,
    }),
    ...(loaded && {
      loadedAt: new Date(loaded.loadedAt).toISOString(),
      loadMs: loaded.loadMs,
      memoryBytes: loaded.edition.index.bytes,
    }),
    ...(problem !== undefined && { problem }),
  };
}
