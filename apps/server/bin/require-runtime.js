// Ensures a supported version of Node. Plain JavaScript with no syntax newer than Node 14, so that
// an old Node can run it. If the current Node is too old, the one that `npm ci` installed takes
// over. If there is none for this platform, it exits with instructions.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
/** Set by the old Node for the one that takes over. */
const HANDED_OVER = 'LIMEN_HANDED_OVER';

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  const brought = broughtNode();
  if (brought === undefined) {
    console.error(
      `Limen needs Node ${NEEDED} or newer and found ${process.version}: ` +
        `install Node ${NEEDED} on this platform, or run "npm ci" first where npm brings it (Linux and Windows on x64, Linux on arm64).`,
    );
    process.exit(1);
  }
  await runInstead(brought);
} else if (process.env[HANDED_OVER] !== undefined) {
  delete process.env[HANDED_OVER]; // Not inherited by child processes.
  endWithParent();
}

/**
 * Path of the optional dependency's binary for this platform. npm 10 installs it without linking it
 * as `node`.
 */
function broughtNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const file = `../../../node_modules/node-${platform}-${process.arch}/bin/node${platform === 'win' ? '.exe' : ''}`;
  const path = fileURLToPath(new URL(file, import.meta.url));
  return existsSync(path) ? path : undefined;
}

/**
 * Runs the same command on the other Node, forwards signals and its exit code, and never settles.
 */
function runInstead(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    // The channel closes however this process ends.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...withHugePages(process.env), [HANDED_OVER]: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code === null ? (signal === 'SIGKILL' ? 137 : 1) : code));
  return new Promise(() => {});
}

/**
 * Stops this process like SIGTERM once its parent is gone, because no one could stop it by the
 * parent's id.
 */
function endWithParent() {
  const stop = () => process.kill(process.pid, 'SIGTERM');
  if (!process.connected) return stop();
  process.once('disconnect', stop);
  process.channel.unref(); // Lets a finished command exit.
}

/**
 * Lists and galleries are large and read at random. With huge pages on Linux, a search among a
 * million entities takes a tenth less time (docs/operate.md).
 */
function withHugePages(env) {
  const set = env['GLIBC_TUNABLES'];
  if (process.platform !== 'linux' || set?.includes('glibc.malloc.hugetlb')) return env;
  return { ...env, GLIBC_TUNABLES: `${set ? `${set}:` : ''}glibc.malloc.hugetlb=1` };
}
