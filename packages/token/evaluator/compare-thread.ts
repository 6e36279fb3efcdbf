// A thread of the pool: makes rows and shapes one after the other, and lives on when one fails.
import { parentPort, workerData } from 'node:worker_threads';
import { createComparer } from './comparer.ts';
import { createShapeMaker } from './shape-maker.ts';
import type { SharedParts } from './token-memory.ts';

/** What one thread has to itself. */
export interface Desk {
  areaAt: number;
  /** For the body whose shape it makes. */
  place: number;
}

export interface ThreadSetup extends Desk {
  parts: SharedParts;
}

export interface RowsOrder {
  /** The search that the chunk belongs to: its probe is made ready once. */
  search: number;
  probe: Uint8Array;
  places: Uint32Array;
  out: SharedArrayBuffer;
}

export interface ShapeOrder {
  body: Uint8Array;
  out: SharedArrayBuffer;
}

export type Order = RowsOrder | ShapeOrder;

/** Whether what was ordered is in the buffer. */
export type OrderReply = { isDone: true } | { isDone: false; error: unknown };

if (parentPort) serve(parentPort, workerData as ThreadSetup);

function serve(port: NonNullable<typeof parentPort>, { parts, areaAt, place }: ThreadSetup): void {
  const comparer = createComparer(parts, areaAt);
  const makeShape = createShapeMaker(parts, comparer, place);
  let present: number | undefined;

  function makeRows({ search, probe, places, out }: RowsOrder): void {
    if (search !== present) {
      present = undefined;
      comparer.setProbe(probe);
      present = search;
    }
    comparer.compare(places, new Uint8Array(out));
  }

  function make(order: Order): void {
    if ('search' in order) {
      makeRows(order);
      return;
    }
    present = undefined;
    makeShape(order.body, new Uint8Array(order.out));
  }

  port.on('message', (order: Order | 'wipe') => {
    if (order === 'wipe') {
      present = undefined;
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
