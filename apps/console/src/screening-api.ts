// Calls of the screening room.
import type {
  AlertFilters,
  AlertPageView,
  ClearedPageView,
  DecidedView,
  FileProgress,
  HistoryPageView,
  NameSearch,
  NameSearchView,
  NewDecisionView,
  OwnerFilter,
  RevealedHistoryView,
  RevealedWatchedView,
  ScreeningReply,
  ScreeningView,
  SubjectFilters,
  SubjectPageView,
  SubjectView,
} from '@limen/server/console/screening';
import { fetchReply, get, post } from './call.ts';
import { TEXTS } from './texts.ts';

type After = { after?: string | undefined };

/** Names have their own address, which requires a role that may see them. */
const pageOf = <Page, Filters>(path: string) => {
  return (filters: Filters & After, isRevealed: boolean) =>
    post<Page>(`${path}/search${isRevealed ? '/reveal' : ''}`, filters);
};

export const screeningApi = {
  overview: () => get<ScreeningView>('screening'),
  search: (search: NameSearch) => post<NameSearchView>('screening/search', search),
  subjects: pageOf<SubjectPageView, SubjectFilters>('subjects'),
  alerts: pageOf<AlertPageView, AlertFilters>('alerts'),
  cleared: pageOf<ClearedPageView, OwnerFilter>('cleared'),

  subject: (id: string) => get<SubjectView>(`subjects/${encodeURIComponent(id)}`),
  reveal: (id: string) => post<RevealedWatchedView>(`subjects/${id}/reveal`),
  history: (id: string, page: After) => post<HistoryPageView>(`subjects/${id}/history`, page),
  revealHistory: (id: string, page: After) => post<RevealedHistoryView>(`subjects/${id}/history/reveal`, page),
  decide: (id: string, hitId: string, decision: NewDecisionView) =>
    post<DecidedView>(`subjects/${id}/hits/${hitId}/decide`, decision),
  withdraw: (id: string, hitId: string, reason: string) => post(`subjects/${id}/hits/${hitId}/withdraw`, { reason }),
};

export interface ScreenedFile {
  reply: ScreeningReply;
  /** Raw JSON. */
  text: string;
}

/** Uploads a file and reads the streamed reply: progress lines, then the result. */
export async function screenFile({
  file,
  dataset,
  scoreThreshold,
  extended,
  onProgress,
  signal,
}: {
  file: Blob;
  dataset: string;
  scoreThreshold: string;
  /** Also compare the optional columns. */
  extended: boolean;
  onProgress: (rows: number, total: number) => void;
  signal: AbortSignal;
}): Promise<ScreenedFile> {
  const query = new URLSearchParams({
    ...{ dataset, ...(scoreThreshold !== '' && { scoreThreshold }) },
    ...(extended && { columns: 'extended' }),
  });
  const headers = { 'content-type': 'text/csv' };
  const reply = await fetchReply(`screening/file?${query}`, { method: 'POST', headers, body: file, signal });
  let total = 0;
  for await (const line of readLines(reply)) {
    const progress = parseProgress(line);
    if (progress === undefined) break;
    if ('summary' in progress) return { reply: progress, text: line };
    if ('problem' in progress) throw new Error(progress.problem);
    if ('total' in progress) total = progress.total;
    onProgress('rows' in progress ? progress.rows : 0, total);
  }
  throw new Error(TEXTS.screening.file.broken);
}

function parseProgress(line: string): FileProgress | undefined {
  try {
    return JSON.parse(line) as FileProgress;
  } catch {
    return undefined;
  }
}

async function* readLines({ body }: Response): AsyncGenerator<string> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let parts: string[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const [first = '', ...remaining] = value.split('\n');
    parts.push(first);
    for (const part of remaining) {
      yield parts.join('');
      parts = [part];
    }
  }
  const last = parts.join('');
  if (last !== '') yield last;
}
