// Runs a limited number of tasks at a time. Owners in the queue take turns, so nobody waits behind another owner's crowd.
import { TooManyWaiting } from '../../people/store/turnstile.ts';

interface FairLineOptions {
  /** Pieces that run together. */
  maxAtOnce: number;
  /** In line for one owner; whoever comes then is sent away with `TooManyWaiting`. */
  maxOfOwner: number;
  /** In line for all. */
  maxWaiting: number;
}

export type FairLine = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

interface Owner {
  line: (() => void)[];
  running: number;
  /** Number of the last piece of theirs that was let in; 0 for none. */
  lastTurn: number;
}

export function createFairLine({ maxAtOnce, maxOfOwner, maxWaiting }: FairLineOptions): FairLine {
  /** Those who have something running or in line. */
  const owners = new Map<string, Owner>();
  let running = 0;
  let waiting = 0;
  let turns = 0;

  function ownerOf(name: string): Owner {
    const owner = owners.get(name) ?? { line: [], running: 0, lastTurn: 0 };
    owners.set(name, owner);
    return owner;
  }

  function enter(owner: Owner): void {
    running += 1;
    turns += 1;
    owner.running += 1;
    owner.lastTurn = turns;
  }

  /** Whoever has waited for a turn for longest; one who has nothing running comes before all who have had one. */
  function letNextIn(): void {
    let next: Owner | undefined;
    for (const owner of owners.values()) {
      if (owner.line.length > 0 && owner.lastTurn < (next?.lastTurn ?? Number.POSITIVE_INFINITY)) next = owner;
    }
    if (!next) return;
    waiting -= 1;
    enter(next);
    next.line.shift()!();
  }

  function checkRoom(name: string): void {
    const inLine = owners.get(name)?.line.length ?? 0;
    if (inLine >= maxOfOwner || waiting >= maxWaiting) throw new TooManyWaiting('too much is waiting already');
  }

  function waitForTurn({ line }: Owner): Promise<void> {
    waiting += 1;
    return new Promise<void>((resolve) => line.push(resolve));
  }

  return async (name, work) => {
    // Only where everything runs is anybody in line.
    const mustWait = running >= maxAtOnce;
    if (mustWait) checkRoom(name);
    const owner = ownerOf(name);
    if (mustWait) await waitForTurn(owner);
    else enter(owner);
    try {
      return await work();
    } finally {
      running -= 1;
      owner.running -= 1;
      letNextIn();
      if (owner.running === 0 && owner.line.length === 0) owners.delete(name);
    }
  };
}
