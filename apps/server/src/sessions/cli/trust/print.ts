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

export function printAnchors(kept: readonly KeptAnchor[], now: number, paint: Terminal['paint']): string {
  const columns = [
    { heading: 'PROFILE' },
    { heading: 'COUNTRY' },
    { heading: 'FINGERPRINT' },
    { heading: 'VALID UNTIL' },
    {
      heading: 'STATE',
      paint: (text: string, value: string) => (value === 'valid' ? text : paint('yellow', text)),
    },
    { heading: 'FROM' },
    { heading: 'NAME' },
  ];
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
  return printTable(columns, rows, (text) => paint('bold', text));
}

export function printCrls(crls: readonly KeptCrl[], now: number, paint: Terminal['paint']): string {
  const columns = [
    { heading: 'PROFILE' },
    { heading: 'REVOKED' },
    { heading: 'ISSUED' },
    { heading: 'NEXT UPDATE' },
    {
      heading: 'STATE',
      paint: (text: string, value: string) => (value === 'valid' ? text : paint('yellow', text)),
    },
    { heading: 'FROM' },
    { heading: 'AUTHORITY' },
  ];
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
  return printTable(columns, rows, (text) => paint('bold', text));
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
  const columns = ['NAME', 'PROFILE', 'FORMAT', 'CHECKED', 'ISSUED', 'NEXT UPDATE', 'FROM'].map((heading) => ({
    heading,
  }));
  const rows = lists.map(({ name, profile, format, checkedAt, issuedAt, nextUpdate, url }) => [
    name,
    profile,
    format,
    printTime(Date.parse(checkedAt)),
    printTime(Date.parse(issuedAt)),
    nextUpdate === null ? '-' : printTime(Date.parse(nextUpdate)),
    withoutQuery(url),
  ]);
  return printTable(columns, rows, (text) => paint('bold', text));
}

export function printKnown(lists: readonly KnownTrustList[], paint: Terminal['paint']): string {
  const columns = ['NAME', 'PROFILE', 'FORMAT', 'ADDRESS', 'PROVIDER', 'LIST'].map((heading) => ({ heading }));
  const rows = lists.map((one) => [one.name, one.profile, one.format, one.url, one.providerAt, one.title]);
  return printTable(columns, rows, (text) => paint('bold', text));
}
