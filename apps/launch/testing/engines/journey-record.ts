// What the long run found in each engine; docs/reference/browsers.md has a table of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Engine } from './engine.ts';

/**
 * `asked`: as far as the browser's own question, which nobody could answer there. `told`: the engine lacks what it takes, and the
 * page says so in a sentence. `fails`: it was begun and came to no end.
 */
export type JourneyOutcome = 'works' | 'asked' | 'told' | 'fails';

export interface EngineRecord {
  version: string;
  journeys: Record<string, JourneyOutcome>;
}

const RECORD_FILE = join(import.meta.dirname, '../../journeys/engines.json');

export function readJourneyRecord(): Record<string, EngineRecord> {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as Record<string, EngineRecord>;
}

/** What an earlier run found stays: of an engine that is not there now, and of journeys that were left out this time. */
export function createJourneyRecord() {
  const found = new Map<string, EngineRecord>();
  return {
    meet({ name, version }: Engine): void {
      found.set(name, { version, journeys: {} });
    },
    /** It fails unless something else is said of it: what an earlier run found is no longer so. */
    begin({ name }: Engine, journey: string): (outcome: JourneyOutcome) => void {
      const { journeys } = found.get(name)!;
      journeys[journey] = 'fails';
      return (outcome) => {
        journeys[journey] = outcome;
      };
    },
    keep(): void {
      if (!IS_LONG) return;
      const all = readJourneyRecord();
      for (const [name, { version, journeys }] of found) {
        const before = all[name]?.version === version ? all[name].journeys : {};
        all[name] = { version, journeys: { ...before, ...journeys } };
      }
      writeFileSync(RECORD_FILE, `${JSON.stringify(Object.fromEntries(Object.entries(all).sort()), undefined, 2)}\n`);
    },
  };
}
