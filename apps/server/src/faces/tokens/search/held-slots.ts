// Maps the slots of an arena to people, in arrays: a search among a million people makes no object for each of them.
import { randomFillSync } from 'node:crypto';
import type { TokenArena } from '@limen/token/evaluator';
import { BLOCK_PEOPLE } from '@limen/token/shared';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { ArenaToken } from './arena.ts';

/** Slots of one key that are compared together. In random order, so that two searches of a gallery cannot be linked row by row. */
export interface Batch {
  kind: 'tokens' | 'blocks';
  epoch: string;
  arena: TokenArena;
  slots: Uint32Array;
  /** Bits of the people who count, for each slot. A token has one bit. */
  counting: Uint8Array;
  rows: number;
  personAt(row: number): PersonId;
  people(rows: number): Iterable<PersonId>;
}

export type SlotGroups = ReturnType<typeof createHeldSlots>;

/** Slots of one key and kind, in parallel arrays. */
interface Group {
  epoch: string;
  kind: Batch['kind'];
  width: number;
  slots: number[];
  /** Bits of the places with a person. */
  filled: number[];
  members: (PersonId | undefined)[];
  positions: Map<number, number>;
}

export function createHeldSlots() {
  const groups = new Map<string, Group>();
  const tokenOf = new Map<PersonId, ArenaToken>();

  function groupOf({ epoch, place }: ArenaToken): Group {
    const kind = place === undefined ? 'tokens' : 'blocks';
    const group = groups.get(`${kind} ${epoch}`) ?? openGroup(epoch, kind);
    groups.set(`${kind} ${epoch}`, group);
    return group;
  }

  return {
    add(token: ArenaToken): void {
      const group = groupOf(token);
      const at = computePosition(group, token.slot);
      const place = token.place ?? 0;
      group.filled[at]! |= 1 << place;
      group.members[at * group.width + place] = token.personId;
      tokenOf.set(token.personId, token);
    },

    remove(token: ArenaToken): boolean {
      const group = groupOf(token);
      const at = group.positions.get(token.slot)!;
      const place = token.place ?? 0;
      group.filled[at]! &= ~(1 << place);
      group.members[at * group.width + place] = undefined;
      if (tokenOf.get(token.personId) === token) tokenOf.delete(token.personId);
      if (group.filled[at] !== 0) return false;
      giveBack(group, token.slot);
      if (group.positions.size === 0) groups.delete(`${group.kind} ${group.epoch}`);
      return true;
    },

    /** Returns a snapshot of everyone who is not left out. */
    batches(arena: TokenArena, leaveOut: ReadonlySet<PersonId>): Batch[] {
      const without = new Map<number, number>();
      for (const personId of leaveOut) {
        const token = tokenOf.get(personId);
        if (token) without.set(token.slot, (without.get(token.slot) ?? 0) | (1 << (token.place ?? 0)));
      }
      return [...groups.values()].map((group) => takeOut(group, arena, without)).filter(({ rows }) => rows > 0);
    },
  };
}

function openGroup(epoch: string, kind: Batch['kind']): Group {
  const width = kind === 'blocks' ? BLOCK_PEOPLE : 1;
  return { epoch, kind, width, slots: [], filled: [], members: [], positions: new Map() };
}

function computePosition({ slots, filled, members, positions, width }: Group, slot: number): number {
  const known = positions.get(slot);
  if (known !== undefined) return known;
  const at = slots.length;
  slots.push(slot);
  filled.push(0);
  for (let place = 0; place < width; place++) members.push(undefined);
  positions.set(slot, at);
  return at;
}

/** Moves the last slot to the freed position. */
function giveBack({ slots, filled, members, positions, width }: Group, slot: number): void {
  const at = positions.get(slot)!;
  const last = slots.pop()!;
  const lastFilled = filled.pop()!;
  const lastMembers = members.splice(slots.length * width, width);
  positions.delete(slot);
  if (last === slot) return;
  slots[at] = last;
  filled[at] = lastFilled;
  for (const [place, member] of lastMembers.entries()) members[at * width + place] = member;
  positions.set(last, at);
}

function takeOut(group: Group, arena: TokenArena, without: ReadonlyMap<number, number>): Batch {
  const { epoch, kind, width, filled } = group;
  const countingAt = (at: number) => filled[at]! & ~(without.get(group.slots[at]!) ?? 0);
  // Plain loops, because a million people are handled in one turn of the event loop.
  const positions = new Uint32Array(group.slots.length);
  let count = 0;
  for (let at = 0; at < positions.length; at++) if (countingAt(at) !== 0) positions[count++] = at;
  const order = positions.subarray(0, count);
  shuffleInPlace(order);
  const [slots, counting] = [new Uint32Array(count), new Uint8Array(count)];
  let rows = 0;
  for (let at = 0; at < count; at++) {
    slots[at] = group.slots[order[at]!]!;
    counting[at] = countingAt(order[at]!);
    rows += countBits(counting[at]!);
  }
  const members = group.members.slice();

  function* people(most: number): Generator<PersonId> {
    let row = 0;
    for (let at = 0; at < order.length; at++) {
      for (let place = 0; place < width; place++) {
        if ((counting[at]! & (1 << place)) === 0) continue;
        if (row === most) return;
        row += 1;
        yield members[order[at]! * width + place]!;
      }
    }
  }

  function personAt(row: number): PersonId {
    let [at, first] = [0, 0];
    for (let count = countBits(counting[0]!); first + count <= row; count = countBits(counting[at]!)) {
      first += count;
      at += 1;
    }
    return members[order[at]! * width + nthPlace(counting[at]!, row - first)]!;
  }

  return { kind, epoch, arena, slots, counting, rows, people, personAt };
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

function nthPlace(bits: number, number: number): number {
  let left = bits;
  for (let at = 0; at < number; at++) left &= left - 1;
  return 31 - Math.clz32(left & -left);
}

const DRAWN_AT_ONCE = 4_096;

/** Fisher–Yates shuffle. The bias of a 32-bit remainder is one in four billion per element. */
export function shuffleInPlace(numbers: Uint32Array): void {
  const drawn = new Uint32Array(Math.min(DRAWN_AT_ONCE, numbers.length));
  for (let left = numbers.length, at = drawn.length; left > 1; left--, at++) {
    if (at === drawn.length) {
      randomFillSync(drawn);
      at = 0;
    }
    const index = drawn[at]! % left;
    const last = numbers[left - 1]!;
    numbers[left - 1] = numbers[index]!;
    numbers[index] = last;
  }
}
