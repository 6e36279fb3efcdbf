// The part of docs/wallets.md that lists every refusal of a wallet's answer.
import { REFUSALS } from '../../packages/wallet/src/refusals.ts';

export function renderWalletRefusals(): string {
  const rows = Object.entries(REFUSALS).map(
    ([code, { clause, meaning }]) => `| \`${code}\` | ${meaning} | ${clause} |`,
  );
  return `| Refusal | Meaning | Clause |\n|---|---|---|\n${rows.join('\n')}\n`;
}
