// docs/reference/configuration.md from the table of settings.
import { SETTING_GROUPS, type Setting } from '../../apps/server/src/config.ts';

export function renderConfiguration(): string {
  const sections = Object.entries<Record<string, Setting<unknown>>>(SETTING_GROUPS).map(([group, settings]) => {
    const rows = Object.entries(settings).map(
      ([name, setting]) => `| \`${name}\` | ${defaultOf(setting)} | ${setting.description} |`,
    );
    // Links in the table of settings are those of a page in docs/.
    return `## ${group}\n\n| Setting | Default | Meaning |\n|---|---|---|\n${rows.join('\n').replace(/\]\((?=[\w-]+\.md)/g, '](../')}\n`;
  });
  return `# Configuration

<!-- Generated from apps/server/src/config.ts by \`npm run docs\`; do not edit. -->

Every environment variable of the service ([how settings are read](../operate.md#settings)).

${sections.join('\n')}`;
}

function defaultOf({ default: value }: Setting<unknown>): string {
  return value === undefined ? 'unset' : `\`${value}\``;
}
