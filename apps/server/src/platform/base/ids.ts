// Creates identifiers: random UUIDs, and UUIDs of version 7 that sort by creation.
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';

declare const thing: unique symbol;

/** Text that names one kind of thing. The name of another kind does not compile in its place. */
type Branded<Thing extends string> = string & { readonly [thing]: Thing };

export type CustomerId = Branded<'customer'>;
export type SessionId = Branded<'session'>;
/** Credential for a session's result, unlike the session id */
export type SessionToken = Branded<'session token'>;
/** Person or company that is screened again when lists change */
export type WatchedSubjectId = Branded<'watched subject'>;
export type PersonId = Branded<'person'>;
export type OperatorId = Branded<'operator'>;
/** Id by which hosts know a person. */
export type Puid = Branded<'puid'>;

type AnyName = Branded<string>;
type PlainString = string & { readonly [thing]?: never };

/** Casts a text to a name without checking that the thing exists. */
export function named<Name extends AnyName = never>(text: PlainString): Name {
  return text as string as Name;
}

export type Ids = ReturnType<typeof createIds>;

const COUNTER_SIZE = 0x1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns a text that sorts before all sortable ids of this moment or later. */
export function firstIdAt(milliseconds: number): string {
  const time = Math.min(Math.max(milliseconds, 0), 0xffff_ffff_ffff).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-`;
}

export function createIds(clock: Clock) {
  let milliseconds = 0;
  let counter = 0;
  return {
    /** Returns a UUID of 122 random bits, for credentials. */
    random: <Id extends string = string>() => randomUUID() as string as Id,
    /** Returns a UUID that sorts after every earlier one of this process, even if the clock jumps back. */
    sortable<Id extends string = string>() {
      // RFC 9562, 6.2, method 1: a 12-bit counter after the time. Both together only grow.
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
      return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}` as Id;
    },
  };
}
