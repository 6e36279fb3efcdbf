// Identifiers: random UUIDs, and sortable ones (UUID version 7) whose text order is creation order.
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';

export interface Ids {
  /** A UUID of 122 random bits, for anything that acts as a credential. */
  random(): string;
  /** A UUID that sorts after every earlier one of this process, even when the clock jumps back. */
  sortable(): string;
}

const COUNTER_SIZE = 0x1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function createIds(clock: Clock): Ids {
  let milliseconds = 0;
  let counter = 0;
  return {
    random: () => randomUUID(),
    sortable() {
      // RFC 9562, 6.2, method 1: a 12-bit counter behind the time; both together only ever grow.
      const now = clock.now();
      if (now > milliseconds) {
        milliseconds = now;
        counter = 0;
      } else if (++counter === COUNTER_SIZE) {
        milliseconds += 1;
        counter = 0;
      }
      const time = milliseconds.toString(16).padStart(12, '0');
      const count = counter.toString(16).padStart(3, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`;
    },
  };
}
