// `npm run check`: wording that the writing guide rejects (docs/contributing.md), and words that no dictionary knows.
// With --write, makes scripts/language/words.txt the list of unknown words instead; read its diff before you commit.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { findWordingFaults } from './language/find-wording-faults.ts';
import { listWords } from './language/list-words.ts';
import { loadDictionary } from './language/load-dictionary.ts';

const WORDS = 'scripts/language/words.txt';
const CHECKED = /\.(ts|tsx|js|css|md|html|sh|yml|yaml)$/;
/** Generated or quoted text, and the launch page's copy, which is written as dialog. */
const SKIPPED = /THIRD-PARTY|^docs\/reference\/|^tests\/frozen\/|^scripts\/language\/|i18n\/languages/;
/** Files full of names, foreign words and deliberate typos. */
const FOREIGN = /\.test\.|\/testing\/|\/tables\/|^lab\/bench\/screening\/|^packages\/screening\//;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => CHECKED.test(file) && !SKIPPED.test(file));
const isKnown = loadDictionary();
const projectWords = new Set(readFileSync(WORDS, 'utf8').split('\n').filter(Boolean));
const used = new Set<string>();
const faults: string[] = [];
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  for (const { line, fault } of findWordingFaults(file, text)) faults.push(`${file}:${line}: ${fault}`);
  if (FOREIGN.test(file)) continue;
  for (const { line, word } of listWords(text)) {
    const lower = word.toLowerCase();
    if (projectWords.has(lower)) used.add(lower);
    else if (!isKnown(word)) {
      used.add(lower);
      faults.push(`${file}:${line}: unknown word "${word}"`);
    }
  }
}
if (process.argv.includes('--write')) {
  writeFileSync(WORDS, `${[...used].sort().join('\n')}\n`);
  process.exit();
}
for (const fault of faults) console.error(fault);
const unused = [...projectWords].filter((word) => !used.has(word));
for (const word of unused) console.error(`${WORDS}: no file uses "${word}"`);
process.exit(faults.length + unused.length === 0 ? 0 : 1);
