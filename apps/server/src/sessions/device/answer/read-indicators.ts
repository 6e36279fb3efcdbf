// What a device saw of its browser, as the host is told it.
import type { Indicators, SeenIndicators } from '@limen/contract';
import { INDICATOR_GROUPS, namesOf } from '@limen/plan';

/** The names that were seen become a yes or no for each; undefined when one of them is not known. */
export function readIndicators(seen: SeenIndicators): Indicators | null | undefined {
  if (seen === null) return null;
  const read = INDICATOR_GROUPS.map((group) => {
    const [names, raised]: [string[], string[]] = [namesOf(group), seen[group]];
    const isKnown = raised.every((name) => names.includes(name));
    return isKnown && [group, Object.fromEntries(names.map((name) => [name, raised.includes(name)]))];
  });
  return read.every((group) => group !== false) ? Object.fromEntries(read) : undefined;
}
