// Reads fields of parsed JSON and collects all mistakes with their paths.

export interface Problems {
  readonly found: readonly string[];
  /** Returns undefined in place of a value. */
  add(path: string, problem: string): undefined;
  number(path: string, value: unknown): number;
  object(path: string, value: unknown): Fields | undefined;
}

/** Fields of an object. For a wrong one it records the problem and returns a placeholder. */
export interface Fields {
  problems: Problems;
  has(key: string): boolean;
  add(key: string, problem: string): void;
  text(key: string, pattern: RegExp, expected: string): string;
  oneOf<T extends string>(key: string, values: readonly T[]): T;
  number(key: string): number;
  integer(key: string, min: number, max: number): number;
  numbers(key: string): Map<string, number>;
  list<T>(key: string, parse: (path: string, value: unknown) => T): T[];
  object(key: string): Fields | undefined;
  /** Reports unread fields, because a misspelt name would otherwise be ignored. */
  end(): void;
}

const MAX_PROBLEMS = 100;
const MAX_LIST = 100;

export function createProblems(): Problems {
  const found: string[] = [];
  const problems: Problems = {
    found,
    add(path, problem) {
      const line = `${path === '' ? 'the manifest' : path} ${problem}`;
      if (found.length < MAX_PROBLEMS && !found.includes(line)) found.push(line);
      return undefined;
    },
    number(path, value) {
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      problems.add(path, 'must be a number');
      return 1;
    },
    object(path, value) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return readFields(path, new Map(Object.entries(value)), problems);
      // Invalid JSON was reported before.
      if (path !== '' || found.length === 0) problems.add(path, 'must be an object');
      return undefined;
    },
  };
  return problems;
}

function readFields(path: string, values: ReadonlyMap<string, unknown>, problems: Problems): Fields {
  const asked = new Set<string>();
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`);
  const get = (key: string) => {
    asked.add(key);
    return values.get(key);
  };
  const add = (key: string, problem: string) => problems.add(pathOf(key), problem);

  return {
    problems,
    has: (key) => values.has(key),
    add,
    text(key, pattern, expected) {
      const value = get(key);
      if (typeof value === 'string' && value.length <= 1000 && pattern.test(value)) return value;
      add(key, `must be ${expected}`);
      return '';
    },
    oneOf(key, allowed) {
      const value = get(key);
      const match = allowed.find((candidate) => candidate === value);
      if (match === undefined) add(key, `must be one of ${allowed.join(', ')}`);
      return match ?? allowed[0]!;
    },
    number: (key) => problems.number(pathOf(key), get(key)),
    integer(key, min, max) {
      const value = get(key);
      if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
      add(key, `must be a whole number from ${min} to ${max}`);
      return min;
    },
    numbers(key) {
      const value = problems.object(pathOf(key), get(key));
      if (!value) return new Map();
      const entries = Object.entries(values.get(key) as object);
      return new Map(entries.map(([name, number]) => [name, problems.number(`${pathOf(key)}.${name}`, number)]));
    },
    list(key, parse) {
      const value = get(key);
      if (!Array.isArray(value) || value.length > MAX_LIST) {
        add(key, `must be a list of at most ${MAX_LIST}`);
        return [];
      }
      return value.map((item, index) => parse(`${pathOf(key)}[${index}]`, item));
    },
    object: (key) => problems.object(pathOf(key), get(key)),
    end() {
      for (const key of values.keys()) if (!asked.has(key)) add(key, 'is not a field of the manifest');
    },
  };
}
