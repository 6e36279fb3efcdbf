// The evidence for one subject as a page to read, print or file.
import type {
  EntryChange,
  HitDecision,
  ListedEntry,
  OtherEntry,
  ScreeningAlert,
  SubjectMatch,
  WatchedHit,
} from '@limen/contract';
import { WATCHED_HITS_MAX } from '@limen/contract';
import { type Html, html } from '../../../platform/http/pages/html.ts';
import { loadInlineStyle, type StandalonePage } from '../../../platform/http/pages/standalone.ts';
import { explainNoList } from '../../lists/catalogue/collections.ts';
import type { HistoryEntry } from '../present.ts';
import type { EvidenceStream } from './collect.ts';

const STYLE = loadInlineStyle(new URL('./page.css', import.meta.url));

const WITHOUT_HITS = {
  screened: 'No listed entity matches.',
  due: 'It has not been screened yet, so that nothing was found says nothing.',
  no_list: 'It is not screened, so that nothing was found says nothing.',
};

export function evidencePage(evidence: EvidenceStream): StandalonePage {
  return { title: `Evidence for ${evidence.subject.reference}`, style: STYLE, parts: writeParts(evidence) };
}

async function* writeParts(evidence: EvidenceStream): AsyncGenerator<Html> {
  const { subject, hits, writtenAt } = evidence;
  yield html`<main>\n${opening(evidence)}`;
  yield html`<section>
<h2>The subject</h2>
${facts(html`${renderFacts(SUBJECT_FIELDS, subject)}`, fact('id', code(subject.id)))}
</section>
${screenedAgainst(evidence)}<section>
<h2>Hits as they stand</h2>
${hits.length === 0 && html`<p class="${subject.state === 'screened' ? 'nothing' : 'notice'}">${WITHOUT_HITS[subject.state]}</p>`}
${subject.state === 'no_list' && html`<p class="notice">${explainNoList(subject.dataset)}</p>`}
${subject.moreHits && html`<p class="notice">More than ${WATCHED_HITS_MAX} listed entities match; the best of them are kept.</p>`}
`;
  for (const hit of hits) yield hitArticle(hit);
  yield html`</section>
<section>
<h2>History</h2>
<p class="quiet">Every change of an outcome or of the subject and every decision, oldest first, with the entry as the list had it at that time.</p>
<ol class="history">
`;
  let entries = 0;
  for await (const page of evidence.history) {
    entries += page.length;
    yield html`${page.map(historyItem)}`;
  }
  yield html`</ol>
${entries === 0 && html`<p class="nothing">Nothing was found so far.</p>`}
</section>
<footer>
<p>${entries} ${entries === 1 ? 'entry' : 'entries'} of history. Complete as of ${time(writtenAt)}.</p>
<p>Times are in UTC. The hash of an entry is the SHA-256 of all that the list said about the entity, in a fixed order; two entries with the same hash say the same. Scores are from 0 to 1.</p>
</footer>
</main>
`;
}

function opening({ subject, hits, writtenAt, service }: EvidenceStream): Html {
  const { reference, state, createdAt, screenedAt, dataset, scoreThreshold } = subject;
  const open = hits.filter(({ decision }) => !decision).length;
  const confirmed = hits.filter(({ decision }) => decision?.decision === 'confirmed').length;
  const tile = (count: number, words: string, mark = '') =>
    html`<div class="tile ${count > 0 && mark}"><strong>${count}</strong> ${words}</div>\n`;
  return html`<header>
<p class="kind">Screening evidence</p>
<h1><bdi>${reference}</bdi></h1>
<p class="quiet">Watched since ${time(createdAt)} against <bdi>${dataset}</bdi>, hits from a score of ${scoreThreshold}; ${
    state === 'no_list'
      ? 'not screened, because no list is behind that'
      : state === 'due' || screenedAt === undefined
        ? 'to be screened'
        : html`last screened ${time(screenedAt)}`
  }. Written ${time(writtenAt)} by ${service}.</p>
<div class="tiles">
${tile(hits.length, hits.length === 1 ? 'hit' : 'hits')}
${tile(open, 'not decided', 'open')}
${tile(confirmed, 'confirmed', 'confirmed')}
${tile(hits.length - open - confirmed, 'not this subject')}
</div>
</header>
`;
}

function screenedAgainst({ subject, screening }: EvidenceStream): Html {
  const { lists, engineVersion, screenedAt } = screening;
  const rows = lists.map(({ name, version, comparedAt }) => {
    const compared = comparedAt === undefined ? 'not worked through yet' : time(comparedAt);
    return html`<tr><th scope="row"><bdi>${name}</bdi></th><td><bdi>${version}</bdi></td><td>${compared}</td></tr>\n`;
  });
  return html`<section>
<h2>What it was screened against</h2>
${facts(
  fact('dataset', subject.dataset),
  fact('engine', engineVersion),
  fact('last screened', screenedAt && time(screenedAt)),
)}
${rows.length === 0 ? html`<p class="notice">No list.</p>` : table(['list', 'version', 'compared'], rows)}</section>
`;
}

function hitArticle({ match, list, listVersion, entryHash, others, decision, ...hit }: WatchedHit): Html {
  // As in docs/screening.md, "Choosing a threshold".
  const band = match.score >= 0.95 ? 'strong' : match.score >= 0.85 ? 'medium' : 'weak';
  return html`<article>
<header class="hit">
<h3><bdi>${match.caption}</bdi> <span class="quiet">${match.schema}</span></h3>
<p class="score ${band}">score <strong>${match.score}</strong></p>
</header>
<p class="decision ${decision?.decision ?? 'open'}">${decision ? decisionWords(decision) : 'Not decided.'}</p>
<h4>Why it matches</h4>
${comparison(match)}
<h4>As listed</h4>
${listing(match)}
${otherEntries(others, 'Also listed')}
<h4>Where it comes from</h4>
${facts(
  fact('list', html`<bdi>${list}</bdi>, version <bdi>${listVersion}</bdi>`),
  fact('entity', code(match.id)),
  fact('hash of the entry', code(entryHash)),
  fact('engine', hit.engineVersion),
  fact('found', time(hit.foundAt)),
  fact('last changed', time(hit.changedAt)),
  fact('hit', code(hit.id)),
)}
</article>
`;
}

function comparison({ explanation, matchedName, nameScore }: SubjectMatch): Html {
  const rows = Object.entries(explanation).map(
    ([name, { detail, query, candidate }]) =>
      html`<tr><th scope="row">${fieldLabel(name)}</th><td><bdi>${query}</bdi></td><td><bdi>${candidate}</bdi></td><td>${detail}</td></tr>\n`,
  );
  return html`${table(['what', 'known of the subject', 'listed', 'how they compare'], rows)}<p class="quiet">Closest name: <bdi>${matchedName}</bdi>. Score of the name and the date of birth alone: ${nameScore}.</p>
`;
}

function otherEntries(others: readonly OtherEntry[] = [], heading: string): Html[] {
  return others.map(
    ({ list, listVersion, entryHash, entry }) => html`<h4>${heading} on <bdi>${list}</bdi>${
      listVersion !== undefined && html`, version <bdi>${listVersion}</bdi>`
    }</h4>
${entry && listing(entry)}
<p class="quiet">Hash of the entry ${code(entryHash)}</p>
`,
  );
}

function listing(match: ListedEntry): Html {
  return html`${facts(html`${renderFacts(LISTED_FIELDS, match)}`)}\n`;
}

const KIND_WORDS: Readonly<Record<ScreeningAlert['kind'] | 'refreshed', string>> = {
  new: 'New hit',
  changed: 'Changed',
  removed: 'Removed',
  refreshed: 'Scored anew',
};
const REASON_WORDS = {
  entry: 'the list says something else about it',
  strength: 'the match has become stronger or weaker',
  subject: 'what is known of the subject has changed',
  engine: 'another version of the engine scores it otherwise',
  delisted: 'the list no longer has it',
  threshold: 'the threshold was raised',
  dataset: 'the subject is watched against something else',
  list: 'the list is no longer behind its dataset',
};

function historyItem(entry: HistoryEntry): Html {
  const item = (style: string, body: Html) => html`<li class="${style}"><p class="when">${time(entry.at)}</p>
${body}</li>
`;
  if (entry.kind === 'subject_changed')
    return item(
      'subject',
      html`<p><strong>The subject was changed</strong>, and is screened again.</p>
${changeTable(entry.changes, 'before', 'since then')}`,
    );
  if (entry.kind === 'decision' || entry.kind === 'withdrawal') {
    const { decision, entityId, entryHash } = entry;
    const on = html`<p class="quiet">On entity ${code(entityId)}, hash of the entry ${code(entryHash)}</p>`;
    if (entry.kind === 'decision')
      return item(`decision ${decision.decision}`, html`<p>${decisionWords(decision)}</p>\n${on}`);
    return item(
      'decision open',
      html`<p><strong>Decision withdrawn</strong>, by <bdi>${entry.author}</bdi>: <bdi>${entry.reason}</bdi></p>
<p class="notice">It was: ${decisionWords(decision)}</p>
${on}`,
    );
  }
  const {
    kind,
    match,
    list,
    listVersion,
    entryHash,
    engineVersion,
    before,
    because = [],
    changes,
    others,
    lapsed,
  } = entry;
  const details = Object.entries(match.explanation).map(([name, { detail }]) => `${fieldLabel(name)}: ${detail}`);
  return item(
    kind,
    html`<p><strong>${KIND_WORDS[kind]}</strong>: <bdi>${match.caption}</bdi>, score ${
      before && before.score !== match.score ? `${before.score} → ${match.score}` : match.score
    }${because.length > 0 && html`; ${because.map((reason) => REASON_WORDS[reason]).join(', and ')}`}.</p>
${lapsed && html`<p class="notice">This decision lapsed: ${decisionWords(lapsed)}</p>`}
${changes && changeTable(changes)}
${before && before.entryHash !== entryHash && !changes && !others && html`<p class="quiet">What changed is in parts of the entry that are not kept here.</p>`}
<p class="quiet"><bdi>${details.join('; ')}</bdi></p>
${
  kind !== 'refreshed' &&
  html`<details open><summary>${kind === 'removed' ? 'Last listing' : 'Listing at that time'}</summary>
${listing(match)}
${otherEntries(others, 'Other changes')}</details>`
}
<p class="quiet">Entity ${code(match.id)} on <bdi>${list}</bdi>, version <bdi>${listVersion}</bdi>${
      before && before.listVersion !== listVersion && html` (before: <bdi>${before.listVersion}</bdi>)`
    }, engine ${engineVersion}, hash of the entry ${code(entryHash)}</p>`,
  );
}

function changeTable(changes: readonly EntryChange[], before = 'no longer listed', after = 'listed now'): Html {
  const cell = (values: readonly string[]) => values.map((value) => html`<div><bdi>${value}</bdi></div>`);
  const rows = changes.map(
    ({ field, list, removed, added }) =>
      html`<tr><th scope="row">${fieldLabel(field)}${list !== undefined && html` <span class="quiet">on <bdi>${list}</bdi></span>`}</th><td class="gone">${cell(removed)}</td><td class="came">${cell(added)}</td></tr>\n`,
  );
  return table(['what changed', before, after], rows, html` class="changes"`);
}

function table(heads: readonly string[], rows: readonly Html[], style?: Html): Html {
  return html`<div class="scroll"><table${style}>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
}

function decisionWords({ decision, author, decidedAt, reason }: HitDecision): Html {
  const verdict = decision === 'confirmed' ? 'Confirmed' : 'Not this subject';
  return html`<strong>${verdict}</strong>, by <bdi>${author}</bdi> on ${time(decidedAt)}: <bdi>${reason}</bdi>`;
}

const SUBJECT_FIELDS = [
  ...(['schema', 'name', 'firstName', 'lastName', 'aliases', 'birthDate', 'countries', 'nationalities'] as const),
  ...(['identifiers', 'addresses'] as const),
];
const LISTED_FIELDS = [
  ...(['caption', 'aliases', 'birthDate', 'countries', 'nationalities', 'identifiers', 'addresses'] as const),
  ...(['positions', 'topics', 'programs', 'datasets', 'referents', 'firstSeen', 'lastSeen', 'lastChange'] as const),
];

const LABELS: Readonly<Record<string, string>> = {
  schema: 'what it is',
  caption: 'name',
  firstName: 'given name',
  lastName: 'family name',
  aliases: 'other names',
  birthDate: 'born',
  datasets: 'from lists',
  referents: 'ids elsewhere',
  firstSeen: 'first seen',
  lastSeen: 'last seen',
  lastChange: 'entry last changed',
};

function fieldLabel(field: string): string {
  return LABELS[field] ?? field;
}

function code(text: string): Html {
  return html`<code>${text}</code>`;
}

function time(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

function facts(...rows: readonly (Html | false)[]): Html {
  return html`<dl class="facts">\n${rows.map((row) => html`${row}\n`)}</dl>`;
}

/** Returns nothing for a field without a value. */
function fact(name: string, ...values: readonly (string | Html | undefined)[]): Html | false {
  const shown = values.filter((value) => value !== undefined);
  if (shown.length === 0) return false;
  const cells = shown.map((value) => html`<dd>${typeof value === 'string' ? html`<bdi>${value}</bdi>` : value}</dd>`);
  return html`<div><dt>${fieldLabel(name)}</dt>${cells}</div>\n`;
}

type FieldValue = string | null | undefined | readonly (string | { kind?: string | undefined; value: string })[];

function renderFacts<Field extends string>(
  fields: readonly Field[],
  values: Readonly<Partial<Record<Field, FieldValue>>>,
) {
  return fields.map((field) => fact(field, ...renderValues(field, values[field])));
}

/** Fields with short values, which share a line. */
const IN_ONE_LINE = new Set(['birthDate', 'countries', 'nationalities', 'topics', 'programs', 'datasets', 'referents']);

function renderValues(field: string, value: FieldValue): (string | Html)[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value === 'string') return [value];
  if (value.length > 0 && IN_ONE_LINE.has(field)) return [value.join(', ')];
  return value.map((part) =>
    typeof part === 'string'
      ? part
      : html`${part.kind && html`<span class="quiet">${part.kind}</span> `}<bdi>${part.value}</bdi>`,
  );
}
