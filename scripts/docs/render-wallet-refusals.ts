// Renders docs/reference/wallet-refusals.md: every refusal of a wallet's response.
import { REFUSALS } from '../../packages/wallet/src/refusals.ts';

export function renderWalletRefusals(): string {
  const rows = Object.entries(REFUSALS).map(
    ([code, { clause, meaning }]) => `| \`${code}\` | ${meaning} | ${clause} |`,
  );
  return `# Refusals of wallet answers

<!-- Generated from packages/wallet/src/refusals.ts by \`npm run docs\`; do not edit. -->

Every check of a wallet's answer has one name and a test that breaks exactly that check ([wallets](../proofs.md#wallets)).

| Refusal | Meaning | Clause |
|---|---|---|
${rows.join('\n')}
`;
}
