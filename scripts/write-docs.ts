// Writes the documents that are generated from code; with --check it only tells whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { renderApiReference } from './render-api-reference.ts';
import { renderAttacks } from './render-attacks.ts';
import { renderConfiguration } from './render-configuration.ts';
import { renderNotices } from './render-notices.ts';
import { renderPrivacy } from './render-privacy.ts';
import { renderRisk } from './render-risk.ts';
import { renderScreeningScores } from './render-screening-scores.ts';

const documents = {
  'THIRD-PARTY-NOTICES.md': renderNotices(),
  'docs/configuration.md': renderConfiguration(),
  'docs/api.md': await renderApiReference(),
  'docs/attacks.md': renderAttacks(),
  'docs/privacy.md': renderPrivacy(),
  'docs/risk.md': renderRisk(),
  'docs/screening-scores.md': renderScreeningScores(),
};

const check = process.argv.includes('--check');
for (const [path, wanted] of Object.entries(documents)) {
  const present = readOrEmpty(path);
  if (present === wanted) continue;
  if (check) {
    console.error(`${path} is out of date; run: npm run docs`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, wanted);
    console.log(`wrote ${path}`);
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
