// What led from one finding to the next, list by list: an entity that several have is changed by any of them.
import type { EntryChange, ScreeningAlert } from '@limen/contract';
import { compareMatches } from './compare-matches.ts';
import type { Finding, OtherEntry } from './contents.ts';
import { ownHashOf } from './diff-hits.ts';

type Said = Pick<ScreeningAlert, 'changes' | 'others'>;

/** `others` are entries of other lists than that of what was found, and only those that came, changed or went. */
export function compareFindings(before: Finding, after: Finding): Said {
  const [had, has] = [entriesOf(before), entriesOf(after)];
  const changes = [...has].flatMap(([list, now]) => {
    const old = had.get(list);
    if (!old || old.entryHash === now.entryHash) return [];
    const changed = compareMatches(old.entry, now.entry).filter(({ field }) => field !== 'datasets');
    return list === after.list ? changed : changed.map((one) => ({ ...one, list }));
  });
  const named = compareMatches(before.match, after.match).filter(({ field }) => field === 'datasets');
  const others = [...new Map([...had, ...has])].flatMap(([list, entry]) =>
    list === after.list || had.get(list)?.entryHash === has.get(list)?.entryHash ? [] : [entry],
  );
  return nonEmpty({ changes: [...changes, ...named], others });
}

function nonEmpty({ changes, others }: { changes: EntryChange[]; others: OtherEntry[] }): Said {
  return { ...(changes.length > 0 && { changes }), ...(others.length > 0 && { others }) };
}

function entriesOf(finding: Finding): Map<string, Required<OtherEntry>> {
  const { list, listVersion, match, others } = finding;
  const { matchedName: _, score: __, nameScore: ___, explanation: ____, ...entry } = match;
  return new Map(
    [...others, { list, listVersion, entryHash: ownHashOf(finding), entry }].map((one) => [one.list, one]),
  );
}
