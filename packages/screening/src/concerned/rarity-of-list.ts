// An index of subjects in which name parts are as telling as they are in a list.
import { type ScreeningIndex, textOfToken } from '../index/screening-index.ts';
import { tellingBits } from '../index/telling-bits.ts';
import { TOKEN_VOWELLESS } from '../names/part-class.ts';

/** What it makes shares all but the figures with the index of subjects. */
export function createRarity(list: ScreeningIndex): (subjects: ScreeningIndex) => ScreeningIndex {
  const listed = new Map<string, number>();
  for (let token = 0; token < list.tokenCount; token += 1)
    listed.set(keyOf(list, token), list.sections.tokenBits[token]!);
  return (subjects) => {
    const tokenBits = new Uint8Array(subjects.tokenCount);
    for (let token = 0; token < subjects.tokenCount; token += 1) {
      const text = textOfToken(subjects.sections, token);
      tokenBits[token] = listed.get(keyOf(subjects, token)) ?? tellingBits(text, 0, list.entityCount);
    }
    return { ...subjects, entityCount: list.entityCount, sections: { ...subjects.sections, tokenBits } };
  };
}

function keyOf({ sections }: ScreeningIndex, token: number): string {
  const isVowelless = (sections.tokenFlags[token]! & TOKEN_VOWELLESS) !== 0;
  return (isVowelless ? '~' : '') + textOfToken(sections, token);
}
