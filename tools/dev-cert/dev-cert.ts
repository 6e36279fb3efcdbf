// `npm run dev-cert`: a development certificate, so that a phone in the same network may use its
// camera here.
import { hostname, networkInterfaces } from 'node:os';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../apps/server/src/command-line/command.ts';
import { printFields, printTime } from '../../apps/server/src/command-line/terminal/print-table.ts';
import { type Renewal, renewDevCert } from './certificates.ts';
import { parseName } from './names.ts';

const MAX_GIVEN = 50;
const DEFAULT_PORT = 8080;

export function addDevCert(program: Command, cli: Cli): void {
  program
    .description('Make a development certificate, so that a phone on the same network can open the launch page')
    .addArgument(new Argument('[names...]', 'more host names and addresses to include').argParser(parseNames))
    .option('--new', 'start over with a new authority; a phone that trusts the old one will not trust it')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('npm run dev-cert', 'npm run dev-cert -- laptop.example.org 198.51.100.7'))
    .action((names: string[] | undefined, options: { new?: true; json?: true }) => makeDevCert(cli, names, options));
}

function parseNames(text: string, before: string[] = []): string[] {
  const name = parseName(text);
  if (name === undefined) throw new InvalidArgumentError('It is neither a host name nor an address.');
  if (before.length === MAX_GIVEN) throw new InvalidArgumentError(`At most ${MAX_GIVEN} names are allowed.`);
  return [...before, name];
}

async function makeDevCert(cli: Cli, extraNames: string[] = [], options: { new?: true; json?: true }): Promise<void> {
  const { environment: set, clock, terminal } = cli;
  // Checked before the rest of the configuration, which may be incomplete in production.
  if (set['NODE_ENV']?.trim() === 'production') {
    throw new CommandError(
      'This certificate is for development only, but NODE_ENV is production. Use one from a public authority there.',
    );
  }
  const { DATA_DIR: dataDir, PORT } = requireConfig(cli);
  const machine = { hostname: hostname(), interfaces: networkInterfaces() };
  const renewal = await renewDevCert({
    dataDir,
    machine,
    given: extraNames,
    startOver: options.new === true,
    now: clock.now(),
  });
  const { files, names, authority, certificate } = renewal;
  const [lan = 'localhost'] = names.lan;
  const port = PORT || DEFAULT_PORT;
  const address = `https://${lan.includes(':') ? `[${lan}]` : lan}:${port}`;
  const environment: Record<string, string> = {
    ...(set['DATA_DIR']?.trim() && { DATA_DIR: dataDir }),
    ...(port !== DEFAULT_PORT && { PORT: String(port) }),
    ...(names.lan.length > 0 && { HOST: lan.includes(':') ? '::' : '0.0.0.0' }),
    TLS_CERT: files.server.certificate,
    TLS_KEY: files.server.key,
    PUBLIC_URL: address,
  };
  if (!options.json) return terminal.print(describe(renewal, environment, address));
  const json = {
    authority: {
      file: files.authority.certificate,
      sha256: authority.fingerprint256,
      validUntil: new Date(authority.validTo).toISOString(),
      made: renewal.authorityMade !== undefined,
    },
    certificate: {
      names: [...names.dns, ...names.ip],
      validUntil: new Date(certificate.validTo).toISOString(),
      made: renewal.certificateMade !== undefined,
    },
    environment,
    address,
  };
  terminal.print(JSON.stringify(json, null, 2));
}

function describe(renewal: Renewal, environment: Record<string, string>, address: string): string {
  const { files, names, authority, certificate, leftOut } = renewal;
  const furtherAddresses = names.lan.slice(1).join(', ');
  return `${summarize(renewal)} For development only.

${printFields([
  ['for', [...names.dns, ...names.ip].join(', ')],
  ['valid until', printTime(Date.parse(certificate.validTo))],
  ['certificate', files.server.certificate],
  ['key', files.server.key],
])}
${names.lan.length === 0 ? '\nThis computer is not on a network, so no phone can reach it. Join one and run this again.\n' : ''}${
  leftOut.length > 0
    ? `\nLeft out, as this authority may not vouch for it: ${leftOut.join(', ')} (--new starts over).\n`
    : ''
}
Start the service with it:

  ${Object.entries(environment)
    .map(([name, value]) => `${name}=${quote(value)}`)
    .join(' ')} npm start

Then open ${address}/demo here, start a check, and scan its code with a phone on the same network.${
    furtherAddresses && `\nIf the phone cannot reach that address, try as PUBLIC_URL: ${furtherAddresses}.`
  }

The browser warns, because it does not know who signed the certificate. Continue past the warning, or have the phone
trust the authority: send it this file and install it as a CA certificate.

${printFields([
  ['authority', files.authority.certificate],
  ['sha-256', authority.fingerprint256],
  ['valid until', printTime(Date.parse(authority.validTo))],
])}

Never send anyone the .key file next to it, and remove the authority from the phone when you are done.
Step by step: docs/launch-page.md, On a phone`;
}

function summarize({ authorityMade, certificateMade }: Renewal): string {
  if (authorityMade)
    return `Made a new authority (${authorityMade}) and a certificate; a phone does not know this authority yet.`;
  return certificateMade
    ? `Made a new certificate (${certificateMade}) with the same authority; restart the service.`
    : 'Authority and certificate are still good; nothing was changed.';
}

function quote(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
