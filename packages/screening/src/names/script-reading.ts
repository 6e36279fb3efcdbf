// Checks whether a word in a script without short vowels can be read as a Latin spelling: `snwar`
// is Sinwar, not Sonar.
import { consonantSkeleton } from './spelling.ts';

/** Latin spellings of one or two letters of such a word. An unwritten vowel may precede each. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  a: ['a', 'aa', 'e', 'o', 'ae'],
  w: ['w', 'v', 'u', 'o', 'ou', 'oo', 'uw', 'ow'],
  y: ['y', 'i', 'e', 'ee', 'iy', 'ie', 'ey', 'ii', 'j'],
  e: ['', 'a', 'aa', 'e', 'i', 'o', 'u'],
  b: ['b', 'p'],
  th: ['th', 't', 's'],
  j: ['j', 'g', 'dj', 'dzh', 'c'],
  kh: ['kh', 'h', 'k', 'x', 'ch'],
  dh: ['dh', 'd', 'z', 'th'],
  z: ['z', 's', 'dh'],
  s: ['s', 'c', 'z'],
  sh: ['sh', 'ch', 's', 'sch'],
  gh: ['gh', 'g', 'q'],
  f: ['f', 'ph', 'v'],
  q: ['q', 'k', 'g', 'gh', 'c'],
  k: ['k', 'c', 'q', 'ck', 'kh', 'g'],
  p: ['p', 'b', 'f'],
  ch: ['ch', 'tch', 'c'],
  zh: ['zh', 'j', 'z'],
  g: ['g', 'gh', 'k'],
  v: ['v', 'w', 'f'],
  // Indian scripts write some vowels.
  i: ['i', 'e', 'y', 'ee'],
  o: ['o', 'u', 'ou'],
  u: ['u', 'o', 'oo', 'ou'],
};
/** Unwritten vowels. `aa` only around an ayn. */
const UNWRITTEN = ['a', 'e', 'i', 'o', 'u', 'aa'];
const ANY_VOWEL = [...'aeiouy', 'ay', 'ai', 'ey', 'ei', 'ou', 'oo', 'aw', 'au', 'ee'];
/** Final letters that are vowels or mute. */
const LAST_SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  h: ['h', '', 't', 'eh', 'ah'],
  y: [...SPELLINGS.y!, 'a', 'ah'],
  w: [...SPELLINGS.w!, 'a'],
};

/** Returns whether `latin` is a reading of `script`, a word as spelled by foldName. */
export function readsAs(script: string, latin: string): boolean {
  const width = latin.length + 1;
  // States by number of letters consumed on both sides. 2 if the last step was an unwritten vowel.
  const reached = new Uint8Array((script.length + 1) * width);
  reached[0] = 1;
  for (let at = 0; at <= script.length; at += 1) {
    const two = script.slice(at, at + 2);
    const isTwo = two.length === 2 && two.endsWith('h') && SPELLINGS[two] !== undefined;
    for (let place = 0; place <= latin.length; place += 1) {
      const state = reached[at * width + place]!;
      if (state === 0) continue;
      const step = (letters: number, spelling: string, mark: number) => {
        if (!latin.startsWith(spelling, place)) return;
        const to = (at + letters) * width + place + spelling.length;
        if (reached[to] !== 1) reached[to] = mark;
        // Any written letter may be doubled.
        if (spelling !== '' && mark === 1 && latin[place + spelling.length] === spelling.at(-1)) reached[to + 1] = 1;
      };
      if (state === 1 && at > 0) for (const vowel of UNWRITTEN) step(0, vowel, 2);
      if (at === script.length) continue;
      for (const spelling of spellingsAt(script, at, 1)) step(1, spelling, 1);
      if (isTwo) for (const spelling of spellingsAt(script, at, 2)) step(2, spelling, 1);
    }
  }
  // An unwritten vowel at the end is the mute `e` of a French spelling, or none.
  const end = script.length * width + latin.length;
  return reached[end] === 1 || (reached[end] === 2 && latin.endsWith('e'));
}

function spellingsAt(script: string, at: number, length: 1 | 2): readonly string[] {
  const letters = script.slice(at, at + length);
  const isLast = at + length === script.length;
  if (at === 0 && (letters === 'a' || letters === 'e'))
    return letters === 'a' && /^a[wy]/.test(script) ? [...ANY_VOWEL, ''] : ANY_VOWEL;
  return (isLast ? LAST_SPELLINGS[letters] : undefined) ?? SPELLINGS[letters] ?? [letters];
}

/** Letters with other consonants elsewhere: v or z in Persian, s in Turkish, g in Egypt. */
const OTHER_SOUNDS: Readonly<Record<string, string>> = { w: 'v', dh: 'z', th: 's', j: 'g' };
/** Consonant groups. An h after another letter may look like one sound, as in Azhar. */
const UNITS = /[skdtzg]eh|[skdtgzc]h|./g;
const MAX_SKELETONS = 8;

/**
 * Returns the possible consonants of such a word in Latin spelling, in the form of
 * `consonantSkeleton`, most common first.
 */
export function scriptSkeletons(script: string): string[] {
  let forms = [''];
  for (const unit of script.match(UNITS) ?? []) {
    const otherSound = OTHER_SOUNDS[unit] ?? (unit.length === 3 ? unit.charAt(0) + unit.charAt(2) : undefined);
    const same = forms.map((form) => form + unit);
    forms =
      otherSound === undefined ? same : [...same, ...forms.map((form) => form + otherSound)].slice(0, MAX_SKELETONS);
  }
  return [...new Set(forms.map(consonantSkeleton))];
}
