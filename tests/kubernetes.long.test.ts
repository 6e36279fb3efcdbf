// The Kubernetes manifests under podman: their pods on a separate network, with their probes,
// limits and shutdown. The test implements what podman lacks: services by selector, volumes of the
// pods' group, probes.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  canRunContainers,
  ensureImage,
  insist,
  keepAddressOf,
  NETWORK_TOOLS,
  nameWithLack,
  networkEnvironment,
  type Ran,
  run,
} from '@limen/testing/containers.ts';
import { type Cluster, findPostgres, startCluster, unprivileged } from '@limen/testing/postgres-cluster.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const NAME = `limen-kubernetes-${process.pid}`;
const READY_MS = 240_000;
const COMMAND_LINE = ['node', 'apps/server/bin/limen.js'];
const POSTGRES = findPostgres();
const canRun = canRunContainers(...NETWORK_TOOLS) && POSTGRES !== undefined;

type Labels = Record<string, string>;

interface Probe {
  tcpSocket?: { port: string };
  httpGet?: { path: string; port: string };
}

interface Volume {
  name: string;
  emptyDir?: object;
  persistentVolumeClaim?: { claimName: string };
  hostPath?: { path: string; type: string };
}

interface Container {
  name: string;
  image: string;
  command?: string[];
  ports?: { name: string; containerPort: number }[];
  envFrom: { secretRef: { name: string } }[];
  resources?: { limits: { memory: string } };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}

interface PodSpec {
  terminationGracePeriodSeconds?: number;
  securityContext: { runAsUser: number; fsGroup: number };
  containers: Container[];
  volumes: Volume[];
  hostAliases?: { ip: string; hostnames: string[] }[];
}

interface Template {
  metadata: { labels: Labels };
  spec: PodSpec;
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another.
  spec: any;
}

interface Pod {
  name: string;
  /** As in the manifest. */
  template: Template;
  container: string;
  ip: string;
}

const manifests: Manifest[] = ['keyholder', 'limen', 'backup'].flatMap((name) =>
  parseAllDocuments(readFileSync(join(ROOT, `deploy/kubernetes/${name}.yaml`), 'utf8')).map((one) => one.toJS()),
);

function find(kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!found) throw new Error(`deploy/kubernetes has no ${kind} ${name}`);
  return found;
}

/** Removes a part of podman's input. */
function take<T extends object, K extends keyof T>(from: T, part: K): NonNullable<T[K]> {
  const value = from[part];
  if (value === undefined || value === null) throw new Error(`A manifest lacks ${String(part)}.`);
  delete from[part];
  return value;
}

describe.skipIf(!canRun)(nameWithLack('the manifests, in podman', canRun), () => {
  const key = () => randomBytes(32).toString('base64');
  const masterKey = key();
  const pods: Pod[] = [];
  let [image, folder, bridge] = ['', '', ''];
  let environment: Record<string, string> = {};
  let postgres: Cluster | undefined;

  const podman = (args: readonly string[]): Ran => run('podman', args, { env: environment });
  const exec = (pod: Pod, ...command: string[]) => podman(['exec', pod.container, ...command]);
  const inspect = (container: string, what: string) =>
    insist(podman(['inspect', container, '--format', `{{${what}}}`])).stdout;

  const selectedBy = (selector: Labels) =>
    pods.filter(({ template }) =>
      Object.entries(selector).every(([name, value]) => template.metadata.labels[name] === value),
    );
  const portOf = ({ template }: Pod, name: string) => {
    const found = template.spec.containers[0]!.ports?.find((port) => port.name === name);
    if (!found) throw new Error(`A manifest names the port ${name}, which its pod does not have.`);
    return found.containerPort;
  };
  /** Target to which a cluster routes calls to a service's name. */
  const endpointsOf = (name: string) => {
    const { selector, ports } = find('Service', name).spec;
    return selectedBy(selector).map((pod) => ({ ip: pod.ip, port: portOf(pod, ports[0].targetPort) }));
  };
  /** As by a kubelet. */
  const passes = (pod: Pod, { tcpSocket, httpGet }: Probe): Promise<boolean> =>
    httpGet
      ? fetch(`http://${pod.ip}:${portOf(pod, httpGet.port)}${httpGet.path}`).then(
          ({ status }) => status >= 200 && status < 400,
          () => false,
        )
      : connects(pod.ip, portOf(pod, tcpSocket!.port));

  /**
   * An empty folder with a pod's group, as created by a cluster. Podman would share one among all
   * pods.
   */
  function makeVolume(name: string, mode: number, group: number): string {
    const path = join(folder, name);
    mkdirSync(path);
    chownSync(path, 0, group);
    chmodSync(path, mode);
    return path;
  }

  /**
   * Changed only as this machine requires. Ports are known from the manifest, and podman would open
   * them to everyone.
   */
  function play(name: string, template: Template, claims: readonly string[]): Pod {
    const spec = structuredClone(template.spec);
    const { fsGroup } = spec.securityContext;
    for (const volume of spec.volumes) {
      const claim = volume.persistentVolumeClaim && take(volume, 'persistentVolumeClaim').claimName;
      if (claim !== undefined) expect(claims).toContain(claim);
      else take(volume, 'emptyDir');
      const path = makeVolume(`${name}-${volume.name}`, claim === undefined ? 0o2777 : 0o2775, fsGroup);
      volume.hostPath = { path, type: 'Directory' };
    }
    const container = spec.containers[0]!;
    take(container, 'image');
    container.image = image;
    for (const from of container.envFrom) from.secretRef.name = `${NAME}-${take(from.secretRef, 'name')}`;
    // Podman runs such probes within the container, with programs that the image lacks.
    for (const probe of ['startupProbe', 'livenessProbe'] as const) if (container[probe]) take(container, probe);
    if (container.ports) take(container, 'ports');
    const addresses = manifests
      .filter((manifest) => manifest.kind === 'Service')
      .map(({ metadata }) => ({ service: metadata.name, ip: endpointsOf(metadata.name)[0]?.ip }));
    spec.hostAliases = addresses.flatMap(({ service, ip }) => (ip === undefined ? [] : [{ ip, hostnames: [service] }]));
    const metadata = { name, labels: template.metadata.labels };
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }), { mode: 0o600 });
    insist(podman(['kube', 'play', '--network', NAME, file]));
    const { InfraContainerID: infra } = JSON.parse(insist(podman(['pod', 'inspect', name])).stdout);
    const ip = inspect(infra, `(index .NetworkSettings.Networks "${NAME}").IPAddress`);
    if (pods.length === 0) keepAddressOf(bridge);
    const pod = { name, template, container: `${name}-${container.name}`, ip };
    pods.push(pod);
    return pod;
  }

  beforeAll(async () => {
    image = ensureImage();
    folder = mkdtempSync(join(tmpdir(), `${NAME}-`));
    chmodSync(folder, 0o711);
    environment = networkEnvironment(folder);
    insist(podman(['network', 'create', NAME]));
    const [network] = JSON.parse(insist(podman(['network', 'inspect', NAME])).stdout);
    const [{ subnet, gateway }] = network.subnets;
    bridge = network.network_interface;
    postgres = await startOwnDatabase(folder, subnet);
    const address = new URL(postgres.url);
    address.hostname = gateway;
    const secrets = {
      limen: { DATABASE_URL: address.href, MASTER_KEY: masterKey, METRICS_TOKEN: key() },
      'limen-keyholder': { KEYHOLDER_MASTER_KEY: key(), KEYHOLDER_METRICS_TOKEN: key() },
      'limen-link': { KEYHOLDER_SECRET: key() },
    };
    for (const [name, values] of Object.entries(secrets)) {
      const encoded = Object.entries(values).map(([field, value]) => [field, Buffer.from(value).toString('base64')]);
      const file = join(folder, `${name}.secret`);
      writeFileSync(file, JSON.stringify(Object.fromEntries(encoded)), { mode: 0o600 });
      insist(podman(['secret', 'create', `${NAME}-${name}`, file]));
    }
    // Its claims are created from templates, one per pod. The pod has a volume with the template's
    // name.
    const { replicas, template, volumeClaimTemplates } = structuredClone(find('StatefulSet', 'limen-keyholder').spec);
    const claims: string[] = volumeClaimTemplates.map(({ metadata }: Manifest) => metadata.name);
    for (const name of claims) template.spec.volumes.push({ name, persistentVolumeClaim: { claimName: name } });
    for (let nth = 0; nth < replicas; nth += 1) play(`${NAME}-keyholder-${nth}`, template, claims);
    const service = find('Deployment', 'limen').spec;
    for (let nth = 0; nth < service.replicas; nth += 1) play(`${NAME}-limen-${nth}`, service.template, []);
  }, 900_000);

  afterAll(async () => {
    for (const { name } of pods) podman(['pod', 'rm', '-f', '-t', '0', name]);
    for (const name of ['limen', 'limen-keyholder', 'limen-link']) podman(['secret', 'rm', `${NAME}-${name}`]);
    podman(['network', 'rm', '-f', NAME]);
    const pause = podman(['image', 'ls', '-q', 'localhost/podman-pause']).stdout;
    if (pause !== '') podman(['rmi', pause]); // not if other pods use it
    await postgres?.stop();
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  const processes = () => selectedBy(find('Deployment', 'limen').spec.selector.matchLabels);
  const keyHolders = () => selectedBy(find('StatefulSet', 'limen-keyholder').spec.selector.matchLabels);

  it('become ready by their own probes', { timeout: 2 * READY_MS }, async () => {
    expect([processes().length, keyHolders().length]).toEqual([3, 1]);
    for (const pod of pods) {
      const { startupProbe, livenessProbe, readinessProbe } = pod.template.spec.containers[0]!;
      await expect
        .poll(() => passes(pod, readinessProbe!), { timeout: READY_MS, interval: 500, message: pod.name })
        .toBe(true);
      for (const probe of [startupProbe!, livenessProbe!]) expect(await passes(pod, probe), pod.name).toBe(true);
    }
  });

  it('connect the service to its key-holder and database and pass the doctor', async () => {
    for (const { ip } of processes()) {
      const isLinked = async () => (await fetch(`http://${ip}:8080/ready`)).json();
      await expect
        .poll(isLinked, { timeout: READY_MS, interval: 500 })
        .toMatchObject({ status: 'ready', checks: { keyholder: 'ready' } });
    }
    const { output } = exec(processes()[0]!, ...COMMAND_LINE, 'doctor', '--deployment');
    expect(output).toContain('the one at tls://limen-keyholder:8443 answers');
    expect(output).toContain('No problems');
  });

  it('act as one service, whichever pod gets a request', async () => {
    const made = exec(processes()[0]!, ...COMMAND_LINE, 'keys', 'create', '--label', 'Web shop');
    expect(made.status, made.output).toBe(0);
    const apiKey = /\blimen_\S+/.exec(made.stdout)?.[0] ?? '';
    const endpoints = endpointsOf('limen');
    expect(endpoints.length).toBe(processes().length);
    for (const [nth, { ip, port }] of endpoints.entries()) {
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
      const body = JSON.stringify({ value: `through pod ${nth}` });
      const written = await fetch(`http://${ip}:${port}/strings`, { method: 'POST', headers, body });
      const text = await written.text();
      expect(written.status, text).toBe(201);
      const { id } = JSON.parse(text);
      for (const endpoint of endpoints) {
        const reply = await fetch(`http://${endpoint.ip}:${endpoint.port}/strings/${id}`, {
          headers: { 'x-api-key': apiKey },
        });
        expect(await reply.json()).toMatchObject({ id, value: `through pod ${nth}` });
      }
    }
  });

  it('run unprivileged on a read-only root', () => {
    const program = `
      const status = fs.readFileSync('/proc/1/status', 'utf8') + fs.readFileSync('/proc/self/status', 'utf8');
      const told = (name) => [...new Set([...status.matchAll(new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'gm'))].map(([, value]) => value))].join();
      const write = (file) => { try { fs.writeFileSync(file, ''); fs.rmSync(file); return 'written'; } catch ({ code }) { return code; } };
      console.log(JSON.stringify({
        users: told('Uid'), bounding: told('CapBnd'), effective: told('CapEff'), noNew: told('NoNewPrivs'), seccomp: told('Seccomp'),
        tried: ['/x', '/app/x', '/etc/x', '/data/x', '/tmp/x'].map(write),
      }));`;
    for (const pod of pods) {
      const { securityContext, containers } = pod.template.spec;
      expect(JSON.parse(exec(pod, 'node', '-e', program).stdout), pod.name).toEqual({
        users: String(securityContext.runAsUser),
        bounding: '0'.repeat(16),
        effective: '0'.repeat(16),
        noNew: '1',
        seccomp: '2',
        tried: ['EROFS', 'EROFS', 'EROFS', 'written', 'written'],
      });
      const limit = Number.parseInt(containers[0]!.resources!.limits.memory, 10) * 2 ** 30;
      expect(Number(inspect(pod.container, '.HostConfig.Memory'))).toBe(limit);
    }
  });

  it('take a backup that can be restored', { timeout: READY_MS }, () => {
    const { template } = find('CronJob', 'limen-backup').spec.jobTemplate.spec;
    const job = play(`${NAME}-backup`, template, [find('PersistentVolumeClaim', 'limen-backups').metadata.name]);
    const ended = insist(podman(['wait', job.container])).stdout;
    expect(ended, podman(['logs', job.container]).output).toBe('0');
    const backups = join(folder, `${job.name}-backups`);
    const [name] = readdirSync(backups);
    const backup = join(backups, name!);
    expect(statSync(backup).uid).toBe(template.spec.securityContext.runAsUser);
    const drill = join(folder, 'drill');
    mkdirSync(drill, { mode: 0o700 });
    const env = { MASTER_KEY: masterKey, DATA_DIR: drill };
    const limen = (...args: string[]) => run('node', ['apps/server/bin/limen.js', ...args], { env });
    const checked = limen('restore', '--check', backup);
    expect(checked.status, checked.output).toBe(0);
    const restored = limen('restore', backup);
    expect(restored.status, restored.output).toBe(0);
    expect(limen('keys', 'list').output).toContain('Web shop');
  });

  it('exit cleanly when stopped, within their time', { timeout: READY_MS }, () => {
    for (const pod of [...processes(), ...keyHolders()]) {
      const { terminationGracePeriodSeconds } = pod.template.spec;
      // Slower pods are killed and exit with another code.
      insist(podman(['stop', '-t', String(terminationGracePeriodSeconds), pod.container]));
      expect(inspect(pod.container, '.State.ExitCode'), podman(['logs', pod.container]).output).toBe('0');
    }
  });
});

/** A URL that only pods reach. */
async function startOwnDatabase(folder: string, subnet: string): Promise<Cluster> {
  const access = join(folder, 'pg_hba.conf');
  writeFileSync(access, ['127.0.0.1/32', subnet].map((from) => `host all all ${from} trust\n`).join(''));
  const identity = unprivileged();
  if (identity) chownSync(access, identity.uid, identity.gid);
  return startCluster(POSTGRES!, { settings: { listen_addresses: '*', hba_file: access } });
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
