// Decides whose turn it is: first among classes, then among the owners of a class, then among the
// calls of one owner. Known owners (customers, operators, the service itself) go before anonymous
// callers, who get every fifth turn. Members that have used little, owners of the last minute or
// calls, take turns. Among the rest, the owner that has used least goes first, or the oldest call.
// Otherwise a few long calls would never finish.

interface Account {
  readonly isStranger: boolean;
  readonly recent: { readonly ms: number };
}

interface TurnMember {
  readonly workedMs: number;
  readonly account: Account;
}

/** Single subjects and ordinary files need less. */
export const LITTLE_MS = 1_000;
/** Turns in a row for members with little work before one with much, and for known owners before a stranger */
const IN_A_ROW = 4;

export function createTurns<Waiting extends TurnMember>() {
  type CallAccount = Waiting['account'];
  const arrivals = new WeakMap<Waiting, number>();
  let arrived = 0;
  const createLine = (account: CallAccount) => ({
    account,
    calls: createRound<Waiting>(
      ({ workedMs }) => workedMs,
      (a, b) => arrivals.get(a)! < arrivals.get(b)!,
    ),
  });
  type OwnerLine = ReturnType<typeof createLine>;
  const createClass = () =>
    createRound<OwnerLine>(
      ({ account }) => account.recent.ms,
      (a, b) => a.account.recent.ms < b.account.recent.ms,
    );
  const known = createClass();
  const strangers = createClass();
  let inARow = 0;
  const classOf = ({ isStranger }: Account) => (isStranger ? strangers : known);
  const lines = new Map<Account, OwnerLine>();

  function removeIfEmpty(line: OwnerLine): void {
    if (!line.calls.isEmpty()) return;
    lines.delete(line.account);
    classOf(line.account).leave(line);
  }

  return {
    /** Adds a call at the end of its owner's round. A call that was there before keeps its age. */
    join(call: Waiting): void {
      if (!arrivals.has(call)) arrivals.set(call, ++arrived);
      let line = lines.get(call.account);
      if (!line) {
        line = createLine(call.account);
        lines.set(call.account, line);
        classOf(call.account).join(line);
      }
      line.calls.join(call);
    },
    leave(call: Waiting): void {
      const line = lines.get(call.account);
      line?.calls.leave(call);
      if (line) removeIfEmpty(line);
    },
    get isEmpty() {
      return lines.size === 0;
    },
    /** Removes and returns the next call of an account that may have a turn. */
    next(may: (account: CallAccount) => boolean = () => true): Waiting | undefined {
      const mayBegin = ({ account }: OwnerLine) => may(account);
      const [first, second] = inARow < IN_A_ROW ? [known, strangers] : [strangers, known];
      const line = first.next(mayBegin) ?? second.next(mayBegin);
      if (!line) return undefined;
      inARow = line.account.isStranger || strangers.isEmpty() ? 0 : inARow + 1;
      classOf(line.account).join(line);
      const call = line.calls.next();
      removeIfEmpty(line);
      return call;
    },
  };
}

/** Returns members with little work in turns, then the rest in the order of `comesBefore`. */
function createRound<Member>(workOf: (member: Member) => number, comesBefore: (a: Member, b: Member) => boolean) {
  const members: Member[] = [];
  let inARow = 0;

  return {
    join: (member: Member) => void members.push(member),
    leave(member: Member): void {
      const place = members.indexOf(member);
      if (place >= 0) members.splice(place, 1);
    },
    isEmpty: () => members.length === 0,
    next(may: (member: Member) => boolean = () => true): Member | undefined {
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
