// docs/reference/errors.md: every error code with its meaning and remedy.
import { type ErrorRow, listErrors } from '../../packages/contract/src/index.ts';

export function renderErrors(): string {
  const rows = listErrors();
  const table = (head: string, area: ErrorRow['area'], cells: (row: ErrorRow) => (string | number | undefined)[]) =>
    [
      `| ${head} | Meaning | What to do |`,
      `|${'---|'.repeat(head.split('|').length + 2)}`,
      ...rows
        .filter((row) => row.area === area)
        .map((row) => `| ${[...cells(row), row.meaning, row.remedy].join(' | ')} |`),
    ].join('\n');
  return `# Errors

<!-- Generated from packages/contract/src/error-table.ts by \`npm run docs\`; do not edit. -->

Every error code, what it means and what to do.

## HTTP errors

The code is in the \`x-error-code\` header. The body is \`{ statusCode, error, message, requestId, details? }\`, under \`/node\`
\`{ status, message }\`, and under \`/yente\` \`{ detail }\` with status 422 for invalid requests.

${table('Code | Status', 'http', ({ code, status }) => [`\`${code}\``, status])}

## Session errors

The code is in \`errors\` or \`errorCodes\` of results and webhooks. On the device channel it is \`code\` of the error body.

${table('Code | Message', 'session', ({ code, message }) => [code, message])}

## Biometric node

The code is \`status\` in the body of \`/node\` operations. 0 is a success; numbers that are missing here equal the HTTP status.

${table('Code | HTTP status', 'node', ({ code, status }) => [code, status])}

## Webhook deliveries

The code is \`lastError\` in \`GET /v2/webhook-deliveries\`.

${table('Code', 'delivery', ({ code }) => [`\`${code}\``])}
`;
}
