import type {
  CaseFilters,
  CasePageView,
  CaseTransactionView,
  CaseView,
  RevealedSubjectView,
  ReviewerView,
  Verdict,
} from '@limen/server/console/review';
import { get, post, REFRESH } from './call.ts';

const at = (id: string, act: string) => `review/${encodeURIComponent(id)}/${act}`;

export const reviewApi = {
  search: (filters: CaseFilters, more: { after?: string; version?: string } = {}) =>
    post<CasePageView>('review/search', { ...filters, ...more }, more.version === undefined ? {} : REFRESH),
  reviewers: async () => (await get<{ reviewers: ReviewerView[] }>('review/reviewers')).reviewers,
  case: (id: string) => get<CaseView>(`review/${encodeURIComponent(id)}`),
  assign: (id: string, operator: string | null) => post<CaseView>(at(id, 'assign'), { operator }),
  comment: (id: string, text: string) => post<CaseView>(at(id, 'comment'), { text }),
  decide: (id: string, judgment: { verdict: Verdict; reason: string; entryHash?: string }) =>
    post<CaseView>(at(id, 'decide'), judgment),
  reveal: (id: string) => post<RevealedSubjectView>(at(id, 'reveal')),
  transaction: (id: string) => post<CaseTransactionView>(at(id, 'transaction')),
};
