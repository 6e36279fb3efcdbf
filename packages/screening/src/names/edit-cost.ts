// Edit distance between spellings, with lower costs for typos that people commonly make.

const MAX_LENGTH = 50;
/** Three rolling rows of the dynamic program, because transpositions look two rows back. */
const rowA = new Float64Array(MAX_LENGTH + 1);
const rowB = new Float64Array(MAX_LENGTH + 1);
const rowC = new Float64Array(MAX_LENGTH + 1);
/** Cost of inserting each letter of the second text. */
const added = new Float64Array(MAX_LENGTH + 1);

const TRANSPOSITION = 0.8;
/** Indexed by the low five bits of letters, which fits the L1 cache. Digits share them. */
const REPLACE = buildReplaceCosts();
const INSERT = buildInsertCosts();
/** Per letter: bit mask of cheap replacements, their minimum cost, and the cost of all others. */
const CHEAP = new Uint32Array(32);
const CHEAP_COST = new Float64Array(32);
const OTHER_COST = new Float64Array(32);
for (let letter = 0; letter < 32; letter += 1) {
  const costs = REPLACE.subarray(letter << 5, (letter + 1) << 5);
  CHEAP_COST[letter] = costs.reduce((least, cost) => Math.min(least, cost), INSERT[letter]!);
  OTHER_COST[letter] = INSERT[letter]!;
  for (const [replacement, cost] of costs.entries()) {
    if (cost === CHEAP_COST[letter]) CHEAP[letter]! |= 1 << replacement;
    else OTHER_COST[letter] = Math.min(OTHER_COST[letter]!, cost);
  }
}

/** Returns Infinity if the cost exceeds `limit`. Texts are ASCII codes. */
export function editCost(
  a: Uint8Array,
  aFrom: number,
  aTo: number,
  b: Uint8Array,
  bFrom: number,
  bTo: number,
  limit: number,
): number {
  // Skips the common prefix and suffix, because most pairs differ in one or two letters.
  let aStart = aFrom;
  let bStart = bFrom;
  let aEnd = aTo;
  let bEnd = bTo;
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    aStart += 1;
    bStart += 1;
  }
  while (aEnd > aStart && bEnd > bStart && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1;
    bEnd -= 1;
  }
  const rows = aEnd - aStart;
  const columns = bEnd - bStart;
  if (rows > MAX_LENGTH || columns > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  // Cheapest insertion. A difference in length alone may exceed the limit.
  if (Math.abs(rows - columns) * 0.3 > limit) return Number.POSITIVE_INFINITY;
  let before = rowA;
  let previous = rowB;
  let current = rowC;
  previous[0] = 0;
  for (let column = 1; column <= columns; column += 1) {
    const addCost = insertCost(b, bStart + column - 1, bFrom);
    added[column] = addCost;
    previous[column] = previous[column - 1]! + addCost;
  }
  let above = 0;
  for (let row = 1; row <= rows; row += 1) {
    const letter = a[aStart + row - 1]!;
    const replaceFrom = (letter & 31) << 5;
    const dropCost = insertCost(a, aStart + row - 1, aFrom);
    let left = previous[0]! + dropCost;
    current[0] = left;
    let least = left;
    let diagonal = previous[0]!;
    let otherBefore = 0;
    for (let column = 1; column <= columns; column += 1) {
      const other = b[bStart + column - 1]!;
      const over = previous[column]!;
      let cost = letter === other ? diagonal : diagonal + REPLACE[replaceFrom | (other & 31)]!;
      if (over + dropCost < cost) cost = over + dropCost;
      const addCost = left + added[column]!;
      if (addCost < cost) cost = addCost;
      // The first letter has no previous one to swap with: `above` and `otherBefore` are 0 there.
      if (letter === otherBefore && other === above && letter !== other) {
        const swapped = before[column - 2]! + TRANSPOSITION;
        if (swapped < cost) cost = swapped;
      }
      current[column] = cost;
      left = cost;
      diagonal = over;
      otherBefore = other;
      if (cost < least) least = cost;
    }
    if (least > limit) return Number.POSITIVE_INFINITY;
    above = letter;
    const spent = before;
    before = previous;
    previous = current;
    current = spent;
  }
  const cost = previous[columns]!;
  return cost > limit ? Number.POSITIVE_INFINITY : cost;
}

/** Returns the letters of a text as a bit mask of the same five bits. */
export function lettersOf(codes: Uint8Array, from = 0, to = codes.length): number {
  let letters = 0;
  for (let at = from; at < to; at += 1) letters |= 1 << (codes[at]! & 31);
  return letters;
}

/**
 * Returns whether the letters allow `editCost` to be within a limit. Each letter on only one side
 * must be inserted, deleted or replaced.
 */
export function mayCost(letters: number, otherLetters: number, limit: number): boolean {
  return (
    costOfLetters(letters & ~otherLetters, otherLetters, limit) <= limit &&
    costOfLetters(otherLetters & ~letters, letters, limit) <= limit
  );
}

/** Sums the cheapest replacement or deletion of each letter, up to a limit. */
function costOfLetters(letters: number, otherLetters: number, limit: number): number {
  let cost = 0;
  for (let left = letters; left !== 0 && cost <= limit; ) {
    const letter = 31 - Math.clz32(left);
    left ^= 1 << letter;
    cost += (CHEAP[letter]! & otherLetters) !== 0 ? CHEAP_COST[letter]! : OTHER_COST[letter]!;
  }
  return cost;
}

export function countBits(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** An accidentally doubled letter is cheapest. */
function insertCost(text: Uint8Array, position: number, from: number): number {
  const letter = text[position]!;
  if (position > from && text[position - 1] === letter) return 0.3;
  return INSERT[letter & 31]!;
}

function buildReplaceCosts(): Float64Array {
  const costs = new Float64Array(32 * 32).fill(1);
  const set = (letters: string, cost: number) => {
    for (const from of letters) {
      for (const to of letters) costs[((from.charCodeAt(0) & 31) << 5) | (to.charCodeAt(0) & 31)] = cost;
    }
  };
  set('aeiouy', 0.65);
  for (const pair of ['ae', 'ei', 'iy', 'ou', 'ey']) set(pair, 0.4);
  for (const pair of ['bp', 'dt', 'gk', 'kq', 'ck', 'cs', 'fv', 'vw', 'sz', 'jz', 'jy', 'xs', 'hx', 'jg', 'mn'])
    set(pair, 0.6);
  return costs;
}

function buildInsertCosts(): Float64Array {
  const costs = new Float64Array(32).fill(1);
  for (const vowel of 'aeiouy') costs[vowel.charCodeAt(0) & 31] = 0.7;
  costs['h'.charCodeAt(0) & 31] = 0.6;
  return costs;
}
