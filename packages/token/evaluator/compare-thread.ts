// A thread of the pool: computes rows and shapes sequentially, and survives failures.
import { parentPort, workerData } from 'node:worker_threads';
import { SHAPE_BALANCE_AT, SHAPE_PROJECTIONS_AT } from '../shared/index.ts';
import { PLACE_BYTES } from '../shared/kernel/factor.ts';
import { type Comparer, createComparer } from './comparer.ts';
import { createBlockComparer } from './packed/block-comparer.ts';
import { unpackToken } from './token-arena.ts';
import type { SharedParts } from './token-memory.ts';

/** Computes the shape of a body in a work area and a place of this thread. */
type MakeShape = (body: Uint8Array, out: Uint8Array) => void;

/** Releases the comparer's probe and wipes the body. */
function createShapeMaker({ memory }: SharedParts, comparer: Comparer, place: number): MakeShape {
  const words = new Int32Array(memory.buffer, place * PLACE_BYTES, PLACE_BYTES / 4);
  return (body, out) => {
    try {
      unpackToken(body, words);
      comparer.setProbe(body);
      comparer.compareWithItself(place, out);
      comparer.setConjugate(body);
      comparer.compareWithItself(place, out.subarray(SHAPE_BALANCE_AT));
      comparer.project(place, out.subarray(SHAPE_PROJECTIONS_AT));
    } finally {
      words.fill(0);
      comparer.wipe();
    }
  };
}

/** State of one thread. */
export interface ThreadState {
  areaAt: number;
  /** Place for the body whose shape is computed. */
  place: number;
}

export interface ThreadSetup extends ThreadState {
  parts: SharedParts;
}

export interface RowsOrder {
  /** Search of the chunk. Its probe is prepared once. */
  search: number;
  probe: Uint8Array;
  places: Uint32Array;
  out: SharedArrayBuffer;
}

export interface BlocksOrder {
  search: number;
  folded: Int32Array;
  places: Uint32Array;
  counting: Uint8Array;
  out: SharedArrayBuffer;
}

export interface ShapeOrder {
  body: Uint8Array;
  out: SharedArrayBuffer;
}

export type Order = RowsOrder | BlocksOrder | ShapeOrder;

/** Whether the result is in the buffer. */
export type OrderReply = { isDone: true } | { isDone: false; error: unknown };

if (parentPort) serve(parentPort, workerData as ThreadSetup);

function serve(port: NonNullable<typeof parentPort>, { parts, areaAt, place }: ThreadSetup): void {
  const comparer = createComparer(parts, areaAt);
  const blocks = createBlockComparer(parts, areaAt);
  const makeShape = createShapeMaker(parts, comparer, place);
  let presented: number | undefined;

  /** The probe remains until another search replaces it. */
  function present(search: number, setProbe: () => void): void {
    if (search === presented) return;
    presented = undefined;
    setProbe();
    presented = search;
  }

  function makeRows({ search, probe, places, out }: RowsOrder): void {
    present(search, () => comparer.setProbe(probe));
    comparer.compare(places, new Uint8Array(out));
  }

  function makeBlockRows({ search, folded, places, counting, out }: BlocksOrder): void {
    present(search, () => blocks.setProbe(folded));
    blocks.compare(places, counting, new Uint8Array(out));
  }

  function make(order: Order): void {
    if ('folded' in order) makeBlockRows(order);
    else if ('probe' in order) makeRows(order);
    else {
      presented = undefined;
      makeShape(order.body, new Uint8Array(order.out));
    }
  }

  port.on('message', (order: Order | 'wipe') => {
    if (order === 'wipe') {
      presented = undefined;
      comparer.wipe();
      return;
    }
    let reply: OrderReply = { isDone: true };
    try {
      make(order);
    } catch (error) {
      reply = { isDone: false, error };
    }
    port.postMessage(reply);
  });
}
