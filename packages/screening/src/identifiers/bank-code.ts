// Codes of banks (ISO 9362): the first eight characters are the bank, three more behind them one of its branches.
const WITH_BRANCH = /^([A-Z]{6}[0-9A-Z]{2})[0-9A-Z]{3}$/;
const BANK = /^[A-Z]{6}[0-9A-Z]{2}$/;

/** Null for what names no branch. */
export function withoutBranch(normalised: string): string | null {
  return WITH_BRANCH.exec(normalised)?.[1] ?? null;
}

/** Whether two codes are of one bank, whichever of its branches they name. */
export function isSameBank(one: string, other: string): boolean {
  const bank = withoutBranch(one) ?? one;
  return BANK.test(bank) && bank === (withoutBranch(other) ?? other);
}
