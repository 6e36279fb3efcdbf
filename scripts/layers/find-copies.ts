// Finds repeated lists of names: each list of the plan is defined only there.
import * as plan from '../../packages/plan/src/index.ts';

/** Shorter lists may be a selection rather than a copy. */
const FEWEST = 3;
const COMMENT = /(?<!:)\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const QUOTED = /'([^'\n]*)'/g;
const ARRAY = /\[(?:\s*(?:\w+\.Literal\()?'[^'\n]*'\)?,?)+\s*\]/g;
const UNION = /(?:'[^'\n]*'\s*\|\s*)+'[^'\n]*'/g;
const ENUM = /\benum\s+\w+\s*\{([^}]*)\}/g;
/** A typed table (`: Record<Movement, …>`, `satisfies …`) has exactly the plan's names. */
const UNTYPED_TABLE = /\bconst\s+\w+\s*=\s*(?:Object\.freeze\()?(?=\{)/g;
const TYPED_AFTER = /^\}\s*(?:as const\s+)?satisfies\b/;

const definitions = new Map<string, readonly string[]>();
for (const [name, value] of Object.entries<unknown>(plan)) {
  if (Array.isArray(value) && value.length >= FEWEST && value.every((entry) => typeof entry === 'string')) {
    definitions.set(name, value);
  }
}
for (const group of plan.INDICATOR_GROUPS) definitions.set(`INDICATORS.${group}`, plan.namesOf(group));

interface Listing {
  index: number;
  names: readonly string[];
}

/**
 * Returns a sentence for each list, union, enum and untyped table in `source` with all names of one
 * of the plan's lists.
 */
export function findCopies(file: string, source: string): string[] {
  // Keeps the length, so that line numbers stay correct.
  const code = source.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '));
  return [...readLists(code), ...readEnums(code), ...readTables(code)].flatMap(({ index, names }) => {
    const line = code.slice(0, index).split('\n').length;
    return namesOfOriginals(names).map(
      (original) => `${file}:${line} defines ${original} of @limen/plan a second time; import it`,
    );
  });
}

function namesOfOriginals(names: readonly string[]): string[] {
  return [...definitions].filter(([, own]) => own.every((name) => names.includes(name))).map(([name]) => name);
}

function readLists(code: string): Listing[] {
  return [ARRAY, UNION].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ 0: text, index }) => ({ index, names: readQuoted(text) })),
  );
}

function readEnums(code: string): Listing[] {
  return [...code.matchAll(ENUM)].map(({ 1: members = '', index }) => {
    const keys = members.split(',').map((member) => member.split('=')[0]!.trim());
    return { index, names: [...keys, ...readQuoted(members)] };
  });
}

function readTables(code: string): Listing[] {
  return [...code.matchAll(UNTYPED_TABLE)].flatMap(({ 0: head, index }) => {
    const { keys, end } = readKeys(code, index + head.length);
    return TYPED_AFTER.test(code.slice(end)) ? [] : [{ index, names: keys }];
  });
}

/** Returns the keys of the object that opens at `start`, without nested ones, and its end. */
function readKeys(code: string, start: number): { keys: string[]; end: number } {
  let depth = 0;
  let own = '';
  let end = start;
  for (; end < code.length; end++) {
    const sign = code[end]!;
    if ('}])'.includes(sign)) depth--;
    if (depth === 0 && end > start) break;
    if (depth === 1) own += sign;
    if ('{[('.includes(sign)) depth++;
  }
  return { keys: [...own.matchAll(/(?:^|,)\s*'?(\w+)'?\s*(?=[:,]|$)/g)].map(([, key = '']) => key), end };
}

function readQuoted(text: string): string[] {
  return [...text.matchAll(QUOTED)].map(([, name = '']) => name);
}
