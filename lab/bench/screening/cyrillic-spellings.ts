// Listed Russian and Ukrainian names in English romanization, converted to the spelling of foreign
// newspapers and passports.
import type { Distortion } from './distortions.ts';

const PATRONYMIC = /(?:[oe]v[iy]t?ch|[oei]vna|yich)$/i;

/** English to the other language, longest first. Unlisted letters stay unchanged. */
const SPELLINGS: Record<string, readonly (readonly [RegExp, string])[]> = {
  German: [
    [/^shch/, 'schtsch'],
    [/^zh/, 'sch'],
    [/^kh/, 'ch'],
    [/^ts/, 'z'],
    [/^ch/, 'tsch'],
    [/^sh/, 'sch'],
    [/^y(?=[aeou])/, 'j'],
    [/^(?:iy|yy)$/, 'i'],
    [/^iy/, 'ij'],
    [/^(?<=[aeou])y/, 'j'],
    [/^y$/, 'i'],
    [/^z/, 's'],
    [/^v/, 'w'],
  ],
  French: [
    [/^shch/, 'chtch'],
    [/^zh/, 'j'],
    [/^ch/, 'tch'],
    [/^sh/, 'ch'],
    [/^yu/, 'iou'],
    [/^ya/, 'ia'],
    [/^ye/, 'ie'],
    [/^(?:iy|yy)$/, 'i'],
    [/^in$/, 'ine'],
    [/^u/, 'ou'],
    [/^g(?=[ei])/, 'gu'],
    [/^y$/, 'i'],
  ],
  Polish: [
    [/^shch/, 'szcz'],
    [/^zh/, 'ż'],
    [/^kh/, 'ch'],
    [/^ts/, 'c'],
    [/^ch/, 'cz'],
    [/^sh/, 'sz'],
    [/^y(?=[aeou])/, 'j'],
    [/^(?:iy|yy)$/, 'i'],
    [/^y$/, 'j'],
    [/^v/, 'w'],
  ],
  Dutch: [
    [/^shch/, 'sjtsj'],
    [/^zh/, 'zj'],
    [/^kh/, 'ch'],
    [/^ch/, 'tsj'],
    [/^sh/, 'sj'],
    [/^yu/, 'joe'],
    [/^y(?=[aeo])/, 'j'],
    [/^(?:iy|yy)$/, 'i'],
    [/^u/, 'oe'],
    [/^y$/, 'j'],
  ],
  'Czech and Croatian': [
    [/^shch/, 'šč'],
    [/^zh/, 'ž'],
    [/^kh/, 'ch'],
    [/^ts/, 'c'],
    [/^ch/, 'č'],
    [/^sh/, 'š'],
    [/^y(?=[aeou])/, 'j'],
    [/^(?:iy|yy)$/, 'ij'],
    [/^y$/, 'j'],
  ],
  Swedish: [
    [/^shch/, 'sjtj'],
    [/^zh/, 'zj'],
    [/^kh/, 'ch'],
    [/^ch/, 'tj'],
    [/^sh/, 'sj'],
    [/^y(?=[aeou])/, 'j'],
    [/^(?:iy|yy)$/, 'ij'],
    [/^y$/, 'j'],
  ],
  Finnish: [
    [/^shch/, 'štš'],
    [/^zh/, 'ž'],
    [/^kh/, 'h'],
    [/^ch/, 'tš'],
    [/^sh/, 'š'],
    [/^y(?=[aeou])/, 'j'],
    [/^(?:iy|yy)$/, 'i'],
    [/^y$/, 'i'],
  ],
  Spanish: [
    [/^kh/, 'j'],
    [/^(?:iy|yy)$/, 'i'],
    [/^g(?=[ei])/, 'gu'],
    [/^y$/, 'i'],
  ],
};

function spell(part: string, rules: readonly (readonly [RegExp, string])[]): string {
  let text = '';
  for (let rest = part.toLowerCase(); rest !== ''; ) {
    const [pattern, sound] = rules.find(([written]) => written.test(rest)) ?? [/^./s, rest.charAt(0)];
    text += sound;
    rest = rest.slice(pattern.exec(rest)![0].length);
  }
  return text;
}

/** First given name and family name of a listed person with a patronymic. */
function abroad(rules: readonly (readonly [RegExp, string])[]): Distortion {
  return ({ given, family }) => {
    const own = given.filter((part) => !PATRONYMIC.test(part));
    if (own.length === given.length || own.length === 0 || !/^[a-z'\s-]+$/i.test([...own, ...family].join(' ')))
      return undefined;
    return { given: [spell(own[0]!, rules)], family: family.map((part) => spell(part, rules)) };
  };
}

export const CYRILLIC_SPELLINGS: Record<string, Distortion> = Object.fromEntries(
  Object.entries(SPELLINGS).map(([language, rules]) => [`${language} spelling of Cyrillic`, abroad(rules)]),
);
