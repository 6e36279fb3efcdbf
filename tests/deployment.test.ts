// Deployment files: their settings are accepted by the code that reads them, and the names in them
// exist.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../apps/server/src/config.ts';
import { readKeyHolderSettings } from '../apps/server/src/faces/keyholder/settings.ts';
import { judgeMemory } from '../apps/server/src/operations/doctor/checks/deployment.ts';
import { DEFAULT_TIMEOUTS } from '../apps/server/src/platform/database/postgres-connections.ts';
import { bytesPerVector } from '../packages/gallery/src/index.ts';
import { findHaproxy } from '../scripts/system-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, 'deploy', file), 'utf8');

const KEY = Buffer.alloc(32, 7).toString('base64');
const SECRETS = {
  DOMAIN: 'id.example.org',
  POSTGRES_PASSWORD: 'secret',
  MASTER_KEY: KEY,
  KEYHOLDER_MASTER_KEY: KEY,
  KEYHOLDER_SECRET: KEY,
  METRICS_TOKEN: KEY,
};
const DATABASE = { DATABASE_URL: 'postgres://limen:secret@postgres/limen' };

/** As in apps/server/src/main.ts. */
const IN_FLIGHT_SECONDS = 25;

type Settings = Record<string, string>;

/** As set by the image. */
function imageSettings(): Settings {
  const [, line] = /^ENV (.*)$/m.exec(read('image/Dockerfile'))!;
  return Object.fromEntries(line!.split(' ').map((pair) => pair.split('=') as [string, string]));
}

function acceptService(settings: Settings): void {
  const config = loadConfig({ ...imageSettings(), ...settings });
  expect(config).toMatchObject({ production: true, KEYHOLDER_SECRET: [KEY] });
  expect(config.DATABASE_URL).toBeDefined();
  expect(config.CONSOLE_URL).toMatch(/^https:\/\/console\./);
}

function acceptKeyHolder(settings: Settings): void {
  expect(readKeyHolderSettings({ ...imageSettings(), ...settings })).toMatchObject({
    settings: { NODE_ENV: 'production', KEYHOLDER_HOST: '0.0.0.0', KEYHOLDER_DATA_DIR: '/data' },
  });
}

/** The doctor's own check, with half a gigabyte left for lists. */
function expectMemoryFor(settings: Settings, limit: string): void {
  const config = loadConfig({ ...imageSettings(), ...DATABASE, MASTER_KEY: KEY, KEYHOLDER_SECRET: KEY, ...settings });
  const [, gigabytes] = /^(\d+)(?:Gi|g)$/.exec(limit)!;
  const { level, found } = judgeMemory(config, (Number(gigabytes) - 0.5) * 2 ** 30);
  expect(level, found).toBe('ok');
  // Every accepted embedding fits, even in a single gallery.
  expect(config.FACE_MEMORY_MB! * 2 ** 20).toBeGreaterThan(config.NODE_MAX_EMBEDDINGS * bytesPerVector(512));
}

const programIn = (words: readonly string[]) => words.find((word) => word.endsWith('.js'))!;

/** Settings that the compose file only exposes, with the service's defaults. */
const UNCHANGED = [
  'MAX_PEOPLE',
  'SESSION_TTL_SECONDS',
  'RETENTION_HOURS',
  'REVIEW_DAYS',
  'DELIVERY_LOG_DAYS',
  'LOG_LEVEL',
] as const;

describe('the compose file', () => {
  const text = read('compose/compose.yml');
  const example = read('compose/example.env');
  /** Substitutes in parsed YAML values, as compose does. */
  const fill = (given: Settings) =>
    JSON.parse(JSON.stringify(parse(text, { merge: true })), (_, value) =>
      typeof value === 'string'
        ? value.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_whole, name: string, kind: string, rest: string) =>
            kind === '?' ? given[name]! : (given[name] ?? rest),
          )
        : value,
    );
  const { services } = fill(SECRETS);
  const optional = Object.fromEntries(
    [...example.matchAll(/^#(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
  );

  it('has settings that service and key-holder accept, and every secret in its example', () => {
    acceptService(services.limen.environment);
    acceptKeyHolder(services.keyholder.environment);
    expect(existsSync(join(ROOT, programIn(services.keyholder.entrypoint)))).toBe(true);
    const named = [...text.matchAll(/\$\{(\w+):\?[^}]+\}/g)].map(([, name]) => name!);
    const given = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    expect([...new Set(named)].sort()).toEqual(given.sort());
  });

  it('accepts every optional setting of its example, with the default or a valid value', () => {
    const defaults = [...text.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map(([, name, value]) => [name!, value!] as const);
    expect(Object.keys(optional).sort()).toEqual([...new Set(defaults.map(([name]) => name))].sort());
    for (const [name, value] of defaults) {
      expect(value, name).not.toBe('');
      if (name !== 'FRONT_SUBNET') expect(optional[name], name).toBe(value);
    }
    const [ours, own] = [services.limen.environment, {}].map((settings: Settings) =>
      loadConfig({ ...imageSettings(), ...DATABASE, MASTER_KEY: KEY, ...settings }),
    );
    for (const name of UNCHANGED) expect(ours![name], name).toBe(own![name]);
    const changed = fill({ ...SECRETS, ...optional });
    acceptService(changed.services.limen.environment);
    acceptKeyHolder(changed.services.keyholder.environment);
    const subnet = optional['FRONT_SUBNET'];
    expect(changed.networks.front.ipam.config).toEqual([{ subnet }]);
    expect(changed.services.limen.environment.TRUST_PROXY).toBe(subnet);
  });

  it('limits memory, logs and the shutdown time', () => {
    for (const [name, service] of Object.entries<{ logging?: object }>(services))
      expect(service.logging, name).toMatchObject({ options: { 'max-size': '50m', 'max-file': '4' } });
    const { environment, mem_limit: limit, stop_grace_period: grace } = services.limen;
    expectMemoryFor(environment, limit);
    expect(Number.parseInt(grace, 10)).toBeGreaterThan(Number(environment.SHUTDOWN_DELAY_SECONDS) + IN_FLIGHT_SECONDS);
  });

  it('lets only the service reach the key-holder', () => {
    const inKeys = Object.entries<{ networks: string[] }>(services).filter(([, { networks }]) =>
      networks.includes('keys'),
    );
    expect(inKeys.map(([name]) => name)).toEqual(['limen', 'limen2', 'keyholder']);
    expect(services.keyholder).not.toHaveProperty('ports');
    for (const name of ['limen', 'limen2', 'keyholder'])
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });
});

describe('the accompanying files', () => {
  it('make Caddy check the readiness of each service process by name', () => {
    const text = read('compose/Caddyfile');
    const upstreams = /^\treverse_proxy (.*) \{$/m.exec(text)![1]!.split(' ');
    expect(upstreams).toEqual(['limen:8080', 'limen2:8080']);
    expect(text).toMatch(/^\t\thealth_uri \/ready$/m);
    expect(text).not.toMatch(/^\s*dynamic /m);
  });

  it('ask for a password that is valid in a URL', () => {
    expect(read('compose/example.env')).toMatch(/openssl rand -hex 32\nPOSTGRES_PASSWORD=$/m);
  });

  it('keep settings and keys out of the image and the repository', () => {
    for (const file of ['.dockerignore', '.gitignore']) {
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      expect(lines, file).toEqual(expect.arrayContaining(['**/.env', '**/keyholder-data']));
    }
  });
});

it('builds the image in the format that has a health check', () => {
  expect(read('image/build.sh')).toMatch(/^buildah commit .*--format docker/m);
});

describe('the Kubernetes manifests', () => {
  const all = readdirSync(join(ROOT, 'deploy/kubernetes')).flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    }),
  );
  const find = (kind: string, name: string) => all.find((one) => one.kind === kind && one.metadata.name === name);
  const containerOf = ({
    spec,
  }: {
    spec: { template: { spec: { containers: { env: { name: string; value: string }[]; envFrom: object[] }[] } } };
  }) => spec.template.spec.containers[0]!;
  const settingsOf = (workload: Parameters<typeof containerOf>[0]) =>
    Object.fromEntries(containerOf(workload).env.map(({ name, value }) => [name, String(value)]));

  it('have settings that service and key-holder accept', () => {
    const { MASTER_KEY, KEYHOLDER_SECRET, KEYHOLDER_MASTER_KEY } = SECRETS;
    const service = find('Deployment', 'limen');
    acceptService({ ...settingsOf(service), ...DATABASE, MASTER_KEY, KEYHOLDER_SECRET });
    const secrets = { KEYHOLDER_MASTER_KEY, KEYHOLDER_SECRET, KEYHOLDER_METRICS_TOKEN: KEY };
    acceptKeyHolder({ ...settingsOf(find('StatefulSet', 'limen-keyholder')), ...secrets });
  });

  it('take backups with settings that the command accepts, into an existing volume', () => {
    const pod = find('CronJob', 'limen-backup').spec.jobTemplate.spec.template.spec;
    const [container] = pod.containers;
    expect(existsSync(join(ROOT, programIn(container.command)))).toBe(true);
    expect(container.envFrom).toEqual(containerOf(find('Deployment', 'limen')).envFrom.slice(0, 1));
    expect(loadConfig({ ...imageSettings(), ...DATABASE, MASTER_KEY: KEY }).DATABASE_URL).toBeDefined();
    const claimed = pod.volumes.map(
      (volume: { persistentVolumeClaim?: { claimName: string } }) => volume.persistentVolumeClaim,
    );
    expect(find('PersistentVolumeClaim', claimed[0].claimName)).toBeDefined();
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });

  it('give the service time to start and stop, and memory for its settings', () => {
    const { containers, terminationGracePeriodSeconds } = find('Deployment', 'limen').spec.template.spec;
    const [{ startupProbe, resources }] = containers;
    expect(startupProbe.tcpSocket).toEqual({ port: 'http' });
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(1_800);
    const settings: Settings = settingsOf(find('Deployment', 'limen'));
    const delay = Number(settings['SHUTDOWN_DELAY_SECONDS']);
    expect(delay).toBeGreaterThanOrEqual(5);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(delay + IN_FLIGHT_SECONDS);
    expectMemoryFor(settings, resources.limits.memory);
  });

  it('end a backup that hangs, and keep several of them', () => {
    const { jobTemplate, ...cronJob } = find('CronJob', 'limen-backup').spec;
    expect(cronJob).toMatchObject({
      concurrencyPolicy: 'Forbid',
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 3,
    });
    expect(jobTemplate.spec.activeDeadlineSeconds).toBeLessThan(86_400);
    const [{ command, resources, volumeMounts }] = jobTemplate.spec.template.spec.containers;
    expect(command.slice(-4, -1)).toEqual(['backup', '/backups', '--keep']);
    expect(Number(command.at(-1))).toBeGreaterThan(1);
    expect(volumeMounts).toContainEqual({ name: 'backups', mountPath: '/backups' });
    expect(resources.limits.memory).toBe('1Gi');
  });

  it('name existing pods, ports, volumes and secrets', () => {
    const workloads = all.filter(({ kind }) => ['Deployment', 'StatefulSet', 'CronJob'].includes(kind));
    const templates = workloads.map(({ kind, spec }) =>
      kind === 'CronJob' ? spec.jobTemplate.spec.template : spec.template,
    );
    const selected = (labels: Record<string, string>) =>
      templates.filter(({ metadata }) =>
        Object.entries(labels).every(([name, value]) => metadata.labels[name] === value),
      );
    const portsOf = ({ spec }: { spec: { containers: { ports?: { name: string }[] }[] } }) =>
      spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));
    /** Each selector with its one workload. */
    const only = (labels: Record<string, string>) => {
      expect(selected(labels), JSON.stringify(labels)).toHaveLength(1);
      return selected(labels)[0];
    };
    for (const { kind, spec } of all) {
      if (kind === 'Service')
        for (const { targetPort } of spec.ports) expect(portsOf(only(spec.selector))).toContain(targetPort);
      if (kind === 'Deployment' || kind === 'StatefulSet') expect(only(spec.selector.matchLabels)).toBe(spec.template);
      if (kind === 'PodDisruptionBudget') only(spec.selector.matchLabels);
      if (kind !== 'NetworkPolicy') continue;
      for (const { from, ports } of spec.ingress) {
        for (const { podSelector } of from) if (podSelector) only(podSelector.matchLabels);
        for (const { port } of ports) expect(portsOf(only(spec.podSelector.matchLabels))).toContain(port);
      }
    }
    const secrets = new Set<string>();
    for (const [nth, { spec }] of templates.entries()) {
      for (const { labelSelector } of spec.topologySpreadConstraints ?? []) only(labelSelector.matchLabels);
      const claimed = workloads[nth].spec.volumeClaimTemplates ?? [];
      const volumes = [...spec.volumes, ...claimed.map(({ metadata }: { metadata: { name: string } }) => metadata)];
      for (const container of spec.containers) {
        const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
        expect(mounted.toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
        for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
          if (probe) expect(portsOf({ spec })).toContain((probe.tcpSocket ?? probe.httpGet).port);
        for (const { secretRef } of container.envFrom) secrets.add(secretRef.name);
      }
    }
    const page = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
    const commands = page.matchAll(/^kubectl create secret generic (\S+)/gm);
    // Without it, Prometheus cannot read /metrics.
    expect(page).toMatch(/^kubectl create secret generic limen .*--from-literal=METRICS_TOKEN=/m);
    expect([...secrets].toSorted()).toEqual([...commands].map(([, name]) => name).toSorted());
    const service = find('Service', find('StatefulSet', 'limen-keyholder').spec.serviceName);
    expect(settingsOf(find('Deployment', 'limen'))).toMatchObject({
      KEYHOLDER_URL: `tls://${service.metadata.name}:${service.spec.ports[0].port}`,
    });
  });

  it('run unprivileged and read-only, and restrict the key-holder to the service and its metrics to Prometheus', () => {
    for (const workload of [find('Deployment', 'limen'), find('StatefulSet', 'limen-keyholder')]) {
      expect(workload.spec.template.spec).toMatchObject({
        securityContext: { runAsNonRoot: true },
        automountServiceAccountToken: false,
      });
      const locked = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
      expect(containerOf(workload)).toMatchObject({ securityContext: locked });
    }
    expect(find('NetworkPolicy', 'limen-keyholder').spec).toEqual({
      podSelector: { matchLabels: { app: 'limen-keyholder' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { from: [{ podSelector: { matchLabels: { app: 'limen' } } }], ports: [{ port: 'link' }] },
        {
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
          ports: [{ port: 'metrics' }],
        },
      ],
      egress: [],
    });
    expect(find('PodDisruptionBudget', 'limen').spec.maxUnavailable).toBe(1);
  });
});

describe('the files of a cluster', () => {
  it('set in PgBouncer the parameters that the service requests and PgBouncer drops', () => {
    const text = read('cluster/pgbouncer.ini');
    const { statementMs, lockMs, idleTransactionMs } = DEFAULT_TIMEOUTS;
    const wanted = {
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
    };
    const set = Object.entries(wanted).map(([name, value]) => `set ${name} = ${value}`);
    const queries = [...text.matchAll(/^\w+ = host=.* connect_query='(.*)'$/gm)].map(([, query]) => query);
    expect(queries).toEqual([set.join('; '), set.join('; ')]);
    const ignored = /^ignore_startup_parameters = (.*)$/m.exec(text)![1]!.split(', ');
    expect(ignored).toEqual(expect.arrayContaining(Object.keys(wanted)));
    expect(text).toMatch(/^pool_mode = transaction$/m);
  });

  it('have pools within PostgreSQL’s default connections, with some left for backups and psql', () => {
    const text = read('cluster/pgbouncer.ini');
    const numberOf = (name: string) => Number(new RegExp(`^${name} = (\\d+)$`, 'm').exec(text)![1]);
    const databases = text.match(/^\w+ = host=/gm)!.length;
    const pooled = databases * (numberOf('default_pool_size') + numberOf('reserve_pool_size'));
    const [maxConnections, superuserReserved] = [100, 3];
    expect(pooled).toBeLessThanOrEqual(maxConnections - superuserReserved - 10);
  });

  it('give HAProxy a log socket, take root from it, and log neither addresses nor paths', () => {
    const [, global, defaults] = read('cluster/haproxy.cfg').split(/^(?:global|defaults|frontend .*)$/m);
    for (const line of ['log /dev/log local0', 'user haproxy', 'group haproxy', 'chroot /var/lib/haproxy'])
      expect(global).toContain(`    ${line}\n`);
    const [, format] = /^ {4}log-format "(.*)"$/m.exec(defaults!)!;
    const fields = format!.match(/%\w+/g)!;
    // HAProxy fields that contain an address, a path or a header.
    for (const field of ['%ci', '%cp', '%r', '%HU', '%HP', '%HPO', '%HQ', '%hr', '%hs', '%si', '%bi'])
      expect(fields).not.toContain(field);
  });

  it.skipIf(!findHaproxy())('are accepted by HAProxy itself', () => {
    const file = join(ROOT, 'deploy/cluster/haproxy.cfg');
    const { status, stderr } = spawnSync(findHaproxy()!, ['-c', '-f', file], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  });
});

it('makes HAProxy let processes with failing checks finish running requests, for at most 65 seconds', () => {
  const file = read('cluster/haproxy.cfg');
  expect(file).not.toMatch(/^[^#\n]*on-marked-down/m);
  expect(file).toMatch(/^ {4}timeout server 65s$/m);
});

it('makes HAProxy refuse as the service does if no process replies', () => {
  const refusals = [...read('cluster/haproxy.cfg').matchAll(/^ {4}http-error status (\d+) .* string '(.*)'$/gm)];
  expect(refusals.map(([, status]) => status)).toEqual(['502', '503', '504']);
  for (const [, status, text] of refusals) {
    expect(JSON.parse(text!)).toEqual({
      statusCode: Number(status),
      error: STATUS_CODES[status!],
      message: expect.any(String),
    });
  }
});

it('documents command-line calls with the unit’s environment', () => {
  const [unit, command] = [read('systemd/limen.service'), read('systemd/limen')];
  const given = [...command.matchAll(/-p (\S+)/g)].map(([, setting]) => setting!);
  expect(given.filter((setting) => !unit.split('\n').includes(setting))).toEqual([]);
  expect(given.map((setting) => setting.split('=')[0])).toEqual(
    expect.arrayContaining(['DynamicUser', 'User', 'StateDirectory', 'EnvironmentFile', 'UMask']),
  );
  const environment = [...command.matchAll(/--setenv=(\S+)/g)].map(([, setting]) => setting!);
  expect(unit).toContain(`Environment=${environment.join(' ')}\n`);
  expect(existsSync(join(ROOT, programIn(command.split(/\s/))))).toBe(true);
});

const unitFolder = join(ROOT, 'deploy/systemd');
const units = readdirSync(unitFolder).filter((name) => /\.(service|timer)$/.test(name));

describe.each(units.filter((name) => name.endsWith('.service')))('the unit %s', (name) => {
  const file = join(unitFolder, name);

  it('starts an existing program', () => {
    const [, command] = /^ExecStart=(.*)$/m.exec(readFileSync(file, 'utf8'))!;
    expect(existsSync(join(ROOT, programIn(command!.split(' '))))).toBe(true);
  });

  it.skipIf(!existsSync('/usr/bin/systemd-analyze'))(
    'leaves an attacker next to nothing, by systemd’s own score',
    () => {
      // Ten is everything. The rest is the network, which a service needs, and just-in-time
      // compiled code.
      const options = ['--offline=true', '--threshold=20', '--no-pager'];
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['security', ...options, file], {
        encoding: 'utf8',
      });
      expect(status, `${stdout}${stderr}`).toBe(0);
    },
  );
});

it.each(['limen', 'limen-keyholder'])('makes systemd restart %s after any exit, however frequent', (name) => {
  const lines = read(`systemd/${name}.service`).split('\n');
  const wanted = [
    'Restart=always',
    'RestartSec=5',
    'StartLimitIntervalSec=0',
    "ExecReload=/bin/sh -c 'kill -HUP $MAINPID'",
  ];
  expect(lines).toEqual(expect.arrayContaining(wanted));
});

it('makes journald keep all lines of the service', () => {
  expect(read('systemd/limen.service')).toContain('\nLogRateLimitIntervalSec=0\n');
});

it('gives the service time for its delay and running requests before systemd kills it', () => {
  const unit = read('systemd/limen.service');
  const settings = Object.fromEntries([...unit.matchAll(/^Environment=(\w+)=(\S+)$/gm)].map(([, ...pair]) => pair));
  const { SHUTDOWN_DELAY_SECONDS } = loadConfig({ ...imageSettings(), ...settings, ...DATABASE, MASTER_KEY: KEY });
  const [, stopSeconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!;
  // HAProxy removes a process after two failed checks, one second apart.
  expect(SHUTDOWN_DELAY_SECONDS).toBeGreaterThanOrEqual(3);
  expect(Number(stopSeconds)).toBeGreaterThan(SHUTDOWN_DELAY_SECONDS + IN_FLIGHT_SECONDS);
});

it.each(['limen', 'limen-keyholder'])('takes nightly backups of %s, out of the service’s reach', (name) => {
  const [service, backup] = [read(`systemd/${name}.service`), read(`systemd/${name}-backup.service`)];
  const timer = read(`systemd/${name}-backup.timer`);
  expect(timer).toMatch(/^OnCalendar=\*-\*-\* \d\d:17:00$/m);
  expect(timer).toMatch(/^Persistent=true$/m);
  expect(backup).toMatch(new RegExp(`^ExecStart=.* backup /var/lib/${name}-backup --keep \\d+$`, 'm'));
  expect(backup).toContain(`StateDirectory=${name} ${name}-backup\n`);
  expect(service).toContain(`StateDirectory=${name}\n`);
  for (const setting of ['User', 'EnvironmentFile']) {
    const [line] = new RegExp(`^${setting}=.*$`, 'm').exec(service)!;
    expect(backup.split('\n')).toContain(line);
  }
});

// The units name the x64 binary.
const canVerify = existsSync('/usr/bin/systemd-analyze') && process.arch === 'x64';
it.skipIf(!canVerify)('has units without complaints of systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limen-units-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = units.map((name) => join(folder, name));
  for (const [nth, name] of units.entries())
    writeFileSync(files[nth]!, read(`systemd/${name}`).replaceAll('/opt/limen', ROOT));
  // It exits with 0 even if it ignores a line.
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toBe('');
});
