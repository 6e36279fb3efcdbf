// Whose turn it is: whoever has had little so far one after the other, and of the others the one that came first.
//
// Equal turns for all would let a few that ask for minutes of work keep each other from ever getting it, and everybody else waiting
// for a share of theirs. One after the other, the first of them is soon done.

export interface Taker {
  /** What it has had. */
  readonly workedMs: number;
}

export interface Turns<One extends Taker> {
  /** At the end of the round. Whoever was there before keeps its place among those that have had much. */
  join(one: One): void;
  leave(one: One): void;
  readonly isEmpty: boolean;
  /** Takes out whose turn it is. */
  next(): One | undefined;
}

/** Single subjects and ordinary files need less. */
const LITTLE_MS = 1_000;
/** So many turns in a row go to those before one of the others has one: its task is the longer one, so that it still has most of the time. */
const IN_A_ROW = 4;

export function createTurns<One extends Taker>(): Turns<One> {
  const round: One[] = [];
  const arrivals = new WeakMap<One, number>();
  let arrived = 0;
  let inARow = 0;

  const hasHadLittle = ({ workedMs }: One) => workedMs < LITTLE_MS;
  const arrivalOf = (one: One) => arrivals.get(one)!;

  return {
    join(one) {
      if (!arrivals.has(one)) arrivals.set(one, ++arrived);
      round.push(one);
    },
    leave(one) {
      const place = round.indexOf(one);
      if (place >= 0) round.splice(place, 1);
    },
    get isEmpty() {
      return round.length === 0;
    },
    next() {
      const little = round.findIndex(hasHadLittle);
      const much = round.reduce(
        (first, one, at) =>
          hasHadLittle(one) || (first >= 0 && arrivalOf(round[first]!) < arrivalOf(one)) ? first : at,
        -1,
      );
      const isLittle = little >= 0 && (much < 0 || inARow < IN_A_ROW);
      inARow = isLittle && much >= 0 ? inARow + 1 : 0;
      const place = isLittle ? little : much;
      return place < 0 ? undefined : round.splice(place, 1)[0];
    },
  };
}
