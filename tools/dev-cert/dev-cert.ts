// `npm run dev-cert`: a certificate for development, so that a phone in the same network may use its camera here.
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandFailure, configOf, examples } from '../../apps/server/src/cli/command.ts';
import { printFields, printTime } from '../../apps/server/src/cli/terminal/print-table.ts';
import type { Config } from '../../apps/server/src/config.ts';
import { type DevCertFolder, devCertFolder } from './files.ts';
import { parseName, readMachine } from './names.ts';
import { type Renewal, renewDevCert } from './renew.ts';

const MAX_GIVEN = 50;
const DEFAULT_PORT = 8080;

interface Options {
  new?: true;
  json?: true;
}

export function addDevCert(program: Command, cli: Cli): void {
  program
    .description('Make a development certificate, so that a phone on the same network can open the launch page')
    .addArgument(new Argument('[names...]', 'more host names and addresses to include').argParser(parseNames))
    .option('--new', 'start over with a new authority; a phone that trusts the old one will not trust it')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('npm run dev-cert', 'npm run dev-cert -- laptop.example.org 198.51.100.7'))
    .action((names: string[], options: Options) => makeDevCert(cli, names, options));
}

function parseNames(text: string, before: string[] = []): string[] {
  const name = parseName(text);
  if (name === undefined) throw new InvalidArgumentError('It is neither a host name nor an address.');
  if (before.length === MAX_GIVEN) throw new InvalidArgumentError(`At most ${MAX_GIVEN} names are allowed.`);
  return [...before, name];
}

async function makeDevCert(cli: Cli, given: string[] = [], options: Options): Promise<void> {
  // Before the rest of the configuration: in production much else may be missing here, and this is what matters.
  if (cli.environment['NODE_ENV']?.trim() === 'production') {
    throw new CommandFailure(
      'This certificate is for development only, but NODE_ENV is production. Use one from a public authority there.',
    );
  }
  const config = configOf(cli);
  const folder = devCertFolder(config.DATA_DIR);
  const startOver = options.new === true;
  const renewal = await renewDevCert({ folder, given, machine: readMachine(), startOver, now: cli.clock.now() });
  const address = originFor(renewal.names.lan[0] ?? 'localhost', config.PORT || DEFAULT_PORT);
  const environment = describeEnvironment(cli, config, folder, renewal, address);
  cli.terminal.print(
    options.json
      ? JSON.stringify(toJson(folder, renewal, environment, address), null, 2)
      : describe(folder, renewal, environment, address),
  );
}

/** What the service has to be started with; settings of this call that matter for it are repeated. */
function describeEnvironment(
  { environment }: Cli,
  config: Config,
  { server }: DevCertFolder,
  { names }: Renewal,
  address: string,
): Record<string, string> {
  const [lan] = names.lan;
  return {
    ...(environment['DATA_DIR']?.trim() && { DATA_DIR: config.DATA_DIR }),
    ...(config.PORT !== DEFAULT_PORT && { PORT: String(config.PORT || DEFAULT_PORT) }),
    ...(lan && { HOST: lan.includes(':') ? '::' : '0.0.0.0' }),
    TLS_CERT: server.certificate,
    TLS_KEY: server.key,
    PUBLIC_URL: address,
  };
}

function toJson(folder: DevCertFolder, renewal: Renewal, environment: Record<string, string>, address: string) {
  const { names, authority, certificate, authorityMade, certificateMade } = renewal;
  return {
    authority: {
      file: folder.authority.certificate,
      sha256: authority.fingerprint256,
      validUntil: new Date(authority.validTo).toISOString(),
      made: authorityMade !== undefined,
    },
    certificate: {
      names: [...names.dns, ...names.ip],
      validUntil: new Date(certificate.validTo).toISOString(),
      made: certificateMade !== undefined,
    },
    environment,
    address,
  };
}

function describe(folder: DevCertFolder, renewal: Renewal, environment: Record<string, string>, address: string) {
  const { names, authority, certificate, leftOut } = renewal;
  const assignments = Object.entries(environment).map(([name, value]) => `${name}=${quote(value)}`);
  const others = names.lan.slice(1);
  return [
    `${summarize(renewal)} For development only.`,
    '',
    printFields([
      ['for', [...names.dns, ...names.ip].join(', ')],
      ['valid until', printTime(Date.parse(certificate.validTo))],
      ['certificate', folder.server.certificate],
      ['key', folder.server.key],
    ]),
    '',
    ...(names.lan.length === 0
      ? ['This computer is not on a network, so no phone can reach it. Join one and run this again.', '']
      : []),
    ...(leftOut.length > 0
      ? [`Left out, as this authority may not vouch for it: ${leftOut.join(', ')} (--new starts over).`, '']
      : []),
    'Start the service with it:',
    '',
    `  ${assignments.join(' ')} npm start`,
    '',
    `Then open ${address}/demo here, start a check, and scan its code with a phone on the same network.`,
    ...(others.length > 0 ? [`If the phone cannot reach that address, try as PUBLIC_URL: ${others.join(', ')}.`] : []),
    '',
    'The browser warns, because it does not know who signed the certificate. Continue past the warning, or have the phone',
    'trust the authority: send it this file and install it as a CA certificate.',
    '',
    printFields([
      ['authority', folder.authority.certificate],
      ['sha-256', authority.fingerprint256],
      ['valid until', printTime(Date.parse(authority.validTo))],
    ]),
    '',
    'Never send anybody the .key file beside it, and remove the authority from the phone when you are done.',
    'Step by step: docs/phone.md',
  ].join('\n');
}

function summarize({ authorityMade, certificateMade }: Renewal): string {
  if (authorityMade !== undefined) {
    return `Made a new authority (${authorityMade}) and a certificate; a phone does not know this authority yet.`;
  }
  return certificateMade === undefined
    ? 'Authority and certificate are still good; nothing was changed.'
    : `Made a new certificate (${certificateMade}) with the same authority; restart the service.`;
}

function originFor(host: string, port: number): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function quote(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
