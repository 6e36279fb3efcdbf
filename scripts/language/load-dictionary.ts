// American English and the words of software, as cspell's dictionaries list them.
import { globSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeTrie } from 'cspell-trie-lib';

const ENGLISH = 'node_modules/@cspell/dict-en_us/en_US.trie.gz';
const SOFTWARE = 'node_modules/@cspell/dict-{software-terms,typescript,node}/dict/*.{txt,txt.gz}';

/** Returns a test for words, which ignores the case of the first letter and a final 's. */
export function loadDictionary(): (word: string) => boolean {
  const english = decodeTrie(gunzipSync(readFileSync(ENGLISH)));
  const terms = new Set(globSync(SOFTWARE).flatMap(readTerms));
  const answers = new Map<string, boolean>();
  return (word) => {
    const stem = word.replace(/['’](s|ll|d|re|ve)$/, '');
    let answer = answers.get(stem);
    if (answer === undefined) {
      const lower = stem.toLowerCase();
      const capitalized = lower.replace(/^./, (letter) => letter.toUpperCase());
      answer = terms.has(lower) || [stem, lower, capitalized].some((spelling) => english.has(spelling));
      answers.set(stem, answer);
    }
    return answer;
  };
}

function readTerms(path: string): string[] {
  const bytes = readFileSync(path);
  const text = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  return text
    .replaceAll(/^#.*$/gm, '')
    .toLowerCase()
    .split(/[\s+*~!]+/);
}
