// Ground truth by a plain scan in double precision, and the recall of an index.

export interface Truth {
  /** Passes one vector to the scan. Each is passed once. */
  see(key: number, vector: Float32Array): void;
  /** Keys of a probe's most similar vectors, best first, with at least similarity `least`. */
  best(probe: number, k: number, least: number): number[];
}

const KEPT = 10;

export function createTruth(probes: readonly Float32Array[]): Truth {
  // Already in double precision, to avoid repeated conversion.
  const queries = probes.map((probe) => Float64Array.from(probe));
  const tops = probes.map(() => [] as { key: number; similarity: number }[]);
  return {
    see(key, vector) {
      for (let probe = 0; probe < queries.length; probe += 1) {
        const similarity = multiply(queries[probe]!, vector);
        const top = tops[probe]!;
        if (top.length === KEPT && similarity <= top[KEPT - 1]!.similarity) continue;
        top.push({ key, similarity });
        top.sort((a, b) => b.similarity - a.similarity || a.key - b.key);
        if (top.length > KEPT) top.pop();
      }
    },
    best: (probe, k, least) =>
      tops[probe]!.slice(0, k)
        .filter(({ similarity }) => similarity >= least)
        .map(({ key }) => key),
  };
}

function multiply(query: Float64Array, vector: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < query.length; at += 4) {
    first += query[at]! * vector[at]!;
    second += query[at + 1]! * vector[at + 1]!;
    third += query[at + 2]! * vector[at + 2]!;
    fourth += query[at + 3]! * vector[at + 3]!;
  }
  return first + second + third + fourth;
}

/** Counts results that are correct key by key, in order. */
export function createExactness() {
  let total = 0;
  let right = 0;
  let empty = 0;
  return {
    /** `isEmpty`: the result must be empty, even if the scan finds people. */
    count(expected: readonly number[], keys: readonly number[], isEmpty: boolean) {
      total += 1;
      const isRight = keys.length === expected.length && keys.every((key, at) => key === expected[at]);
      if (!isRight || (isEmpty && keys.length > 0)) return;
      right += 1;
      if (isEmpty) empty += 1;
    },
    get all() {
      return total;
    },
    get right() {
      return right;
    },
    /** Correct results that had to be empty. */
    get empty() {
      return empty;
    },
    get isWhole() {
      return right === total;
    },
  };
}

/** Counts the recall. */
export function createRecall() {
  let wanted = 0;
  let found = 0;
  return {
    count(expected: readonly number[], keys: readonly number[]) {
      const foundKeys = new Set(keys);
      wanted += expected.length;
      found += expected.filter((key) => foundKeys.has(key)).length;
    },
    get share() {
      return wanted === 0 ? 1 : found / wanted;
    },
  };
}
