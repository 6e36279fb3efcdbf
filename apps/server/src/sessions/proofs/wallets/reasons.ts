// What a person is told of a refusal, out of many reasons that only a log has use for.
import type { WalletRefusal } from '@limen/plan';
import type { RefusalCode } from '@limen/wallet';

/** Why an answer is refused: by a check of the verifier, or because a list that says whether it holds could not be fetched. */
export type WalletFault = RefusalCode | 'status_unavailable' | 'crl_unavailable';

/** Everything else is `not_valid`, also where nobody can say whether it still holds: trying again may help. */
const REASONS: Partial<Record<WalletFault, WalletRefusal>> = {
  declined: 'declined',
  response_status: 'declined',
  document_missing: 'no_age',
  element_missing: 'no_age',
  element_not_true: 'no_age',
  issuer_untrusted: 'not_trusted',
  test_issuer: 'not_trusted',
  expired: 'ended',
  certificate_dates: 'ended',
  certificate_revoked: 'ended',
  status_revoked: 'ended',
};

export function reasonOf(code: WalletFault): WalletRefusal {
  return REASONS[code] ?? 'not_valid';
}
