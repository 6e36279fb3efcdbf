// Decides whose turn it is: first among classes, then among the owners of a class, then among the calls of one owner.
//
// Known owners (customers, operators, the service itself) go before strangers, however many addresses those have. Strangers get
// every fifth turn, so that they are served too. Within a class, many calls of one owner get no more than one call of
// another: owners with little work in the last minute take turns. Among the others, the one with the least work is next.
// Among the calls of one owner, those with little work take turns. Among the others, the oldest is next: equal turns would let a few
// calls that need minutes keep each other from ever being done.

export interface Account {
  readonly isStranger: boolean;
  /** The owner's work in the last minute. */
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
  /** Removes and returns the call whose turn it is, of an account that may have one. */
  next(may?: (account: One['account']) => boolean): One | undefined;
}

/** Single subjects and ordinary files need less. */
export const LITTLE_MS = 1_000;
/** Turns in a row for members with little work before one of the others gets a turn, and for known owners before a stranger does. A heavy task takes longer, so it still has most of the time. */
const IN_A_ROW = 4;

export function createTurns<One extends Taker>(): Turns<One> {
  const arrivals = new WeakMap<One, number>();
  let arrived = 0;

  const createLine = (account: One['account']) => ({
    account,
    calls: createRound<One>({
      workOf: ({ workedMs }) => workedMs,
      comesBefore: (one, other) => arrivals.get(one)! < arrivals.get(other)!,
    }),
  });
  type OwnerLine = ReturnType<typeof createLine>;
  const createClass = () =>
    createRound<OwnerLine>({
      workOf: ({ account }) => account.recent.ms,
      comesBefore: (one, other) => one.account.recent.ms < other.account.recent.ms,
    });
  const known = createClass();
  const strangers = createClass();
  /** Turns of known owners while strangers waited. */
  let inARow = 0;
  const classOf = ({ isStranger }: Account) => (isStranger ? strangers : known);
  /** Owners with waiting calls. */
  const lines = new Map<Account, OwnerLine>();

  function removeIfEmpty(line: OwnerLine): void {
    if (!line.calls.isEmpty) return;
    lines.delete(line.account);
    classOf(line.account).leave(line);
  }

  return {
    join(one) {
      if (!arrivals.has(one)) arrivals.set(one, ++arrived);
      let line = lines.get(one.account);
      if (!line) {
        line = createLine(one.account);
        lines.set(one.account, line);
        classOf(one.account).join(line);
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
      return known.isEmpty && strangers.isEmpty;
    },
    next(may = () => true) {
      const mayBegin = ({ account }: OwnerLine) => may(account);
      const [first, second] = inARow < IN_A_ROW ? [known, strangers] : [strangers, known];
      const line = first.next(mayBegin) ?? second.next(mayBegin);
      if (!line) return undefined;
      inARow = line.account.isStranger || strangers.isEmpty ? 0 : inARow + 1;
      classOf(line.account).join(line);
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
  next(may?: (member: Member) => boolean): Member | undefined;
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
    next(may = () => true) {
      let little = -1;
      let much = -1;
      for (const [place, member] of members.entries()) {
        if (!may(member)) continue;
        if (workOf(member) < LITTLE_MS) little = little < 0 ? place : little;
        else if (much < 0 || comesBefore(member, members[much]!)) much = place;
      }
      const isLittle = little >= 0 && (much < 0 || inARow < IN_A_ROW);
      inARow = isLittle && much >= 0 ? inARow + 1 : 0;
      const place = isLittle ? little : much;
      return place < 0 ? undefined : members.splice(place, 1)[0];
    },
  };
}
