// `limen trust`: manages the authorities whose wallets are trusted. Lists of authorities are in lists.ts.
import { describeAnchor, faultOfAnchor, PROFILES, type ProfileId, readAnchors, type TrustAnchor } from '@limen/wallet';
import { Argument, type Command } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../../command-line/command.ts';
import { recordBeside } from '../../../command-line/context.ts';
import { printFields, printTable, printTime, toPrintable } from '../../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../../command-line/terminal/terminal.ts';
import { createTrustFolder, type StoredAnchor, type StoredCrl } from '../../proofs/wallets/trust/folder.ts';
import { createTrustListStore } from '../../proofs/wallets/trust/lists.ts';
import { checkValidity, shortFingerprint, validityOfCrl } from '../../proofs/wallets/trust/trusted-anchors.ts';
import { addTrustListCommands, readPemFile } from './lists.ts';

const NOBODY = 'No authority is trusted yet, so sessions of live keys offer no wallet. Add one with: limen trust add';
const PICKED_UP = 'A server running on this folder uses it within a few seconds.';

export function addTrustCommands(program: Command, cli: Cli): void {
  const trust = program
    .command('trust')
    .description('Authorities whose wallets are trusted: list, add, remove; lists of them: add-list, sync, lists');

  trust
    .command('list')
    .description('List trusted authorities, files of revoked certificates, and unusable files')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen trust list'))
    .action((options: { json?: true }) => listAnchors(cli, options));

  trust
    .command('add')
    .description('Trust an authority for one kind of proof')
    .addArgument(new Argument('<profile>', 'what it vouches for').choices(Object.keys(PROFILES)))
    .argument('<file>', 'its certificate as PEM; several in one file are added together, or not at all')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen trust add eu_age issuer-root.pem', 'limen trust add mdl iaca.pem'))
    .action((profile: ProfileId, file: string, options: { json?: true }) => addAnchors(cli, profile, file, options));

  trust
    .command('remove')
    .description('Remove a trusted authority; a list does not add it again')
    .argument('<fingerprint>', 'the certificate’s SHA-256 or how it begins, as shown by: limen trust list')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen trust remove 3f9a61c0d2b47e85'))
    .action((fingerprint: string, options: { json?: true }) => removeAnchor(cli, fingerprint, options));

  addTrustListCommands(trust, cli);
}

async function listAnchors(cli: Cli, { json }: { json?: true }): Promise<void> {
  const { print, complain, paint } = cli.terminal;
  const { kept, crls, problems } = await createTrustFolder(requireConfig(cli).DATA_DIR).read();
  for (const { file, sentence } of problems) complain(paint('red', toPrintable(`${file}: ${sentence}`)));
  const now = cli.clock.now();
  const records = kept.map((anchor) => anchorRecord(anchor, now));
  if (json) return print(JSON.stringify(records, null, 2));
  print(kept.length > 0 ? printAnchors(records, paint) : NOBODY);
  if (crls.length > 0) print(`\n${printCrls(crls, now, paint)}`);
}

async function addAnchors(cli: Cli, profile: ProfileId, file: string, { json }: { json?: true }): Promise<void> {
  const anchors = await readPemFile(file, (pem) => readAnchors(pem, profile));
  const now = cli.clock.now();
  for (const anchor of anchors) requireUsable(anchor, now);
  const folder = createTrustFolder(requireConfig(cli).DATA_DIR);
  const described = anchors.map(describeAnchor);
  const fingerprints = new Set(described.map(({ fingerprint }) => fingerprint));
  await recordBeside(cli, 'trust.add', [profile, ...fingerprints].join(' '));
  const { added } = await folder.add(anchors);
  const { print, complain } = cli.terminal;
  if (json) {
    const records = (await folder.read()).kept.map((kept) => anchorRecord(kept, now));
    const named = records.filter((record) => record.profile === profile && fingerprints.has(record.fingerprint));
    return print(JSON.stringify({ added, anchors: named }, null, 2));
  }
  for (const { name, country, fingerprint, notBefore, notAfter } of described) {
    const fields = [
      ['name', name],
      ['country', country ?? '-'],
      ['fingerprint', fingerprint],
      ['valid from', printTime(notBefore.getTime())],
      ['valid until', printTime(notAfter.getTime())],
    ] as const;
    print(`${printFields(fields)}\n`);
  }
  if (added === 0) return print(`Already trusted for ${profile}; nothing changed.`);
  print(`Trusted for ${profile}: ${added} more. ${PICKED_UP}`);
  for (const anchor of described.filter((anchor) => checkValidity(anchor, now) === 'not_yet_valid')) {
    complain(`It is not valid before ${printTime(anchor.notBefore.getTime())}.`);
  }
}

function requireUsable(anchor: TrustAnchor, now: number): void {
  const described = describeAnchor(anchor);
  const which = toPrintable(described.name);
  if (checkValidity(described, now) === 'expired') {
    throw new CommandError(`${which} expired on ${printTime(described.notAfter.getTime())}. Nothing was added.`);
  }
  if (!anchor.certificate.uses?.signsCertificates) {
    throw new CommandError(`${which} may not sign certificates: its key usage does not say so. Nothing was added.`);
  }
  const begins = Math.max(now, described.notBefore.getTime());
  if (faultOfAnchor(anchor, new Date(begins)) === 'certificate_critical_extension') {
    throw new CommandError(`${which} has a critical extension that is not understood here. Nothing was added.`);
  }
}

async function removeAnchor(cli: Cli, prefix: string, { json }: { json?: true }): Promise<void> {
  const { DATA_DIR } = requireConfig(cli);
  const folder = createTrustFolder(DATA_DIR);
  const fingerprintOf = ({ anchor }: StoredAnchor) => describeAnchor(anchor).fingerprint;
  const { kept: all } = await folder.read();
  const fingerprint = chooseFingerprint(all.map(fingerprintOf), prefix);
  const found = all.filter((kept) => fingerprintOf(kept) === fingerprint);
  await recordBeside(cli, 'trust.remove', fingerprint);
  const store = createTrustListStore(DATA_DIR);
  for (const list of (await store.read()).lists.filter(({ name }) => found.some((kept) => kept.list === name))) {
    // First, so that a concurrent refresh does not bring it back.
    await store.write({ ...list, without: [...new Set([...list.without, fingerprint])] });
  }
  for (const kept of found) await folder.remove(kept);
  if (json) return cli.terminal.print(JSON.stringify({ fingerprint, removed: found.length }, null, 2));
  const profiles = [...new Set(found.map(({ anchor }) => anchor.profile))].join(', ');
  const names = [...new Set(found.map(({ anchor }) => describeAnchor(anchor).name))].join();
  cli.terminal.print(
    `Removed ${toPrintable(names)} (${shortFingerprint(fingerprint)}) from ${profiles}; a server running on this folder trusts it no longer within a few seconds.`,
  );
}

const LEAST_DIGITS = 6;

/** Accepts upper case and colons. Throws for unknown and ambiguous prefixes. */
export function chooseFingerprint(fingerprints: readonly string[], text: string): string {
  const prefix = text.replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]+$/.test(prefix) || prefix.length < LEAST_DIGITS) {
    const sentence = `A fingerprint begins with at least ${LEAST_DIGITS} of the digits 0 to 9 and a to f.`;
    throw new CommandError(sentence, { usage: true });
  }
  const [found, ...more] = new Set(fingerprints.filter((fingerprint) => fingerprint.startsWith(prefix)));
  if (found === undefined) throw new CommandError('No trusted authority has this fingerprint; see: limen trust list');
  if (more.length > 0) {
    throw new CommandError('Several authorities have a fingerprint that begins like this; give more of it.');
  }
  return found;
}

function anchorRecord({ file, list, anchor }: StoredAnchor, now: number) {
  const described = describeAnchor(anchor);
  const { profile, name, country, fingerprint, notBefore, notAfter } = described;
  return { profile, name, country, fingerprint, notBefore, notAfter, state: checkValidity(described, now), list, file };
}

/** Prints a table with a bold heading, and every state but a valid one in yellow. */
function printStates(headings: readonly string[], rows: readonly string[][], paint: Terminal['paint']): string {
  const paintState = (text: string, value: string) => (value === 'valid' ? text : paint('yellow', text));
  const columns = headings.map((heading) => (heading === 'STATE' ? { heading, paint: paintState } : heading));
  return printTable(columns, rows, (text) => paint('bold', text));
}

function printAnchors(records: readonly ReturnType<typeof anchorRecord>[], paint: Terminal['paint']): string {
  const rows = records.map(({ profile, country, fingerprint, notAfter, state, list, file, name }) => [
    profile,
    country ?? '-',
    shortFingerprint(fingerprint),
    printTime(notAfter.getTime()),
    state.replaceAll('_', ' '),
    list === null ? file : `list ${list}`,
    name,
  ]);
  return printStates(['PROFILE', 'COUNTRY', 'FINGERPRINT', 'VALID UNTIL', 'STATE', 'FROM', 'NAME'], rows, paint);
}

function printCrls(crls: readonly StoredCrl[], now: number, paint: Terminal['paint']): string {
  const rows = crls.map(({ file, profile, description }) => [
    profile,
    String(description.revoked),
    printTime(description.thisUpdate.getTime()),
    description.nextUpdate ? printTime(description.nextUpdate.getTime()) : '-',
    validityOfCrl(description, now).replaceAll('_', ' '),
    file,
    description.name,
  ]);
  return printStates(['PROFILE', 'REVOKED', 'ISSUED', 'NEXT UPDATE', 'STATE', 'FROM', 'AUTHORITY'], rows, paint);
}
