// What the screening room asks its service for.
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
import { get, openReply, post } from './call.ts';
import { TEXTS } from './texts.ts';

type After = { after?: string | undefined };

/** The names are asked for at an address of their own, which the role must have. */
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
  /** As it came. */
  text: string;
}

/** Sends a file and reads the answer line by line: rows that are done, and at last the result. */
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
  /** Whether the optional columns are compared. */
  extended: boolean;
  onProgress: (rows: number, total: number) => void;
  signal: AbortSignal;
}): Promise<ScreenedFile> {
  const query = new URLSearchParams({
    ...{ dataset, ...(scoreThreshold !== '' && { scoreThreshold }) },
    ...(extended && { columns: 'extended' }),
  });
  const headers = { 'content-type': 'text/csv' };
  const reply = await openReply(`screening/file?${query}`, { method: 'POST', headers, body: file, signal });
  let total = 0;
  for await (const line of linesOf(reply)) {
    const said = tryToRead(line);
    if (said === undefined) break;
    if ('summary' in said) return { reply: said, text: line };
    if ('problem' in said) throw new Error(said.problem);
    if ('total' in said) total = said.total;
    onProgress('rows' in said ? said.rows : 0, total);
  }
  throw new Error(TEXTS.screening.file.broken);
}

function tryToRead(line: string): FileProgress | undefined {
  try {
    return JSON.parse(line) as FileProgress;
  } catch {
    return undefined;
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let parts: string[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const [first = '', ...others] = value.split('\n');
    parts.push(first);
    for (const other of others) {
      yield parts.join('');
      parts = [other];
    }
  }
  const last = parts.join('');
  if (last !== '') yield last;
}
