// `npm run test-wallet`: simulates a wallet for developers. All traffic uses HTTP as with a real
// one; only the key of the service's test issuer comes from its own folder.
import { nameElement, PROFILES, type Profile } from '@limen/wallet';
import { answerRequest, issueAttestation, type ReadLink, readLink, type TestIssuer } from '@limen/wallet/test-issuer';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../apps/server/src/command-line/command.ts';
import { withContext } from '../../apps/server/src/command-line/context.ts';
import { hasFile } from '../../apps/server/src/command-line/read-only.ts';
import { toPrintable } from '../../apps/server/src/command-line/terminal/print-table.ts';
import { sqliteFile } from '../../apps/server/src/platform/database/database.ts';
import { OutboundError } from '../../apps/server/src/platform/outbound/error.ts';
import {
  createOutbound,
  type Outbound,
  type OutboundReply,
} from '../../apps/server/src/platform/outbound/guarded-fetch.ts';
import { openTestIssuer } from '../../apps/server/src/sessions/proofs/wallets/trust/trusted-anchors.ts';

interface TestWalletOptions {
  age: number;
  decline?: true;
}

/** A link, and what the wallet fetched for it. */
type OpenedLink = Parameters<typeof readLink>[0];

interface Reply {
  status: number;
  text: string;
}

const USUAL_AGE = 30;
const MAX_BYTES = 64 * 1024;
/** The requesting service is usually the developer's own, on this machine. */
const PATIENCE = {
  allowPrivate: true,
  maxConcurrent: 1,
  headersTimeoutMs: 20_000,
  idleTimeoutMs: 5_000,
  totalTimeoutMs: 30_000,
  maxRedirects: 0,
};

export function addTestWallet(program: Command, cli: Cli): void {
  program
    .description(
      'Answer a link or QR code of a test session, as a wallet with an attestation of this service’s test issuer',
    )
    .argument('<link>', 'av://… or openid4vp://…, as the page lets you copy it; in quotes')
    .option('--age <years>', 'how old the person is', parseAge, USUAL_AGE)
    .option('--decline', 'the person says no')
    .addHelpText('after', '\nLive keys refuse what the test issuer vouches for.\n')
    .addHelpText(
      'after',
      examples("npm run test-wallet -- 'av://?client_id=…'", "npm run test-wallet -- 'av://?client_id=…' --age 16"),
    )
    .action((link: string, options: TestWalletOptions) => playWallet(cli, link, options));
}

async function playWallet(cli: Cli, text: string, { age, decline }: TestWalletOptions): Promise<void> {
  const { print } = cli.terminal;
  const address = requireLink(text);
  const outbound = createOutbound(PATIENCE);
  try {
    const link = await openLink(address, outbound);
    const asked = understand(link);
    const profile = Object.values(PROFILES).find(({ docType }) => docType === asked.docType);
    if (!profile) throw new CommandError('The link asks for a document that this wallet does not have.');
    const host = new URL(asked.responseUri).host;
    print(toPrintable(`Asked by ${host} for ${asked.asked.join(', ')} (${profile.id}, ${profile.docType}).`));
    const fields = decline ? { error: 'access_denied' } : await answer(cli, { link, profile, age });
    print(decline ? 'Sent: nothing, the person declined.' : describeSent(asked, age));
    report(cli, await post(outbound, asked.responseUri, fields), decline);
  } catch (error) {
    throw error instanceof OutboundError ? new CommandError(error.message) : error;
  } finally {
    await outbound.close();
  }
}

function requireLink(text: string): URL {
  const schemes = Object.values(PROFILES).map(({ linkScheme }) => `${linkScheme}:`);
  const link = URL.canParse(text) ? new URL(text) : undefined;
  if (!link || !schemes.includes(link.protocol)) {
    throw new CommandError('A link for a wallet begins with av:// or openid4vp://; put it in quotes.', {
      usage: true,
    });
  }
  return link;
}

/** OpenID4VP 1.0, 5: the request is in the link, or fetched from the URL in the link. */
async function openLink(link: URL, outbound: Outbound): Promise<OpenedLink> {
  const uri = link.searchParams.get('request_uri');
  if (uri === null) return { kind: 'link', link: link.href, requestObject: null };
  const { status, text } = await outbound.get(uri, {}, readReply);
  if (status !== 200) throw new CommandError(`The request cannot be had: ${describeReply({ status, text })}`);
  return { kind: 'link', link: link.href, requestObject: text };
}

function understand(link: OpenedLink): ReadLink {
  try {
    return readLink(link);
  } catch {
    throw new CommandError('The link is not whole, or asks for something that this wallet does not understand.');
  }
}

async function answer(
  cli: Cli,
  { link, profile, age }: { link: OpenedLink; profile: Profile; age: number },
): Promise<Record<string, unknown>> {
  const elements = Object.fromEntries(profile.ages.map((one) => [nameElement(one), age >= one]));
  const issuer = await findIssuer(cli, profile);
  const attestation = await issueAttestation(issuer, { elements, now: new Date(cli.clock.now()) });
  return (await answerRequest(link, attestation)).fields;
}

/** Its keys are derived from the secret in the service's folder and database. */
async function findIssuer(cli: Cli, { id }: Profile): Promise<TestIssuer> {
  const { DATABASE_URL, DATA_DIR } = requireConfig(cli);
  if (DATABASE_URL === undefined && !hasFile(sqliteFile(DATA_DIR))) {
    throw new CommandError('There is no service in DATA_DIR. Run the command where the service that asks was started.');
  }
  return withContext(cli, ({ sealer }) => openTestIssuer(id, sealer, cli.clock));
}

function post(outbound: Outbound, uri: string, fields: Record<string, unknown>): Promise<Reply> {
  const body = Buffer.from(new URLSearchParams(fields as Record<string, string>).toString());
  return outbound.post(uri, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }, readReply);
}

async function readReply(reply: OutboundReply): Promise<Reply> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body(MAX_BYTES)) chunks.push(chunk);
  return { status: reply.status, text: Buffer.concat(chunks).toString('utf8') };
}

function describeSent({ asked }: ReadLink, age: number): string {
  const sent = asked.map((name) => `${name} is ${age >= Number(name.slice(-2))}`).join(', ');
  return `Sent: ${sent}; signed by this service’s test issuer, and nothing else.`;
}

function report({ terminal }: Cli, reply: Reply, decline: true | undefined): void {
  if (reply.status !== 200) {
    throw new CommandError(
      `The service did not take it: ${describeReply(reply)} The page says what to do, the service’s log says why.`,
    );
  }
  const { redirect_uri: leadsTo } = readObject(reply.text);
  const next = decline ? 'leads back to the other ways' : 'goes on by itself';
  const where =
    typeof leadsTo === 'string'
      ? `Open this in the browser that showed the link:\n${toPrintable(leadsTo)}`
      : `The page that shows the code ${next}.`;
  terminal.print(`The service took it. ${where}`);
}

function describeReply({ status, text }: Reply): string {
  const { message } = readObject(text);
  return typeof message === 'string' ? toPrintable(`${status}, “${message}”`) : `${status}.`;
}

function readObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function parseAge(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It is not an age in years.');
  return Number(text);
}
