// Whether the clocks of the page behave as clocks do; virtual and frozen time do not.
import type { BrowserFacts } from './browser-facts.ts';

const READINGS = 50;

/** Longer than the 100 ms to which Firefox and Tor round their clocks when they hide from fingerprinting. */
const PAUSE_MS = 150;

/** A pause that seems shorter than this did not happen. Rounding to 100 ms leaves at least 100 of the 150. */
const LEAST_PAUSE_MS = 60;

/** Two clocks that are each rounded to 100 ms and jittered may differ by 200 over a pause. */
const MOST_DIFFERENCE_MS = 400;

/** A late timer is no sign: busy phones and hidden tabs have them. */
export async function behaveOddly(browser: BrowserFacts): Promise<boolean> {
  const readings = Array.from({ length: READINGS }, () => browser.performance.now());
  if (readings.some((reading, index) => !(reading >= (readings[index - 1] ?? 0)))) return true;

  const before = { page: browser.performance.now(), wall: browser.Date.now() };
  await new Promise<void>((resolve) => {
    browser.setTimeout(resolve, PAUSE_MS);
  });
  const pageMs = browser.performance.now() - before.page;
  const wallMs = browser.Date.now() - before.wall;
  // Negated, so that a clock that tells no number is odd too.
  return !(pageMs >= LEAST_PAUSE_MS && Math.abs(pageMs - wallMs) <= MOST_DIFFERENCE_MS);
}
