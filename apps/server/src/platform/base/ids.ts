// Identifiers: random UUIDs, and sortable ones (UUID version 7) whose text order is creation order.
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';

declare const thing: unique symbol;

/** A text that names one kind of thing: where it is wanted, the name of another kind does not compile. */
type NameOf<Thing extends string> = string & { readonly [thing]: Thing };

export type CustomerId = NameOf<'customer'>;
export type SessionId = NameOf<'session'>;
/** The credential for a session's result, which its id is not. */
export type SessionToken = NameOf<'session token'>;
/** Somebody whom a customer wants to hear about when the lists change. */
export type WatchedSubjectId = NameOf<'watched subject'>;
export type PersonId = NameOf<'person'>;
/** Somebody who uses the console. */
export type OperatorId = NameOf<'operator'>;
/** What hosts know a person by. */
export type Puid = NameOf<'puid'>;

type AnyName = NameOf<string>;
/** A text that names nothing yet: what is a name already does not become another. */
type Unnamed = string & { readonly [thing]?: never };

/** Takes a caller's word for what a text names; whether there is such a thing, the look-up says. */
export function named<Name extends AnyName = never>(text: Unnamed): Name {
  return text as string as Name;
}

export interface Ids {
  /** A UUID of 122 random bits, for anything that acts as a credential. */
  random<Id extends string = string>(): Id;
  /** A UUID that sorts after every earlier one of this process, even when the clock jumps back. */
  sortable<Id extends string = string>(): Id;
}

const COUNTER_SIZE = 0x1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** No sortable id that was made at this moment or later is before it. */
export function firstIdAt(milliseconds: number): string {
  const time = Math.min(Math.max(milliseconds, 0), 0xffff_ffff_ffff).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-`;
}

export function createIds(clock: Clock): Ids {
  let milliseconds = 0;
  let counter = 0;
  return {
    random: <Id extends string>() => mint<Id>(randomUUID()),
    sortable<Id extends string>() {
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
      return mint<Id>(`${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`);
    },
  };
}

/** Whatever it is made for, nothing else has it yet. */
function mint<Id extends string>(text: string): Id {
  return text as Id;
}
