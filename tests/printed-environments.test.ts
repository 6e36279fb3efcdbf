// Settings printed in documents and deployment files: a production start accepts them, and `limen
// doctor --deployment` has no complaints.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../apps/server/src/config.ts';
import { readKeyHolderSettings } from '../apps/server/src/faces/keyholder/settings.ts';
import { judgeSettings } from '../apps/server/src/operations/doctor/checks/deployment.ts';
import { warnings } from '../apps/server/src/operations/start/banner.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const SECRET = Buffer.alloc(32, 7).toString('base64');
const CA = join(ROOT, 'apps/server/testing/tls/cert.pem');
const GB = 2 ** 30;

type Settings = Record<string, string>;

/**
 * Reads an environment as printed, replacing `…` by secrets and the CA's path by an existing file.
 */
function readLines(text: string): Settings {
  const pairs = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => /^([A-Z_]+)=(.*)$/.exec(line)!);
  return fill(Object.fromEntries(pairs.map(([, name, value]) => [name!, value!])));
}

function fill(settings: Settings): Settings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      value === '…' ? SECRET : value.replace('…', 'secret').replace(/sslrootcert=[^&]+/, `sslrootcert=${CA}`),
    ]),
  );
}

function hereDocument(page: string, file: string): Settings {
  const [, text] = new RegExp(`/dev/stdin ${file} <<'END'\\n([\\s\\S]*?)\\nEND\\n`).exec(read(page))!;
  return readLines(text!);
}

/** Settings of a unit or of the image. */
const assignments = (file: string, pattern: RegExp): Settings =>
  Object.fromEntries(
    [...read(file).matchAll(pattern)].flatMap(([, line]) => line!.split(' ').map((pair) => pair.split('='))),
  );
const IMAGE = assignments('deploy/image/Dockerfile', /^ENV (.*)$/gm);
const UNIT = assignments('deploy/systemd/limen.service', /^Environment=(.*)$/gm);

function expectNothingToSay(settings: Settings, memoryBytes: number): void {
  const config = loadConfig(settings);
  expect(config.production).toBe(true);
  expect(warnings(config)).toEqual([]);
  const findings = judgeSettings(config, { memoryBytes, hasLists: true });
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
}

describe('the environment of the service', () => {
  it('for systemd is complete', () => {
    expectNothingToSay({ ...UNIT, ...hereDocument('docs/deployment.md', '/etc/limen/limen.env') }, 4 * GB);
  });

  it('for docker run is complete, within the given memory', () => {
    const [, memory] = /^docker run .* --memory (\d+)g .*\n.* --env-file limen\.env limen$/m.exec(
      read('docs/deployment.md'),
    )!;
    expectNothingToSay({ ...IMAGE, ...hereDocument('docs/deployment.md', 'limen.env') }, Number(memory) * GB);
  });

  it('in the guide is complete', () => {
    const [, text] = /^## For production\n[\s\S]*?^```\n([\s\S]*?)\n```/m.exec(read('docs/operate.md'))!;
    expectNothingToSay(readLines(text!), 4 * GB);
  });

  it('in the compose file is complete, with the defaults and with every line of its example', () => {
    const example = read('deploy/compose/example.env');
    const pairs = (pattern: RegExp) =>
      Object.fromEntries(
        [...example.matchAll(pattern)].map(([, name, value]) => [name!, value || SECRET.replace(/\W/g, 'x')]),
      );
    const service = parse(read('deploy/compose/compose.yml'), { merge: true }).services.limen;
    const needed = { ...pairs(/^(\w+)=(.*)$/gm), MASTER_KEY: SECRET };
    for (const given of [needed, { ...needed, ...pairs(/^#(\w+)=(.*)$/gm) }] as Settings[]) {
      const { environment, mem_limit: limit } = JSON.parse(JSON.stringify(service), (_, value) =>
        typeof value === 'string'
          ? value.replaceAll(/\$\{(\w+):[?-]([^}]*)\}/g, (_whole, name: string, rest: string) => given[name] ?? rest)
          : value,
      );
      expectNothingToSay({ ...IMAGE, ...environment }, Number.parseInt(limit, 10) * GB);
    }
  });

  it("in the Kubernetes manifests is complete, with the page's secrets", () => {
    const documents = readdirSync(join(ROOT, 'deploy/kubernetes')).flatMap((file) =>
      parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => document.toJS()),
    );
    const [container] = documents.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers;
    const secrets = container.envFrom.flatMap(({ secretRef }: { secretRef: { name: string } }) => {
      const line = new RegExp(`^kubectl create secret generic ${secretRef.name} ((?:.*\\\\\n)*.*)$`, 'm');
      const [, literals] = line.exec(read('docs/deployment.md'))!;
      return [...literals!.matchAll(/--from-literal=([A-Z_]+)='?([^\s']+)/g)].map(([, name, value]) => [name, value]);
    });
    const plain = container.env.map(({ name, value }: { name: string; value: string }) => [name, value]);
    const settings = { ...IMAGE, ...Object.fromEntries(plain), ...fill(Object.fromEntries(secrets)) };
    expectNothingToSay(settings, Number.parseInt(container.resources.limits.memory, 10) * GB);
  });
});

it('is accepted by the key-holder as printed for systemd', () => {
  const printed = hereDocument('docs/deployment.md', '/etc/limen/keyholder.env');
  expect(readKeyHolderSettings({ NODE_ENV: 'production', ...printed })).toHaveProperty('settings');
});
