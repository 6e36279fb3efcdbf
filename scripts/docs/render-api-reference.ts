// docs/api.md from the OpenAPI document of a running application.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import {
  COMMON_REPLIES,
  type Field,
  listOperations,
  type Operation,
} from '../../apps/server/src/platform/http/reference/api-reference.ts';
import { createLogSink } from '../../apps/server/src/platform/logging.ts';
import { ERROR_STATUS } from '../../packages/contract/src/index.ts';

export async function renderApiReference(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-docs-'));
  const app = await createApp({ config: loadConfig({ DATA_DIR: dataDir }), log: createLogSink('silent').log });
  const operations = listOperations(app.http.swagger());
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });

  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const parts = operations.filter((operation) => operation.tag === tag).map(renderOperation);
    return `## ${tag}\n\n${parts.join('\n')}`;
  });
  const codes = Object.entries(ERROR_STATUS).map(([code, status]) => `| ${status} | \`${code}\` |`);
  return `# API reference

<!-- Generated from the schemas that validate by \`npm run docs\`; do not edit. -->

A running Limen serves the same reference as a page at \`/docs\` and as OpenAPI 3.1 at \`/openapi.json\`.

${COMMON_REPLIES}

${sections.join('\n')}
## Error codes

A refusal is \`{ statusCode, error, message, requestId, details? }\`, on the biometric node \`{ status, message }\`
([node.md](node.md) lists its numbers), and under \`/yente\` \`{ detail }\`. All carry one of these codes in the \`x-error-code\` header.

| Status | Code |
|---|---|
${codes.join('\n')}
`;
}

function renderOperation(operation: Operation): string {
  const { method, path, summary, description, needsApiKey, parameters, body, replies } = operation;
  const parts = [`### ${method} ${path}\n\n${summary}. ${description}`.trimEnd()];
  if (needsApiKey) {
    const inBody = body.some(({ name }) => name === 'api_key') ? ', or `api_key` in the body' : '';
    parts.push(`Needs \`x-api-key\`${inBody}.`);
  }
  if (parameters.length > 0) {
    parts.push(
      fieldTable(
        'Parameter',
        parameters.map((field) => ({ ...field, name: `${field.name}\` (${field.place})\`` })),
      ),
    );
  }
  if (body.length > 0) parts.push(fieldTable('Body field', body));
  for (const { status, description, fields } of replies) {
    if (Number(status) >= 300 || fields.length === 0) continue;
    const several = replies.filter((reply) => reply.status === status).length > 1;
    parts.push(`${several ? `${description}\n\n` : ''}${fieldTable(`Field of the ${status} reply`, fields)}`);
  }
  parts.push(replies.map(({ status, description }) => `- **${status}** ${description}`).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

function fieldTable(heading: string, fields: Field[]): string {
  const rows = fields.map(({ name, type, required, description }) => {
    const shown = `\`${name}\``.replaceAll('``', '');
    return `| ${shown}${required ? '' : ' (optional)'} | ${type.replaceAll('|', '\\|')} | ${description} |`;
  });
  return `| ${heading} | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`;
}
