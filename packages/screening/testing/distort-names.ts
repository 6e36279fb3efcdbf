// Distorts names as several clerks in a row might: splits, joins, misspellings, omissions, moved
// parts.

/** Returns a random integer below a limit. */
export type Below = (limit: number) => number;

/** Returns undefined if a name cannot be distorted in this way. */
type Distort = (words: readonly string[], below: Below) => string[] | undefined;

const LEAST_TO_SPLIT = 4;
const LEAST_TO_MISSPELL = 4;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export const DISTORTIONS = {
  split(words, below) {
    const at = placeOf(words, below, LEAST_TO_SPLIT);
    if (at === undefined) return undefined;
    const word = words[at]!;
    const cut = 2 + below(word.length - 3);
    return words.toSpliced(at, 1, word.slice(0, cut), word.slice(cut));
  },
  join(words, below) {
    if (words.length < 2) return undefined;
    const at = below(words.length - 1);
    return words.toSpliced(at, 2, words[at]! + words[at + 1]!);
  },
  typo(words, below) {
    const at = placeOf(words, below, LEAST_TO_MISSPELL);
    return at === undefined ? undefined : words.with(at, misspell(words[at]!, below));
  },
  drop: (words, below) => (words.length < 3 ? undefined : words.toSpliced(below(words.length), 1)),
  turn: (words) => (words.length < 2 ? undefined : [words.at(-1)!, ...words.slice(0, -1)]),
  glue: (words) => (words.length < 2 ? undefined : [words.join('')]),
} as const satisfies Record<string, Distort>;

export type Distortion = keyof typeof DISTORTIONS;
export const ALL_DISTORTIONS = Object.keys(DISTORTIONS) as Distortion[];

/** Applies distortions in sequence. Returns undefined if one of them is not applicable. */
export function distort(name: string, distortions: readonly Distortion[], below: Below): string | undefined {
  let words: string[] | undefined = name.split(/[\s,]+/).filter((word) => word !== '');
  for (const distortion of distortions) {
    words = DISTORTIONS[distortion](words, below);
    if (!words) return undefined;
  }
  return words.join(' ');
}

function placeOf(words: readonly string[], below: Below, least: number): number | undefined {
  const places = [...words.keys()].filter((at) => words[at]!.length >= least);
  return places.length === 0 ? undefined : places[below(places.length)];
}

/** Replaces, drops, inserts or swaps a letter. */
function misspell(word: string, below: Below): string {
  const at = below(word.length - 1);
  const letter = LETTERS[below(LETTERS.length)]!;
  const [before, here, next] = [word.slice(0, at), word[at]!, word[at + 1]!];
  return [
    before + letter + word.slice(at + 1),
    before + word.slice(at + 1),
    before + letter + word.slice(at),
    before + next + here + word.slice(at + 2),
  ][below(4)]!;
}
