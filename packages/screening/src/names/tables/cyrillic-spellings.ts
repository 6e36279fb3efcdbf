// Spellings of Cyrillic names in languages other than English. Each rule maps letters to their
// English form.
import { readTable } from './read-table.ts';
import { words } from './words.ts';

export interface Orthography {
  /** A word must contain one of these letters to be read in this language. */
  telling: RegExp;
  /** Letters that hardly occur in other words. Such a word is read with any ending. */
  unmistakable?: RegExp;
  /** Spelling to possible English forms, longest first, most likely first. */
  sounds: readonly (readonly [written: string, sounds: string])[];
}

/** English spells `ye` after a vowel also as `e`: Nikolayev and Nikolaev. */
const J_AS_Y = [
  ['ije', 'iye ie'],
  ['aje', 'aye ae'],
  ['eje', 'eye ee'],
  ['oje', 'oye oe'],
  ['uje', 'uye ue'],
  ['j', 'y'],
] as const;

export const ORTHOGRAPHIES: readonly Orthography[] = [
  // German, including Swiss and Austrian newspapers.
  {
    telling: /w|sch|j|ch|[sz][a-z]*(?:[iy]n|enko|ski|uk|u[nr]|ik|ak)a?$/,
    unmistakable: /tsch|dsch|^sch[aeuijo]|sch[kw]|[^aeiou]sche|sche[wn]/,
    sounds: [
      ['schtscho', 'shcho shche'],
      ['schtsch', 'shch'],
      ['tscho', 'cho che'],
      ['scho', 'sho she zho zhe'],
      ['dsch', 'dzh'],
      ['tsch', 'ch'],
      ['sch', 'sh zh'],
      ['ch', 'kh ch'],
      ['ss', 's'],
      ['s', 's z'],
      ['tz', 'ts'],
      ['z', 'ts z'],
      ['w', 'v'],
      ...J_AS_Y,
    ],
  },
  // Polish.
  {
    telling: /w|sz|cz|rz|j|c(?!h|k)/,
    unmistakable: /sz|cz/,
    sounds: [
      ['szczo', 'shcho shche'],
      ['szcz', 'shch'],
      ['czo', 'cho che'],
      ['szo', 'sho she'],
      ['zio', 'zyo ze'],
      ['dz', 'dz dzh'],
      ['cz', 'ch'],
      ['sz', 'sh'],
      ['rz', 'r'],
      ['ch', 'kh'],
      ['ci', 'ti tsi'],
      ['ck', 'tsk'],
      ['c', 'ts'],
      ['z', 'z zh'],
      ['w', 'v'],
      ...J_AS_Y,
    ],
  },
  // Czech, Slovak, Slovene, Croatian, Serbian, Baltic and scholarly spelling. Diacritics were
  // already removed.
  {
    telling: /j|c(?!k)|(?<!t)s[ct]|z/,
    sounds: [
      ['dz', 'dzh dz'],
      ['sch', 'skh'],
      ['sc', 'shch'],
      ['ch', 'kh ch'],
      ['c', 'ch ts'],
      ['s', 's sh'],
      ['z', 'z zh'],
      ...J_AS_Y,
    ],
  },
  // Dutch.
  {
    telling: /[sz]j|joe/,
    unmistakable: /tsj|sjtsj|[sz]je/,
    sounds: [
      ['sjtsj', 'shch'],
      ['tsj', 'ch'],
      ['sj', 'sh'],
      ['zj', 'zh'],
      ['joe', 'yu'],
      ['oe', 'u'],
      ['ch', 'kh'],
      ...J_AS_Y,
    ],
  },
  // Danish, Norwegian and Swedish.
  {
    telling: /[stz]j/,
    unmistakable: /sjtj/,
    sounds: [
      ['sjtsj', 'shch'],
      ['sjtj', 'shch'],
      ['stj', 'shch'],
      ['tsj', 'ch'],
      ['tj', 'ch ty'],
      ['sj', 'sh zh'],
      ['zj', 'zh'],
      ['ch', 'kh'],
      ['s', 's z'],
      ...J_AS_Y,
    ],
  },
  // Finnish and Estonian. Diacritics were already removed.
  {
    telling: /ts/,
    sounds: [
      ['stsh', 'shch'],
      ['tsh', 'ch'],
      ['sts', 'shch'],
      ['ts', 'ch ts'],
      ['zh', 'zh'],
      ['sh', 'sh'],
      ['s', 's sh'],
      ['z', 'z zh'],
      ...J_AS_Y,
    ],
  },
  // French.
  {
    telling: /ine$|gu[ei]|ff$|^ie|ie[nv]|iie/,
    sounds: [
      ['chtch', 'shch'],
      ['tch', 'ch'],
      ['ch', 'sh'],
      ['iou', 'yu'],
      ['ou', 'u'],
      ['guie', 'gie'],
      ['gui', 'gi'],
      ['gue', 'ge'],
      ['iie', 'iye ie'],
      ['ie', 'ye ie'],
      ['ff', 'v'],
      ['ss', 's'],
      ['dj', 'dzh'],
      ['j', 'zh'],
    ],
  },
  // Spanish and Italian.
  {
    telling: /j|gu[ei]|c[ei]/,
    sounds: [
      ['gui', 'gi'],
      ['gue', 'ge'],
      ['sci', 'sh shi'],
      ['sce', 'she'],
      ['ci', 'chi'],
      ['ce', 'che'],
      ['gh', 'g'],
      ['j', 'kh zh'],
    ],
  },
];

/** Endings of Slavic family names in English. */
export const CYRILLIC_ENDING =
  /(?:[oe]va?|[iy]na?|sk(?:[iy]|iy|yy|aya|aia)|[oe]?vi?ch|[oeyi]vna|[a-z]ich|k[oa]|uk|[iy]k|ak|ok|[iy]kh|[oe]y|[oa]i|aya|[ntlr]yi?|[sz]h[iy]|yan|ets|[nrl]ts|dze|shvili|els?|uta|ura?|au)$/;

/** Endings that these languages use for such names. Most other words lack them. */
export const ENDING_ABROAD =
  /(?:[oe](?:[vw]a?|ff)|[iy]n[ae]?|s[kc](?:[iy]j?|aja|aya|aia)|t?sch|cz|[ij]c|[ts]j|[iy]t?[sc]h|[iy]ts|k[oa]|[uiyao]k|[iy]k?h|[iyj]|[aj]ja|aya|aia|jan|yan|ian|e[cz]|[tds]s|[nrl](?:c|z|ts)|d[sz]e|w?[sc]h?[vw]ili|els?|uta|ura?|au)$/;

/** Slavic given names, one spelling of each. */
export const CYRILLIC_GIVEN_NAMES = readTable(new URL('./cyrillic-given-names.txt', import.meta.url)).flatMap(words);

/** Women's names on -ine that are not a family name with a final e: Sabine is not Sabin. */
export const WOMEN_IN_INE = readTable(new URL('./women-in-ine.txt', import.meta.url)).flatMap(words);
