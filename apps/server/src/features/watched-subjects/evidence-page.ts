// The evidence for one subject as a page to read, print or file.
import type { HitDecision, SubjectEvidence, SubjectMatch, WatchedHit } from '@limen/contract';
import { type Html, html } from '../../platform/http/pages/html.ts';
import type { Page } from '../../platform/http/pages/page.ts';

export function evidencePage({ subject, hits, history, isWhole, writtenAt, service }: SubjectEvidence): Page {
  const { id, reference, state, createdAt, changedAt, screenedAt, hits: _, callback: __, ...known } = subject;
  return {
    title: `Evidence for ${reference}`,
    body: html`<main>
<h1>Evidence for ${reference}</h1>
<p>Written ${writtenAt} by ${service}. Watched since ${createdAt}, last changed ${changedAt}, ${
      state === 'due' ? 'to be screened' : `screened ${screenedAt ?? ''}`
    }. Id ${id}.</p>
<h2>What is known</h2>
<table>${Object.entries(known).map(([name, value]) => row(name, wordsOf(value)))}</table>
<h2>Hits</h2>
${hits.length === 0 ? html`<p>None.</p>` : hits.map(hitSection)}
<h2>History</h2>
${!isWhole && html`<p>Only the end of it is shown.</p>`}
${
  history.length === 0
    ? html`<p>Nothing was found so far.</p>`
    : html`<table><tr><th>when</th><th>what</th><th>entity</th><th>list</th><th>score</th><th>entry</th></tr>
${history.map(historyRow)}</table>`
}
</main>`,
  };
}

function hitSection({
  match,
  list,
  listVersion,
  entryHash,
  engineVersion,
  foundAt,
  changedAt,
  decision,
}: WatchedHit): Html {
  return html`<h3>${match.caption} (${match.id})</h3>
<table>
${row('score', String(match.score))}
${explanationOf(match).map(([name, words]) => row(name, words))}
${row('list', `${list}, version ${listVersion}`)}
${row('topics', match.topics.join(', '))}
${row('programs', match.programs.join(', '))}
${row('entry', entryHash)}
${row('engine', engineVersion)}
${row('found', foundAt)}
${row('changed', changedAt)}
${row('decision', decision ? decisionWords(decision) : 'none')}
</table>`;
}

function explanationOf({ explanation }: SubjectMatch): [string, string][] {
  return Object.entries(explanation).map(([name, { detail, query, candidate }]) => [
    name,
    `${detail} (known: ${query}; listed: ${candidate})`,
  ]);
}

function historyRow(entry: SubjectEvidence['history'][number]): Html {
  if (entry.kind === 'decision') {
    return html`<tr><td>${entry.at}</td><td>${decisionWords(entry.decision)}</td><td>${entry.entityId}</td><td></td><td></td><td>${entry.entryHash}</td></tr>\n`;
  }
  const { at, kind, match, list, listVersion, entryHash, before, lapsed } = entry;
  const score = before ? `${before.score} → ${match.score}` : match.score;
  return html`<tr><td>${at}</td><td>${kind}${lapsed && html`; the decision of ${lapsed.decidedAt} lapsed`}</td><td>${match.caption} (${match.id})</td><td>${list}, version ${listVersion}</td><td>${score}</td><td>${entryHash}</td></tr>\n`;
}

function decisionWords({ decision, author, decidedAt, reason }: HitDecision): string {
  const what = decision === 'confirmed' ? 'confirmed' : 'not this subject';
  return `${what}, by ${author} at ${decidedAt}: ${reason}`;
}

function row(name: string, value: string): Html {
  return html`<tr><th>${name}</th><td>${value}</td></tr>\n`;
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join('; ');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(wordsOf).join(' ');
  return String(value);
}
