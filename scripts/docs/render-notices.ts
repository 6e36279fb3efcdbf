// Renders THIRD-PARTY-NOTICES.md: libraries of the service and its pages, and models, each with its
// terms.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version: string;
  license: string;
  dev?: boolean;
  link?: boolean;
  os?: string[];
  cpu?: string[];
}

interface Model {
  name: string;
  role: string;
  version: string;
  bytes: number;
  origin: { package: string; version: string } | { bundled: string };
  licence: string;
  trainingData: string;
}

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;
const MODULES = 'node_modules/';

/** By role; what was measured is in docs/how-a-check-works.md. */
const KNOWN_LIMITS: Record<string, string> = {
  detect: 'Measured on portraits only: small, dark and averted faces were not.',
  landmarks: '3.3 pixels from a much larger model on average; nobody has measured it against points set by hand.',
  eye: 'Takes one eye in some fifty for the other kind (AUC 0.983); a movement is therefore judged over several frames.',
  liveness:
    'A weak signal: it takes computer-made and animated faces for real ones, and fails single frames of real people.',
  embedding: 'Equal error rate 1.2 % on photos of adults; nothing is known of children or of people years apart.',
  age_small: 'Errors of several years, larger from 25 on, and different between groups of people.',
  age_deep: 'As the small one; glasses and blur cause the worst errors.',
  document_text: 'Reads the typeface of machine-readable zones and nothing else.',
};

export function renderNotices(): string {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const shipped = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith(MODULES) && !dev && !link)
    .map(([path, locked]) => ({ path, name: path.slice(path.lastIndexOf(MODULES) + MODULES.length), ...locked }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const { models } = JSON.parse(readFileSync('packages/face-models/manifest.json', 'utf8')) as { models: Model[] };
  return `# Third-party notices

<!-- Generated from package-lock.json and packages/face-models/manifest.json by \`npm run docs\`; do not edit. -->

Limen itself is under the [Apache License 2.0](LICENSE). It works with the following, each under its own terms.

## Models

Their files come through npm at the first start ([docs/how-a-check-works.md](docs/how-a-check-works.md#models)).

${models.map(renderModel).join('\n')}
## Libraries

| package | version | license |
|---|---|---|
${shipped.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`).join('\n')}

## Texts of the licenses

A text that several packages share stands once. Packages for one kind of machine have the text of the package that wants
them. Packages without a file of their own state their license in their manifest, as in the table.

${renderTexts(shipped)}`;
}

function renderModel({ name, role, version, bytes, origin, licence: license, trainingData }: Model): string {
  const from = 'package' in origin ? `npm package \`${origin.package}\` ${origin.version}` : 'this repository';
  return `### ${name} ${version}

| | |
|---|---|
| role | \`${role}\`, ${(bytes / 1e6).toFixed(1)} MB |
| origin | ${from} |
| terms | ${license} |
| trained on | ${trainingData} |
| known limits | ${KNOWN_LIMITS[role] ?? missing(role)} |
`;
}

function missing(role: string): never {
  throw new Error(`No known limits are written down for the role ${role}.`);
}

function renderTexts(shipped: readonly ({ path: string; name: string } & LockedPackage)[]): string {
  const byText = new Map<string, string[]>();
  for (const { path, name, os, cpu } of shipped) {
    if (os || cpu) continue;
    for (const file of readdirSync(path).filter((entry) => LICENSE_FILE.test(entry))) {
      const text = readFileSync(join(path, file), 'utf8').replaceAll('\r', '').trim();
      byText.set(text, [...(byText.get(text) ?? []), name]);
    }
  }
  return [...byText]
    .map(([text, names]) => `### ${[...new Set(names)].join(', ')}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`)
    .join('\n');
}
