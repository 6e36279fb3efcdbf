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

All settings come from the environment. An invalid value stops the start, and every problem is listed at once.
An empty variable counts as unset. Secrets are never shown, not even in an error.

A variable whose name is nearly that of a setting, such as \`DATABASE_UR\`, stops the start too: it would be ignored otherwise.
This holds for the service, the key-holder and \`limen\`. Secrets are not read from files: instead of \`MASTER_KEY_FILE\`, set
\`MASTER_KEY="$(cat FILE)"\`.

${sections.join('\n')}`;
}

function defaultOf({ default: value }: Setting<unknown>): string {
  return value === undefined ? 'unset' : `\`${value}\``;
}
