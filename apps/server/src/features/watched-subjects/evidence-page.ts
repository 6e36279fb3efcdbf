// The evidence for one subject as a page to read, print or file.
import type { HitDecision, SubjectEvidence, SubjectMatch, WatchedHit } from '@limen/contract';
import { type Html, html } from '../../platform/http/pages/html.ts';
import type { Page } from '../../platform/http/pages/page.ts';

export function evidencePage({ subject, hits, history, isWhole, writtenAt, service }: SubjectEvidence): Page {
  const { id, reference, state, createdAt, changedAt, screenedAt, hits: _, callback: __, ...known } = subject;
  return {
    title: `Evidence for ${reference}`,
    body: html`<main class="evidence">
<h1>Evidence for ${reference}</h1>
<p class="lead">Written ${time(writtenAt)} by ${service}. Watched since ${time(createdAt)}, last changed ${time(changedAt)}, ${
      state === 'due' || screenedAt === undefined ? 'to be screened' : html`screened ${time(screenedAt)}`
    }.</p>
<h2>What is known</h2>
<dl>
${fact('id', html`<code>${id}</code>`)}
${Object.entries(known).map(([name, value]) => fact(NAMES[name] ?? name, wordsOf(value)))}
</dl>
<h2>Hits</h2>
${hits.length === 0 ? html`<p>None.</p>` : hits.map(hitSection)}
<h2>History</h2>
${!isWhole && html`<p>Only the end of it is shown.</p>`}
${history.length === 0 ? html`<p>Nothing was found so far.</p>` : html`<ol>${history.map(historyItem)}</ol>`}
</main>`,
  };
}

/** As the page calls them; the others are called as they are. */
const NAMES: Readonly<Record<string, string>> = {
  birthDate: 'born',
  scoreThreshold: 'hits from a score of',
  firstName: 'given name',
  lastName: 'family name',
};

function hitSection(hit: WatchedHit): Html {
  const { match, list, listVersion, entryHash, engineVersion, foundAt, changedAt, decision } = hit;
  return html`<article>
<h3>${match.caption}</h3>
<p>Score ${match.score}. ${decision ? decisionWords(decision) : 'Not decided.'}</p>
<dl>
${explanationOf(match).map(([name, words]) => fact(NAMES[name] ?? name, words))}
${fact('entity', html`<code>${match.id}</code>`)}
${fact('list', `${list}, version ${listVersion}`)}
${match.topics.length > 0 && fact('topics', match.topics.join(', '))}
${match.programs.length > 0 && fact('programs', match.programs.join(', '))}
${fact('entry', html`<code>${entryHash}</code>`)}
${fact('engine', engineVersion)}
${fact('found', time(foundAt))}
${fact('changed', time(changedAt))}
</dl>
</article>
`;
}

function explanationOf({ explanation }: SubjectMatch): [string, string][] {
  return Object.entries(explanation).map(([name, { detail, query, candidate }]) => [
    name,
    `${detail} (known: ${query}; listed: ${candidate})`,
  ]);
}

function historyItem(entry: SubjectEvidence['history'][number]): Html {
  if (entry.kind === 'decision') {
    return html`<li><p>${time(entry.at)}: ${decisionWords(entry.decision)}</p><p class="optional">Entity ${entry.entityId}, entry <code>${entry.entryHash}</code></p></li>\n`;
  }
  const { at, kind, match, list, listVersion, entryHash, before, lapsed } = entry;
  const score = before ? `${before.score} → ${match.score}` : match.score;
  return html`<li><p>${time(at)}: <strong>${kind}</strong>, ${match.caption}, score ${score}.${
    lapsed && html` The decision of ${time(lapsed.decidedAt)} lapsed.`
  }</p><p class="optional">Entity ${match.id} on ${list}, version ${listVersion}, entry <code>${entryHash}</code></p></li>\n`;
}

function decisionWords({ decision, author, decidedAt, reason }: HitDecision): Html {
  const what = decision === 'confirmed' ? 'Confirmed' : 'Not this subject';
  return html`<strong>${what}</strong>, by ${author} on ${time(decidedAt)}: ${reason}`;
}

/** To the minute, in UTC; all of it is in the element. */
function time(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

function fact(name: string, value: string | Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`;
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join('; ');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(wordsOf).join(' ');
  return String(value);
}
