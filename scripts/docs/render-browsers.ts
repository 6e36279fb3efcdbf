// The table of docs/browsers.md, from what the last long run found in each engine.
import { type JourneyOutcome, readJourneyRecord } from '../../apps/launch/testing/engines/journey-record.ts';

const SAID: Record<JourneyOutcome, string> = {
  works: 'works',
  fails: 'fails',
  asked: 'as far as the browser’s own question',
  told: 'the page says that it cannot be done here',
};

export function renderBrowsers(): string {
  const engines = Object.entries(readJourneyRecord());
  const journeys = [...new Set(engines.flatMap(([, { journeys }]) => Object.keys(journeys)))];
  const rows = journeys.map((journey) => [
    journey,
    ...engines.map(([, record]) => (record.journeys[journey] ? SAID[record.journeys[journey]] : 'not run')),
  ]);
  const heading = ['journey', ...engines.map(([name, { version }]) => `${name} ${version}`)];
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
