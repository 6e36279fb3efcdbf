// Whether what two names have besides the words that agree may be the same, seen from afar: a comparison tells for certain.

/** So few letters speak neither for nor against it: initials, particles, legal forms. */
const FEW_LETTERS = 3;
/** Of the letters of the shorter one, and of its pairs of letters, as many are in the other. */
const LEAST_LETTERS = 0.6;
const LEAST_PAIRS = 0.2;

export function mayBeAlike(one: string, other: string): boolean {
  if (one.length <= FEW_LETTERS || other.length <= FEW_LETTERS) return true;
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  if (shareOf(shorter, longer, 1) < LEAST_LETTERS) return false;
  return shorter[0] === longer[0] || shareOf(shorter, longer, 2) >= LEAST_PAIRS;
}

/** Of the pieces of a text that have so many letters, those that another has as well. */
function shareOf(text: string, other: string, length: number): number {
  const left = new Map<string, number>();
  for (let at = 0; at + length <= other.length; at += 1) {
    const piece = other.slice(at, at + length);
    left.set(piece, (left.get(piece) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at + length <= text.length; at += 1) {
    const piece = text.slice(at, at + length);
    const count = left.get(piece) ?? 0;
    if (count === 0) continue;
    left.set(piece, count - 1);
    shared += 1;
  }
  return shared / (text.length - length + 1);
}
