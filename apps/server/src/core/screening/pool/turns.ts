// Decides whose turn it is: first among owners, then among the calls of one owner.
//
// Owners are API keys and client addresses, so that many calls of one owner get no more than one call of another. Owners with
// little work in the last minute take turns. Among the others, the one with the least work is next.
// Among the calls of one owner, those with little work take turns. Among the others, the oldest is next: equal turns would let a few
// calls that need minutes keep each other from ever being done.

/** The work of an owner in the last minute, in `recent.ms`. */
export interface Account {
  readonly recent: { readonly ms: number };
}

export interface Taker {
  /** Total work of this call so far. */
  readonly workedMs: number;
  readonly account: Account;
}

export interface Turns<One extends Taker> {
  /** Adds a call at the end of its owner's round. A call that was there before keeps its age. */
  join(one: One): void;
  leave(one: One): void;
  readonly isEmpty: boolean;
  /** Removes and returns the call whose turn it is; with `onlyLittle`, of an owner with little work. */
  next(onlyLittle?: boolean): One | undefined;
}

/** Single subjects and ordinary files need less. */
export const LITTLE_MS = 1_000;
/** Turns in a row for members with little work before one of the others gets a turn. Its task takes longer, so it still has most of the time. */
const IN_A_ROW = 4;

export function createTurns<One extends Taker>(): Turns<One> {
  const arrivals = new WeakMap<One, number>();
  let arrived = 0;

  const createLine = (account: Account) => ({
    account,
    calls: createRound<One>({
      workOf: ({ workedMs }) => workedMs,
      comesBefore: (one, other) => arrivals.get(one)! < arrivals.get(other)!,
    }),
  });
  type Line = ReturnType<typeof createLine>;
  const owners = createRound<Line>({
    workOf: ({ account }) => account.recent.ms,
    comesBefore: (one, other) => one.account.recent.ms < other.account.recent.ms,
  });
  /** Owners with waiting calls. */
  const lines = new Map<Account, Line>();

  function removeIfEmpty(line: Line): void {
    if (!line.calls.isEmpty) return;
    lines.delete(line.account);
    owners.leave(line);
  }

  return {
    join(one) {
      if (!arrivals.has(one)) arrivals.set(one, ++arrived);
      let line = lines.get(one.account);
      if (!line) {
        line = createLine(one.account);
        lines.set(one.account, line);
        owners.join(line);
      }
      line.calls.join(one);
    },
    leave(one) {
      const line = lines.get(one.account);
      if (!line) return;
      line.calls.leave(one);
      removeIfEmpty(line);
    },
    get isEmpty() {
      return owners.isEmpty;
    },
    next(onlyLittle) {
      const line = owners.next(onlyLittle);
      if (!line) return undefined;
      owners.join(line);
      const one = line.calls.next();
      removeIfEmpty(line);
      return one;
    },
  };
}

interface RoundOptions<Member> {
  workOf(member: Member): number;
  /** Order of the members that have had much work. */
  comesBefore(one: Member, other: Member): boolean;
}

interface Round<Member> {
  join(member: Member): void;
  leave(member: Member): void;
  readonly isEmpty: boolean;
  next(onlyLittle?: boolean): Member | undefined;
}

function createRound<Member>({ workOf, comesBefore }: RoundOptions<Member>): Round<Member> {
  const members: Member[] = [];
  let inARow = 0;

  return {
    join: (member) => void members.push(member),
    leave(member) {
      const place = members.indexOf(member);
      if (place >= 0) members.splice(place, 1);
    },
    get isEmpty() {
      return members.length === 0;
    },
    next(onlyLittle = false) {
      let little = -1;
      let much = -1;
      for (const [place, member] of members.entries()) {
        if (workOf(member) < LITTLE_MS) little = little < 0 ? place : little;
        else if (onlyLittle) continue;
        else if (much < 0 || comesBefore(member, members[much]!)) much = place;
      }
      const isLittle = little >= 0 && (much < 0 || inARow < IN_A_ROW);
      inARow = isLittle && much >= 0 ? inARow + 1 : 0;
      const place = isLittle ? little : much;
      return place < 0 ? undefined : members.splice(place, 1)[0];
    },
  };
}
