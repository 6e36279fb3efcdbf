// Anchors and lists as a terminal and as JSON show them.
import { type AnchorDescription, describeAnchor } from '@limen/wallet';
import { printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../../command-line/terminal/terminal.ts';
import { withoutQuery } from '../../../platform/outbound/error.ts';
import type { KeptAnchor, KeptCrl } from '../../proofs/wallets/trust/folder.ts';
import type { KnownTrustList, TrustList } from '../../proofs/wallets/trust/lists.ts';
import { validityOf, validityOfCrl } from '../../proofs/wallets/trust/trusted-anchors.ts';

/** Enough to tell any two apart, and to type. */
const SHORT = 16;

export function shorten(fingerprint: string): string {
  return fingerprint.slice(0, SHORT);
}

export function anchorRecord({ file, list, anchor }: KeptAnchor, now: number): Record<string, unknown> {
  const described = describeAnchor(anchor);
  const { profile, name, country, fingerprint, notBefore, notAfter } = described;
  return { profile, name, country, fingerprint, notBefore, notAfter, state: validityOf(described, now), list, file };
}

/** A table with a bold heading, and every state but a valid one in yellow. */
function print(headings: readonly string[], rows: readonly (readonly string[])[], paint: Terminal['paint']): string {
  const state = {
    heading: 'STATE',
    paint: (text: string, value: string) => (value === 'valid' ? text : paint('yellow', text)),
  };
  const columns = headings.map((heading) => (heading === state.heading ? state : heading));
  return printTable(columns, rows, (text) => paint('bold', text));
}

export function printAnchors(kept: readonly KeptAnchor[], now: number, paint: Terminal['paint']): string {
  const rows = kept.map(({ file, list, anchor }) => {
    const described = describeAnchor(anchor);
    const { profile, country, fingerprint, notAfter, name } = described;
    return [
      profile,
      country ?? '-',
      shorten(fingerprint),
      printTime(notAfter.getTime()),
      validityOf(described, now).replaceAll('_', ' '),
      list === null ? file : `list ${list}`,
      name,
    ];
  });
  return print(['PROFILE', 'COUNTRY', 'FINGERPRINT', 'VALID UNTIL', 'STATE', 'FROM', 'NAME'], rows, paint);
}

export function printCrls(crls: readonly KeptCrl[], now: number, paint: Terminal['paint']): string {
  const rows = crls.map(({ file, profile, description }) => {
    const { revoked, thisUpdate, nextUpdate, name } = description;
    return [
      profile,
      String(revoked),
      printTime(thisUpdate.getTime()),
      nextUpdate ? printTime(nextUpdate.getTime()) : '-',
      validityOfCrl(description, now).replaceAll('_', ' '),
      file,
      name,
    ];
  });
  return print(['PROFILE', 'REVOKED', 'ISSUED', 'NEXT UPDATE', 'STATE', 'FROM', 'AUTHORITY'], rows, paint);
}

export function describeInFull({ name, country, fingerprint, notBefore, notAfter }: AnchorDescription) {
  return [
    ['name', name],
    ['country', country ?? '-'],
    ['fingerprint', fingerprint],
    ['valid from', printTime(notBefore.getTime())],
    ['valid until', printTime(notAfter.getTime())],
  ] as const;
}

export function listRecord(list: TrustList): Record<string, unknown> {
  const { name, profile, format, url, checkedAt, issuedAt, nextUpdate, without } = list;
  return { name, profile, format, url: withoutQuery(url), checkedAt, issuedAt, nextUpdate, without };
}

export function printLists(lists: readonly TrustList[], paint: Terminal['paint']): string {
  const rows = lists.map(({ name, profile, format, checkedAt, issuedAt, nextUpdate, url }) => [
    name,
    profile,
    format,
    printTime(Date.parse(checkedAt)),
    printTime(Date.parse(issuedAt)),
    nextUpdate === null ? '-' : printTime(Date.parse(nextUpdate)),
    withoutQuery(url),
  ]);
  return print(['NAME', 'PROFILE', 'FORMAT', 'CHECKED', 'ISSUED', 'NEXT UPDATE', 'FROM'], rows, paint);
}

export function printKnown(lists: readonly KnownTrustList[], paint: Terminal['paint']): string {
  const rows = lists.map((one) => [one.name, one.profile, one.format, one.url, one.providerAt, one.title]);
  return print(['NAME', 'PROFILE', 'FORMAT', 'ADDRESS', 'PROVIDER', 'LIST'], rows, paint);
}
