// Lends a lane over the lists of a dataset for one piece of work, and gives both back however it ends.
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import type { Lane, ScreeningPool } from '../engine/pool.ts';
import type { Catalogue, Selection } from '../lists/catalogue/catalogue.ts';

export async function withLane<T>(
  { catalogue, pool }: { catalogue: Catalogue; pool: ScreeningPool },
  { dataset, owner, signal }: { dataset: string; owner?: WorkOwner | undefined; signal: AbortSignal },
  work: (lane: Lane, selection: Selection) => Promise<T>,
): Promise<T> {
  const selection = await catalogue.select(dataset);
  const lane = pool.openLane(selection.editions, owner);
  signal.addEventListener('abort', lane.close, { once: true });
  try {
    signal.throwIfAborted();
    return await work(lane, selection);
  } finally {
    signal.removeEventListener('abort', lane.close);
    lane.close();
    selection.release();
  }
}
