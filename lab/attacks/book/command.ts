// The command: parses options, opens the stage, plays the classes, prints the table, and returns
// the exit code.
import { parseArgs } from 'node:util';
import { ATTACK_CLASSES } from './all-classes.ts';
import { type AttackClass, type Need, PLAYED_WITH } from './attack-class.ts';
import type { HostKey } from './host.ts';
import { openOwnService } from './own-service.ts';
import { countOf, isSound, type Played, playClass } from './play.ts';
import { printAccepted, printTable, toJson } from './print.ts';
import { openStage, type Stage } from './stage.ts';

const countOfNeeds = (...needs: Need[]) => ATTACK_CLASSES.filter((attack) => needs.includes(attack.needs)).length;

const HELP = `Plays the attack book against a running service and prints one table.

  npm run attacks                                  against a service of its own
  npm run attacks -- --url URL --key KEY           against yours, with one of its test keys

Without a key it plays ${countOfNeeds('nobody')} of its ${ATTACK_CLASSES.length} classes, with one ${countOfNeeds('nobody', 'a test key')}, and against a service of its own all of them; --list says which.
Instead of --key you can set LIMEN_API_KEY; if the key has client credentials, also LIMEN_CLIENT_ID and LIMEN_CLIENT_SECRET.

Options
  --only NAMES     classes to play, separated by commas
  --attempts N     at most this many attempts of each class
  --minutes N      stop after this many minutes (20); a whole run takes about ten on two busy cores
  --json           print JSON instead of the table (use npm run -s, or npm adds lines of its own)
  --list           list the classes and what each is played with, and play none

Exit code: 0 everything was refused, 1 something was accepted or could not be played, 2 wrong usage or no answer.`;

/** Timeout per class, even on a busy machine. */
const SECONDS_PER_CLASS = 120;
const LIVE_KEY = /^limen_live_/;

export interface Terminal {
  print(text: string): void;
  /** Progress output. */
  tell(text: string): void;
}

export interface Book {
  classes: readonly AttackClass[];
  openOwn: () => Promise<Stage>;
}

/** From the environment, because arguments are visible in process lists. */
type Environment = Readonly<Record<string, string | undefined>>;

const OWN_BOOK: Book = { classes: ATTACK_CLASSES, openOwn: () => openOwnService() };

class WrongCall extends Error {}

export async function runAttacks(
  args: string[],
  terminal: Terminal,
  book: Book = OWN_BOOK,
  environment: Environment = process.env,
): Promise<number> {
  try {
    return await run(args, terminal, book, environment);
  } catch (error) {
    if (!(error instanceof WrongCall)) throw error;
    terminal.tell(`${error.message}\n`);
    return 2;
  }
}

async function run(
  args: string[],
  terminal: Terminal,
  { classes, openOwn }: Book,
  environment: Environment,
): Promise<number> {
  const options = readOptions(args);
  if (options.help) return say(terminal, HELP);
  const chosen = choose(classes, options.only);
  if (options.list) return say(terminal, chosen.map(describe).join('\n'));
  const until = performance.now() + Number(options.minutes) * 60_000;
  const key = readKey(options.key, environment);
  const stage = options.url === undefined ? await openOwn() : await openTarget(options.url, key);
  const has: Need[] = ['nobody'];
  if (options.url === undefined) has.push('a test key', 'many keys');
  else if (key !== undefined) has.push('a test key');
  const played: Played[] = [];
  const late: AttackClass[] = [];
  try {
    for (const [index, attack] of chosen.entries()) {
      if (!has.includes(attack.needs) || attack.lacks?.() !== undefined) continue;
      if (performance.now() >= until) {
        late.push(attack);
        continue;
      }
      terminal.tell(`${index + 1}/${chosen.length} ${attack.name} … `);
      const seconds = Math.min(SECONDS_PER_CLASS, (until - performance.now()) / 1_000);
      const result = await playClass(attack, stage, {
        secondsPerClass: seconds,
        ...(options.attempts !== undefined && { attempts: Number(options.attempts) }),
      });
      played.push(result);
      terminal.tell(`${summary(result)}\n`);
    }
  } finally {
    await stage.close();
  }
  const left = chosen.filter(({ needs, lacks }) => !has.includes(needs) || lacks?.() !== undefined);
  const short = tellShort(played, late, performance.now() >= until ? options.minutes : undefined);
  terminal.print(options.json ? JSON.stringify(toJson(played, late), null, 2) : printTable(played));
  if (options.json) for (const line of short) terminal.tell(`${line}\n`);
  else for (const line of [...verdict(played, left), ...short]) terminal.print(line);
  return played.length > 0 && late.length === 0 && played.every(isSound) ? 0 : 1;
}

function readOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        url: { type: 'string' },
        key: { type: 'string' },
        only: { type: 'string' },
        attempts: { type: 'string' },
        minutes: { type: 'string', default: '20' },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    for (const name of ['attempts', 'minutes'] as const) {
      if (values[name] !== undefined && !/^[1-9]\d{0,3}$/.test(values[name])) {
        throw new WrongCall(`--${name} must be a whole number from 1 to 9999.`);
      }
    }
    return values;
  } catch (error) {
    throw error instanceof WrongCall ? error : new WrongCall(`${(error as Error).message}\n\n${HELP}`);
  }
}

function choose(classes: readonly AttackClass[], only: string | undefined): readonly AttackClass[] {
  if (only === undefined) return classes;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.filter((wanted) => !classes.some(({ name }) => name === wanted));
  if (unknown.length > 0) throw new WrongCall(`There is no class ${unknown.join(', ')}; --list shows them all.`);
  return classes.filter(({ name }) => names.includes(name));
}

function describe({ name, needs, prevents }: AttackClass): string {
  return `${name} (${PLAYED_WITH[needs]}): ${prevents}`;
}

function readKey(keyArgument: string | undefined, environment: Environment): HostKey | undefined {
  const [clientId, clientSecret] = [environment['LIMEN_CLIENT_ID'], environment['LIMEN_CLIENT_SECRET']];
  if ((clientId === undefined) !== (clientSecret === undefined)) {
    throw new WrongCall('LIMEN_CLIENT_ID and LIMEN_CLIENT_SECRET belong together: set both, or neither.');
  }
  const apiKey = keyArgument ?? environment['LIMEN_API_KEY'];
  return apiKey === undefined ? undefined : { apiKey, clientId, clientSecret };
}

/** Remote services can only be attacked with their test keys, never in their live world. */
async function openTarget(url: string, key: HostKey | undefined): Promise<Stage> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new WrongCall('--url must be http or https.');
  const { hostname } = new URL(url);
  if (key === undefined && !isLoopback(hostname)) {
    throw new WrongCall('Another machine is attacked only with a test key of the service there: --key KEY.');
  }
  if (key && LIVE_KEY.test(key.apiKey)) throw new WrongCall('This is a live key. Give a test key.');
  const stage = openStage({ url, key });
  await requireAnswer(stage);
  if (key) await requireTestKey(stage);
  return stage;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Without a service, no attack is refused either. */
async function requireAnswer(stage: Stage): Promise<void> {
  const why = await stage.speaker.send({ method: 'GET', path: '/health' }).then(
    ({ status, label }) => (status === 0 ? label : undefined),
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  if (why === undefined) return;
  await stage.close();
  throw new WrongCall(`Nothing answers at ${stage.url} (${why}). Start the service, or pass its address with --url.`);
}

/** A successful simulation proves the kind of the key: live keys cannot simulate. */
async function requireTestKey(stage: Stage): Promise<void> {
  const { host } = stage;
  const created = await host.call('POST', '/session', {});
  if (created.status !== 201) {
    await stage.close();
    throw new WrongCall(`The service does not accept this key: ${created.label}.`);
  }
  const { token } = created.json<{ token: string }>();
  const { status } = await host.call('POST', `/session/${token}/simulate`, { outcome: 'cancelled' });
  await host.call('DELETE', `/session/${token}`);
  if (status !== 200) {
    await stage.close();
    throw new WrongCall('This is no test key; the attacks are played in the test world only.');
  }
  const { headers } = await host.call('GET', '/v2/webhook-deliveries');
  if (headers['x-error-code'] !== 'invalid_client_credentials') return;
  await stage.close();
  throw new WrongCall('This key has client credentials: set LIMEN_CLIENT_ID and LIMEN_CLIENT_SECRET.');
}

function say(terminal: Terminal, text: string): number {
  terminal.print(text);
  return 0;
}

function summary({ attempts, accepted, trouble, milliseconds }: Played): string {
  const seconds = (milliseconds / 1_000).toFixed(1);
  if (trouble !== undefined) return `could not be played: ${trouble}`;
  return `${attempts} attempts, ${countOf(accepted)} accepted, ${seconds} s`;
}

function verdict(played: readonly Played[], left: readonly AttackClass[]): string[] {
  const attempts = played.reduce((sum, result) => sum + result.attempts, 0);
  const accepted = played.reduce((sum, result) => sum + countOf(result.accepted), 0);
  return [
    '',
    `${played.length} classes, ${attempts} attempts, ${accepted} accepted.`,
    ...printAccepted(played).map((line) => `ACCEPTED ${line}`),
    ...played.flatMap(({ name, trouble }) => (trouble === undefined ? [] : [`NOT PLAYED ${name}: ${trouble}`])),
    ...left.flatMap(({ name, lacks }) => {
      const lacking = lacks?.();
      return lacking === undefined ? [] : [`Left out, because ${lacking}: ${name}.`];
    }),
    ...leftOut(left, 'many keys', 'they are played only against a service of its own (without --url)'),
    ...leftOut(left, 'a test key', 'they need a test key (--key)'),
    'Attacks known to pass are listed in docs/reference/attacks.md.',
  ];
}

function leftOut(left: readonly AttackClass[], need: Need, why: string): string[] {
  const names = left.filter(({ needs, lacks }) => needs === need && lacks?.() === undefined).map(({ name }) => name);
  return names.length === 0 ? [] : [`Left out, because ${why}: ${names.join(', ')}.`];
}

/** Reports what there was no time for. `minutes` only if all were limited by time. */
function tellShort(played: readonly Played[], late: readonly AttackClass[], minutes: string | undefined): string[] {
  const cut = played.flatMap(({ name, attempts, cutShort }) =>
    cutShort === undefined ? [] : [`${name} (${attempts} of ${attempts + cutShort} attempts)`],
  );
  return [
    ...(late.length === 0 ? [] : [`NOT PLAYED, for lack of time: ${late.map(({ name }) => name).join(', ')}.`]),
    ...(cut.length === 0 ? [] : [`CUT SHORT: ${cut.join(', ')}.`]),
    ...(minutes === undefined || cut.length + late.length === 0
      ? []
      : [`The time was up (--minutes ${minutes}). Give more with --minutes.`]),
  ];
}
