// Writes the documents, and the one source file, that are generated from code. With --check it only
// reports whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { readRuns, renderRuns } from '../lab/faults/runs.ts';
import { readOperations } from './docs/read-operations.ts';
import { renderApiReference } from './docs/render-api-reference.ts';
import { renderAttacks } from './docs/render-attacks.ts';
import { renderBrowsers } from './docs/render-browsers.ts';
import { renderCapacity } from './docs/render-capacity.ts';
import { renderCli } from './docs/render-cli.ts';
import { renderCollection, renderEnvironment } from './docs/render-collection.ts';
import { renderConfiguration } from './docs/render-configuration.ts';
import { renderCourse } from './docs/render-course.ts';
import { renderEngineRevision } from './docs/render-engine-revision.ts';
import { renderErrors } from './docs/render-errors.ts';
import { renderLists } from './docs/render-lists.ts';
import { renderLlms } from './docs/render-llms.ts';
import { renderNotices } from './docs/render-notices.ts';
import { renderRisk } from './docs/render-risk.ts';
import { renderScreeningScores } from './docs/render-screening-scores.ts';
import { renderStoredData } from './docs/render-stored-data.ts';
import { renderWalletRefusals } from './docs/render-wallet-refusals.ts';
import { renderWebhookEvents } from './docs/render-webhook-events.ts';

const ENGINE_REVISION = 'apps/server/src/screening/subjects/engine-revision.ts';

const operations = await readOperations();
const documents = {
  [ENGINE_REVISION]: renderEngineRevision(readOrEmpty(ENGINE_REVISION)),
  'THIRD-PARTY-NOTICES.md': renderNotices(),
  'docs/reference/lists.md': renderLists(),
  'docs/reference/api.md': renderApiReference(operations),
  'docs/reference/attacks.md': renderAttacks(),
  'docs/reference/browsers.md': renderBrowsers(),
  'docs/reference/capacity.md': renderCapacity(),
  'docs/reference/cli.md': await renderCli(),
  'docs/reference/configuration.md': renderConfiguration(),
  'docs/reference/course.md': renderCourse(),
  'docs/reference/errors.md': renderErrors(),
  'docs/reference/faults.md': renderRuns(readRuns()),
  'docs/reference/risk.md': renderRisk(),
  'docs/reference/stored-data.md': renderStoredData(),
  'docs/reference/wallet-refusals.md': renderWalletRefusals(),
  'docs/reference/screening-scores.md': renderScreeningScores(),
  'docs/reference/webhook-events.md': renderWebhookEvents(),
  'examples/collection/limen.postman_collection.json': renderCollection(operations),
  'examples/collection/limen.postman_environment.json': renderEnvironment(),
  'llms.txt': renderLlms(),
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
