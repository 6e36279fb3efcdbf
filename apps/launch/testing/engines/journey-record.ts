// Results of the long run per engine; docs/reference/browsers.md has a table of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Engine } from './engine.ts';

/** `asked`: reached an unanswerable prompt. `told`: the page explained what is missing. */
export type JourneyOutcome = 'works' | 'asked' | 'told' | 'fails';

export interface EngineRecord {
  version: string;
  journeys: Record<string, JourneyOutcome>;
}

const RECORD_FILE = join(import.meta.dirname, '../../journeys/engines.json');

export function readJourneyRecord(): Record<string, EngineRecord> {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as Record<string, EngineRecord>;
}

/** Records results. Earlier results of missing engines and skipped journeys are kept. */
export function createJourneyRecord() {
  const found = new Map<string, EngineRecord>();
  return {
    meet({ name, version }: Engine): void {
      found.set(name, { version, journeys: {} });
    },
    /** Marks a journey as failed until the returned function sets its outcome. */
    begin({ name }: Engine, journey: string): (outcome: JourneyOutcome) => void {
      const { journeys } = found.get(name)!;
      journeys[journey] = 'fails';
      return (outcome) => {
        journeys[journey] = outcome;
      };
    },
    keep(): void {
      if (!IS_LONG) return;
      const record = readJourneyRecord();
      for (const [name, { version, journeys }] of found) {
        const before = record[name]?.version === version ? record[name].journeys : {};
        record[name] = { version, journeys: { ...before, ...journeys } };
      }
      writeFileSync(
        RECORD_FILE,
        `${JSON.stringify(Object.fromEntries(Object.entries(record).sort()), undefined, 2)}\n`,
      );
    },
  };
}
