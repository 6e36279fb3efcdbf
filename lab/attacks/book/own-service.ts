// The book's own service: a process on a free port with a temporary folder and keys created by the
// command line.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTerminal } from '../../../apps/server/src/command-line/terminal/terminal.ts';
import { runCli } from '../../../apps/server/src/commands.ts';
import { systemClock } from '../../../apps/server/src/platform/base/clock.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

const START = fileURLToPath(new URL('../../../apps/server/bin/start.js', import.meta.url));
const START_MS = 60_000;
/** A host name, because browsers create no passkeys for IP addresses. */
const PAGE_ORIGIN = 'http://localhost:8080';

/** File in its folder with the offset of the service's clock. */
const LATER_FILE = 'later-by-ms';
const MOVED_CLOCK = encodeURIComponent(
  `import { readFileSync } from 'node:fs';
   const real = Date.now, file = process.env.DATA_DIR + '/${LATER_FILE}';
   const later = () => { try { return Number(readFileSync(file, 'utf8')); } catch { return 0; } };
   Date.now = () => real() + later();`,
);
/** Settings for `another` that enable `passTime`. */
export const MOVABLE_CLOCK = { NODE_OPTIONS: `--import=data:text/javascript,${MOVED_CLOCK}` };

/** `environment`: additional settings. */
export async function openOwnService(environment: Record<string, string> = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'limen-attacks-'));
  const settings = {
    NODE_ENV: 'test',
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    LOG_LEVEL: 'fatal',
    WEBHOOK_ALLOW_PRIVATE: 'false',
    PASSKEY_RP_ID: 'localhost',
    PASSKEY_ORIGIN: PAGE_ORIGIN,
    // Attackers from one address must reach the limits on faces, not on requests.
    NODE_RATE_LIMIT: '10000',
    NODE_RATE_BURST: '10000',
    ...environment,
  };
  const child = spawn(process.execPath, [START], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const close = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = await listeningAddress(child);
    const keys = keyMaker(settings);
    const key = await keys.makeKey({ kind: 'test', clientCredentials: false });
    const passTime = (ms: number) => writeFileSync(join(folder, LATER_FILE), String(ms));
    const mine = { close, key, ...keys, passTime, openAnother: openOwnService };
    return openStage({ url, pageOrigin: PAGE_ORIGIN, folder, ...mine });
  } catch (error) {
    await close();
    throw error;
  }
}

function listeningAddress({ stdout, stderr }: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let complained = '';
    const timer = setTimeout(() => reject(new Error('the service does not start')), START_MS);
    stderr?.on('data', (text) => (complained += text));
    stdout?.on('data', (text) => {
      output += text;
      const address = /^listening on (\S+)$/m.exec(output)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    stdout?.once('close', () => {
      clearTimeout(timer);
      reject(new Error(`the service ended: ${complained}`));
    });
  });
}

/** `limen keys` in this process, which works next to a running service. */
function keyMaker(
  environment: Record<string, string>,
): Required<Pick<StageOptions, 'makeKey' | 'revokeKey' | 'endAgeKeys'>> {
  const ids = new Map<string, string>();
  return {
    async makeKey({ kind, customer, clientCredentials }) {
      const made = JSON.parse(
        await limen(environment, [
          ...['keys', 'create', '--json', '--kind', kind, '--label', 'Attack book'],
          ...(customer === undefined ? [] : ['--customer', customer]),
          ...(clientCredentials ? [] : ['--no-client-credentials']),
        ]),
      ) as { id: string; api_key: string; client_id?: string | null; client_secret?: string };
      ids.set(made.api_key, made.id);
      return { apiKey: made.api_key, clientId: made.client_id ?? undefined, clientSecret: made.client_secret };
    },
    async revokeKey(apiKey) {
      await limen(environment, ['keys', 'revoke', ids.get(apiKey) ?? '']);
    },
    async endAgeKeys(apiKey) {
      await limen(environment, ['age-keys', 'revoke', '--key', ids.get(apiKey) ?? '', '--since', '2026-01', '--yes']);
    },
  };
}

async function limen(environment: Record<string, string>, args: string[]): Promise<string> {
  const output = { stdout: '', stderr: '' };
  const terminal = createTerminal({
    out: { write: (text) => (output.stdout += text) },
    err: { write: (text) => (output.stderr += text) },
    colour: false,
    readInput: async () => '',
  });
  const code = await runCli(args, { environment, clock: systemClock, terminal });
  if (code !== 0) throw new Error(`limen ${args.slice(0, 2).join(' ')} ended with ${code}: ${output.stderr}`);
  return output.stdout;
}
