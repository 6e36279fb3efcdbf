// docs/reference/browsers.md, from what the last long run found in each engine.
import { type JourneyOutcome, readJourneyRecord } from '../../apps/launch/testing/engines/journey-record.ts';

const SAID: Record<JourneyOutcome, string> = {
  works: 'works',
  fails: 'fails',
  asked: 'works up to the browser’s own prompt',
  told: 'the page says that this browser cannot do it',
};

export function renderBrowsers(): string {
  const engines = Object.entries(readJourneyRecord());
  const journeys = [...new Set(engines.flatMap(([, { journeys }]) => Object.keys(journeys)))];
  const rows = journeys.map((journey) => [
    journey,
    ...engines.map(([, record]) => (record.journeys[journey] ? SAID[record.journeys[journey]] : 'not run')),
  ]);
  const heading = ['journey', ...engines.map(([name, { version }]) => `${name} ${version}`)];
  const table = [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  return `# Browsers

<!-- Generated from apps/launch/testing/engines by \`npm run docs\`; do not edit. -->

Whole journeys that the last long test run played in each engine ([which browsers the page needs](../launch-page.md#browsers)).

${table}`;
}
