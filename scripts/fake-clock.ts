// Gives a process a different time with the library libfaketime.
import { writeFileSync } from 'node:fs';

export interface FakeClock {
  environment: Record<string, string>;
  /** Sets the clock of processes with this environment. Running ones follow within a second. */
  set(bySeconds: number): void;
}

export function createFakeClock(library: string, file: string): FakeClock {
  const set = (bySeconds: number) => writeFileSync(file, `${bySeconds < 0 ? '' : '+'}${bySeconds}`);
  set(0);
  return {
    set,
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // A machine's clock change does not affect its monotonic time either.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
}
