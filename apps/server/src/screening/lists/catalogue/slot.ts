// One dataset of the catalog: the version that serves, the one on disk, and how many requests search it.
import type { Dataset } from '@limen/contract';
import type { Edition } from '../../engine/messages.ts';
import type { DatasetInfo } from '../folder/folder.ts';
import { DEMO } from '../folder/names.ts';

/** Version in memory, which stays until it is replaced and no request searches it any longer. */
export interface LoadedVersion {
  edition: Edition;
  info: DatasetInfo;
  loadedAt: number;
  loadMs: number;
  holders: number;
  isRetired: boolean;
}

export class DatasetSlot {
  readonly name: string;
  /** Newest version on disk; undefined for the demo */
  wanted: DatasetInfo | undefined;
  loaded: LoadedVersion | undefined;
  problem: string | undefined;
  failedAt = 0;
  isSettled = false;
  #attempt = Promise.withResolvers<void>();

  constructor(name: string) {
    this.name = name;
  }

  /** Resolves after an attempt to load it; never rejects. */
  get settled(): Promise<void> {
    return this.#attempt.promise;
  }

  settle(): void {
    this.isSettled = true;
    this.#attempt.resolve();
  }

  reopen(): void {
    if (this.isSettled) this.#attempt = Promise.withResolvers<void>();
    this.isSettled = false;
  }
}

function describeVersion({ version, entityCount, people, sanctions, peps, builtAt }: DatasetInfo) {
  return { version, entityCount, people, sanctions, peps, builtAt };
}

export function describeSlot({ name, loaded, problem, isSettled, wanted }: DatasetSlot): Dataset {
  const info = loaded?.info ?? wanted;
  return {
    name,
    kind: name === DEMO ? 'demo' : 'list',
    status: loaded ? 'ready' : isSettled ? 'failed' : 'loading',
    ...(info && describeVersion(info)),
    ...(loaded && {
      loadedAt: new Date(loaded.loadedAt).toISOString(),
      loadMs: loaded.loadMs,
      memoryBytes: loaded.edition.index.bytes,
    }),
    ...(problem !== undefined && { problem }),
  };
}
