// Two coarser forms of a name part: the canonical spelling, shared by its romanizations, and the
// consonant skeleton.

/** Spelling to sound, longest first. Confusable sounds are unified. */
const SOUNDS: readonly (readonly [written: string, sound: string])[] = [
  ['shch', 'x'],
  ['tsch', 'x'],
  ['tch', 'x'],
  ['aei', 'e'],
  ['aey', 'e'],
  ['sch', 'x'],
  ['dzh', 'j'],
  ['sh', 'x'],
  ['ch', 'x'],
  ['cz', 'x'],
  ['zh', 'j'],
  ['dj', 'j'],
  ['kh', 'h'],
  ['gh', 'g'],
  ['dh', 'd'],
  ['th', 't'],
  ['bh', 'b'],
  ['ph', 'f'],
  ['ts', 'c'],
  ['tz', 'c'],
  ['ck', 'k'],
  ['ou', 'u'],
  ['oo', 'u'],
  ['ue', 'u'],
  ['oe', 'u'],
  ['eo', 'u'],
  ['eu', 'u'],
  ['ae', 'a'],
  ['aa', 'a'],
  ['ee', 'i'],
  ['ie', 'i'],
  ['iy', 'i'],
  ['ij', 'i'],
  ['yi', 'i'],
  ['yy', 'i'],
  ['ei', 'e'],
  ['ey', 'e'],
  ['ay', 'e'],
  ['ai', 'e'],
  ['ej', 'e'],
  ['o', 'u'],
  ['y', 'i'],
  ['w', 'v'],
  ['q', 'k'],
];
type Sound = readonly [sound: string, length: number];
const CODES = 128;
/** By the codes of two letters, with 0 if no second one follows. */
const RULES: (readonly (readonly [written: string, sound: Sound])[] | undefined)[] = [];
for (const [written, sound] of SOUNDS) {
  for (let next = 0; next < CODES; next += 1) {
    if (written.length > 1 && written.charCodeAt(1) !== next) continue;
    const pair = written.charCodeAt(0) * CODES + next;
    RULES[pair] = [...(RULES[pair] ?? []), [written, [sound, written.length]]];
  }
}
const AS_WRITTEN: readonly Sound[] = Array.from({ length: CODES }, (_, code) => [String.fromCharCode(code), 1]);

/** Abdul Rahman, Abdel Rahman, Abd al-Rahman, Abdurrahman … share `abd`. */
const SERVANT_OF = /^abd[aeiou]{1,2}(?:l|([rsnz])(?=\1))?(?=[a-z]{3})/;
const SERVANT_ALONE = /^abd[aeiou]{1,2}l?[lrs]?$/;

/** Russian neuter endings, which half of the romanizations spell without y: Oborudovaniye. */
const NEUTER = /(?<=.{4}[ioy])ye$/;

export function canonicalSpelling(part: string): string {
  const text = part.startsWith('abd')
    ? mergeServantForms(part)
    : part.endsWith('ye')
      ? part.replace(NEUTER, 'e')
      : part;
  let canonical = '';
  let last = 0;
  for (let position = 0; position < text.length; ) {
    const [sound, length] = soundAt(text, position);
    for (let at = 0; at < sound.length; at += 1) {
      const letter = sound.charCodeAt(at);
      if (letter !== last) canonical += sound.charAt(at);
      last = letter;
    }
    position += length;
  }
  // Fatimah and Fatima, Abdullah and Abdulla; Yelena and Elena.
  if (canonical.length > 3 && canonical.endsWith('h') && isVowel(canonical.charCodeAt(canonical.length - 2))) {
    canonical = canonical.slice(0, -1);
  }
  if (canonical.length > 3 && (canonical.startsWith('ie') || canonical.startsWith('je')))
    canonical = canonical.slice(1);
  return canonical;
}

function mergeServantForms(part: string): string {
  return SERVANT_ALONE.test(part) ? 'abd' : part.replace(SERVANT_OF, 'abd');
}

const C = 0x63;
const E = 0x65;
const I = 0x69;
const O = 0x6f;
const X = 0x78;
const Y = 0x79;
const YO: Sound = ['e', 2];
const SOFT_C: Sound = ['s', 1];
const HARD_C: Sound = ['k', 1];
const KS: Sound = ['ks', 1];

function soundAt(text: string, position: number): Sound {
  const letter = text.charCodeAt(position);
  const next = text.charCodeAt(position + 1);
  // Cyrillic ё after a consonant is spelled yo, ye, io or e.
  if (letter === Y && position > 0 && (next === O || next === E) && !isVowel(text.charCodeAt(position - 1))) return YO;
  const rules = RULES[letter * CODES + (next < CODES ? next : 0)];
  if (rules) {
    for (const [written, sound] of rules) {
      if (written.length <= 2 || text.startsWith(written, position)) return sound;
    }
  }
  if (letter === C) return next === E || next === I || next === Y ? SOFT_C : HARD_C;
  return letter === X ? KS : (AS_WRITTEN[letter] ?? [text.charAt(position), 1]);
}

/** Consonants by place of articulation, without vowels and semivowels, doubled ones once. */
const CLASS_OF: Record<string, string> = {
  b: 'b',
  p: 'b',
  d: 'd',
  t: 'd',
  g: 'k',
  k: 'k',
  q: 'k',
  c: 'k',
  f: 'f',
  v: 'f',
  s: 's',
  z: 's',
  j: 'j',
  x: 'x',
  m: 'm',
  n: 'n',
  l: 'l',
  r: 'r',
  h: 'h',
};
const TWO_LETTERS: Record<string, string> = {
  sh: 'x',
  ch: 'x',
  zh: 'j',
  dj: 'j',
  kh: 'h',
  gh: 'k',
  th: 'd',
  dh: 'd',
  ph: 'f',
};

export function consonantSkeleton(written: string): string {
  const part = written.startsWith('abd') ? mergeServantForms(written) : written;
  let skeleton = '';
  let last = '';
  for (let position = 0; position < part.length; ) {
    const two = TWO_LETTERS[part.slice(position, position + 2)];
    const sound = two ?? CLASS_OF[part.charAt(position)] ?? '';
    // A doubled letter is one sound. A sound on both sides of a vowel counts twice.
    if (sound !== '' && (two !== undefined || part.charAt(position) !== last)) skeleton += sound;
    last = part.charAt(position);
    position += two === undefined ? 1 : 2;
  }
  // A final h is mute or a vowel: Usama and أسامة.
  return skeleton.length > 1 && skeleton.endsWith('h') ? skeleton.slice(0, -1) : skeleton;
}

export function isVowel(code: number): boolean {
  return code === 0x61 || code === 0x65 || code === 0x69 || code === 0x6f || code === 0x75 || code === 0x79;
}
