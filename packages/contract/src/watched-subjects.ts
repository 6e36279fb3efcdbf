// Watched subjects: whom a customer wants to hear about when the lists change, what was found for them, and what was decided.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';
import { pageQuery } from './page-query.ts';
import { ref } from './ref.ts';
import { SCORE_THRESHOLD_DEFAULT } from './sanctions.ts';
import { ListedEntry, MatchRequest, ScreeningSubject, SubjectMatch } from './screening-match.ts';
import { SessionCallback } from './session-fields.ts';
import { visibleText } from './visible-text.ts';
import { FieldWarning, Warnings } from './warnings.ts';

/** Rows on one page of subjects or alerts when the client does not say, and at most. */
export const WATCH_PAGE_DEFAULT = 50;
export const WATCH_PAGE_MAX = 200;
export const DECISION_REASON_MAX = 2_000;
/** Listed entities that are kept for a subject; the best ones, where more match. */
export const WATCHED_HITS_MAX = 500;
const AUTHOR_MAX = 200;

const time = (description: string) => Type.String({ format: 'date-time', description });
const closed = { additionalProperties: false };
const { id: _, ...subjectFields } = ScreeningSubject.properties;
const { dataset, scoreThreshold } = MatchRequest.properties;

const Reference = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Your own name for the subject, such as a customer number. One subject per reference.',
});

const watchFields = {
  reference: Reference,
  ...subjectFields,
  dataset,
  scoreThreshold,
  callback: Type.Optional({
    ...SessionCallback,
    description: 'Where alerts are sent. Without it they are only listed.',
  } as typeof SessionCallback),
};

const MoreHits = Type.Optional(
  Type.Boolean({
    description: `True where more than ${WATCHED_HITS_MAX} listed entities match: only the best of them are kept and told. Say more about the subject, or raise its threshold.`,
  }),
);

export const WatchSubjectRequest = Type.Object(watchFields, {
  $id: 'WatchSubjectRequest',
  examples: [
    {
      reference: 'customer-1071',
      schema: 'Person',
      name: 'Maria Beispiel',
      birthDate: '1970-01-01',
      countries: ['at'],
      callback: { url: 'https://bank.example/alerts' },
    },
  ],
});
export type WatchSubjectRequest = Static<typeof WatchSubjectRequest>;

export const WATCH_STATES = ['due', 'screened', 'no_list'] as const;
export type WatchState = (typeof WATCH_STATES)[number];

const State = oneOf(
  WATCH_STATES,
  '`due`: it is to be screened, or a list that belongs to its dataset could not be searched yet. `screened`: its hits are up to date. `no_list`: no real list is behind its dataset, because the list was removed or only the fictional demo is left, so that it has no hits says nothing; `warnings` says which. It is screened as soon as there is a list.',
);

export const WatchedSubject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    ...watchFields,
    dataset: Type.String(),
    scoreThreshold: Type.Number({ minimum: 0, maximum: 1, default: SCORE_THRESHOLD_DEFAULT }),
    state: State,
    hits: Type.Integer({ minimum: 0, description: 'How many listed entities it may be.' }),
    moreHits: MoreHits,
    createdAt: time('When it was first watched.'),
    changedAt: time('When what is known of it last changed.'),
    screenedAt: Type.Optional(time('When it was last screened.')),
    warnings: Type.Optional(
      Type.Array(FieldWarning, {
        description:
          'Parts that are not screened, such as those of a very long name (`path`: `subject`), and a dataset without a list (`dataset`). When it is sent, at most ten unknown fields too, such as `body.birthdte`.',
      }),
    ),
  },
  { $id: 'WatchedSubject' },
);
export type WatchedSubject = Static<typeof WatchedSubject>;

export const FindWatchedSubject = Type.Object({ reference: Reference }, { examples: [{ reference: 'customer-1071' }] });
export type FindWatchedSubject = Static<typeof FindWatchedSubject>;

const page = (description: string) => pageQuery({ max: WATCH_PAGE_MAX, whenNotGiven: WATCH_PAGE_DEFAULT, description });

export const ListWatchedSubjectsQuery = Type.Object(
  {
    ...page('At most this many subjects on a page.'),
    state: Type.Optional(State),
    hits: Type.Optional(
      oneOf(
        ['open', 'decided', 'none'],
        '`open`: those with a hit that is still to be decided. `decided`: those whose hits are all decided. `none`: those without.',
      ),
    ),
  },
  closed,
);
export type ListWatchedSubjectsQuery = Static<typeof ListWatchedSubjectsQuery>;

export const WatchedSubjectPage = Type.Object(
  {
    subjects: Type.Array(ref(WatchedSubject), { description: 'Newest first.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Present while there are older ones; opaque.' })),
  },
  { $id: 'WatchedSubjectPage' },
);
export type WatchedSubjectPage = Static<typeof WatchedSubjectPage>;

const Verdict = oneOf(
  ['confirmed', 'not_this_subject'],
  '`confirmed`: the subject is the listed entity. `not_this_subject`: it is somebody else.',
);

const WHY = 'Why, for whoever reads the evidence.';
const WHO = 'Who decided it, in your own words.';
/** As they are kept; what is sent must also show something. */
const decisionFields = {
  decision: Verdict,
  reason: Type.String({ minLength: 1, maxLength: DECISION_REASON_MAX, description: WHY }),
  author: Type.String({ minLength: 1, maxLength: AUTHOR_MAX, description: WHO }),
};

export const DecideHitRequest = Type.Object(
  {
    decision: Verdict,
    reason: visibleText(DECISION_REASON_MAX, WHY),
    author: visibleText(AUTHOR_MAX, WHO),
    entryHash: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Of the hit that was looked at. If the entry has changed since, the decision is refused.',
    }),
  },
  {
    $id: 'DecideHitRequest',
    examples: [
      {
        decision: 'not_this_subject',
        reason: 'Another date of birth in the passport.',
        author: 'A. Analyst',
        entryHash: '0'.repeat(64),
      },
    ],
  },
);
export type DecideHitRequest = Static<typeof DecideHitRequest>;

export const WithdrawDecisionRequest = Type.Object(
  {
    reason: visibleText(DECISION_REASON_MAX, WHY),
    author: visibleText(AUTHOR_MAX, 'Who takes it back, in your own words.'),
  },
  {
    $id: 'WithdrawDecisionRequest',
    examples: [{ reason: 'The wrong passport was read.', author: 'A. Analyst' }],
  },
);
export type WithdrawDecisionRequest = Static<typeof WithdrawDecisionRequest>;

export const HitDecision = Type.Object(
  { ...decisionFields, decidedAt: time('When it was decided.') },
  {
    $id: 'HitDecision',
    description: 'Holds until the entry changes, or what is known of the subject, or the strength of the match.',
  },
);
export type HitDecision = Static<typeof HitDecision>;

/** What was found, against which version of which list, and by which engine. */
const findingFields = {
  list: Type.String({ description: 'The list that has the entity.' }),
  listVersion: Type.String({ description: 'The version of the list that was searched.' }),
  entryHash: Type.String({
    description:
      'SHA-256 of all that the list says about the entity; where several lists have it, of what all of them say.',
  }),
  engineVersion: Type.String({ description: 'The version of the engine that scored it.' }),
  match: ref(SubjectMatch, 'The entity as listed, its score, and why.'),
};

export const OtherEntry = Type.Object(
  {
    list: Type.String({ description: 'The list that has it too.' }),
    listVersion: Type.Optional(Type.String({ description: 'The version of it that was searched.' })),
    entryHash: Type.String({ description: 'SHA-256 of all that this list says about the entity.' }),
    entry: Type.Optional(ref(ListedEntry)),
  },
  { $id: 'OtherEntry', description: 'The entry of another list that has the same entity under the same id.' },
);
export type OtherEntry = Static<typeof OtherEntry>;

export const WatchedHit = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    ...findingFields,
    others: Type.Optional(
      Type.Array(ref(OtherEntry), { description: 'What other lists say about the entity, where several have it.' }),
    ),
    foundAt: time('When it was first found.'),
    changedAt: time('When the entry, the subject or the strength of the match last changed.'),
    decision: Type.Optional(ref(HitDecision)),
  },
  { $id: 'WatchedHit', description: 'A listed entity that a watched subject may be.' },
);
export type WatchedHit = Static<typeof WatchedHit>;

export const DecidedHit = Type.Object({ ...WatchedHit.properties, warnings: Warnings }, { $id: 'DecidedHit' });
export type DecidedHit = Static<typeof DecidedHit>;

export const WatchedHits = Type.Object(
  { hits: Type.Array(ref(WatchedHit), { description: 'Best first.' }), moreHits: MoreHits },
  { $id: 'WatchedHits' },
);
export type WatchedHits = Static<typeof WatchedHits>;

export const ALERT_CAUSES = [
  ...(['entry', 'strength', 'subject', 'engine', 'delisted', 'threshold', 'dataset', 'list'] as const),
] as const;
export type AlertCause = (typeof ALERT_CAUSES)[number];

export const EntryChange = Type.Object(
  {
    field: Type.String({ description: 'As the match calls it, such as `aliases`.' }),
    list: Type.Optional(Type.String({ description: 'The list that says so, where it is another one than `list`.' })),
    removed: Type.Array(Type.String()),
    added: Type.Array(Type.String()),
  },
  { $id: 'EntryChange', description: 'What is no longer said, and what is said now.' },
);
export type EntryChange = Static<typeof EntryChange>;

const alertFields = {
  id: Type.String({ format: 'uuid', description: 'Of the alert.' }),
  subjectId: Type.String({ format: 'uuid', description: 'The subject’s id.' }),
  reference: Reference,
  hitId: Type.String({ format: 'uuid', description: 'The hit’s id.' }),
  dataset: Type.String({ description: 'What the subject is watched against.' }),
  ...findingFields,
  before: Type.Optional(
    Type.Object(
      {
        score: Type.Number({ minimum: 0, maximum: 1 }),
        entryHash: Type.String(),
        listVersion: Type.String(),
        engineVersion: Type.String(),
      },
      { description: 'What it was until then, of a hit that changed.' },
    ),
  ),
  because: Type.Optional(
    Type.Array(
      oneOf(
        ALERT_CAUSES,
        '`entry`: the list says something else. `strength`: the match has become stronger or weaker. `subject`: what is known of the subject has changed. `engine`: another version of the engine scores it otherwise. Of a removed hit also `delisted`: the list no longer has the entity. `threshold`: the subject’s threshold was raised. `dataset`: the subject is watched against something else. `list`: the list is no longer behind its dataset, because the operator removed it.',
      ),
      { description: 'Why a hit counts as changed, or is removed.' },
    ),
  ),
  changes: Type.Optional(
    Type.Array(ref(EntryChange), { description: 'What is shown of the entry and was another before.' }),
  ),
  others: Type.Optional(
    Type.Array(ref(OtherEntry), {
      description:
        'Of other lists that have the entity too, the entries that came, changed or went with this change; of those that went, what they said.',
    }),
  ),
  lapsed: Type.Optional(ref(HitDecision, 'The decision that no longer holds.')),
  moreHits: MoreHits,
  at: time('When it was found.'),
};

export const ALERT_KINDS = ['new', 'changed', 'removed'] as const;

export const ScreeningAlert = Type.Object(
  {
    kind: oneOf(
      ALERT_KINDS,
      '`new`: a listed entity that the subject may be. `changed`: what the list says about it, or the strength of the match. `removed`: it is no longer listed or no longer matches; `match` is what it was.',
    ),
    ...alertFields,
  },
  { $id: 'ScreeningAlert' },
);
export type ScreeningAlert = Static<typeof ScreeningAlert>;

export const ScreeningAlertPage = Type.Object(
  {
    alerts: Type.Array(ref(ScreeningAlert), { description: 'Newest first.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Present while there are older ones; opaque.' })),
  },
  { $id: 'ScreeningAlertPage' },
);
export type ScreeningAlertPage = Static<typeof ScreeningAlertPage>;

export const ListScreeningAlertsQuery = Type.Object(
  {
    ...page('At most this many alerts on a page.'),
    subjectId: Type.Optional(Type.String({ format: 'uuid', description: 'Only those of this subject.' })),
    kind: Type.Optional(oneOf(ALERT_KINDS, 'Only those of this kind.')),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Only those from this moment on, such as `2026-11-16T08:00:00Z`.',
      }),
    ),
  },
  closed,
);
export type ListScreeningAlertsQuery = Static<typeof ListScreeningAlertsQuery>;

export const RecordedDecision = Type.Object(
  {
    kind: Type.Literal('decision'),
    id: Type.String({ format: 'uuid' }),
    hitId: Type.String({ format: 'uuid' }),
    entityId: Type.String(),
    entryHash: Type.String(),
    decision: ref(HitDecision),
    at: time('When it was decided.'),
  },
  { $id: 'RecordedDecision' },
);
export type RecordedDecision = Static<typeof RecordedDecision>;

export const WithdrawnDecision = Type.Object(
  {
    kind: Type.Literal('withdrawal'),
    id: Type.String({ format: 'uuid' }),
    hitId: Type.String({ format: 'uuid' }),
    entityId: Type.String(),
    entryHash: Type.String(),
    decision: ref(HitDecision, 'The decision that no longer holds.'),
    reason: decisionFields.reason,
    author: Type.String({ minLength: 1, maxLength: AUTHOR_MAX, description: 'Who withdrew it.' }),
    at: time('When it was withdrawn.'),
  },
  { $id: 'WithdrawnDecision', description: 'A decision that somebody took back: the hit is to be decided again.' },
);
export type WithdrawnDecision = Static<typeof WithdrawnDecision>;

export const ChangedSubject = Type.Object(
  {
    kind: Type.Literal('subject_changed'),
    id: Type.String({ format: 'uuid' }),
    changes: Type.Array(ref(EntryChange), {
      description:
        'By the names of the fields, with their values before and after; of `callback` only that it was changed.',
    }),
    at: time('When it was changed.'),
  },
  {
    $id: 'ChangedSubject',
    description: 'That what is known of the subject was changed, or what it is watched against.',
  },
);
export type ChangedSubject = Static<typeof ChangedSubject>;

export const RefreshedHit = Type.Object(
  { kind: Type.Literal('refreshed'), ...alertFields },
  {
    $id: 'RefreshedHit',
    description: 'Another score or explanation of the same entry, of the same strength: kept, and not told.',
  },
);
export type RefreshedHit = Static<typeof RefreshedHit>;

export const ScreenedAgainst = Type.Object(
  {
    screenedAt: Type.Optional(time('When the subject itself was last screened.')),
    engineVersion: Type.Optional(Type.String({ description: 'The engine that last screened it against everything.' })),
    lists: Type.Array(
      Type.Object({
        name: Type.String(),
        version: Type.String({ description: 'The version that the subject was compared with, or is to be.' }),
        comparedAt: Type.Optional(
          time(
            'Since when the subject counts as compared with this version: it was screened against it, or nothing that is new in it concerned the subject. Absent until the subject is screened and the version is worked through for everybody, a few seconds after it was loaded at the earliest.',
          ),
        ),
      }),
      { description: 'The lists behind its dataset. Empty where there is none any more.' },
    ),
  },
  { $id: 'ScreenedAgainst', description: 'What stands behind the outcome, also where nothing was found.' },
);
export type ScreenedAgainst = Static<typeof ScreenedAgainst>;

export const SubjectEvidence = Type.Object(
  {
    subject: ref(WatchedSubject),
    screening: ref(ScreenedAgainst),
    hits: Type.Array(ref(WatchedHit), { description: 'As they stand, best first.' }),
    history: Type.Array(
      Type.Union([
        ref(ScreeningAlert),
        ref(RefreshedHit),
        ref(RecordedDecision),
        ref(WithdrawnDecision),
        ref(ChangedSubject),
      ]),
      {
        description: 'Every change of an outcome, every change of the subject and every decision, oldest first.',
      },
    ),
    writtenAt: time('When this was put together.'),
    service: Type.String({ description: 'Name and version of the service.' }),
  },
  { $id: 'SubjectEvidence' },
);
export type SubjectEvidence = Static<typeof SubjectEvidence>;

/** The body of the webhooks. */
const eventBody = <const Event extends string>(event: Event, $id: string) =>
  Type.Object({ event: Type.Literal(event), ...alertFields }, { $id });

export const NewHitEvent = eventBody('screening.hit.new', 'NewHitEvent');
export type NewHitEvent = Static<typeof NewHitEvent>;
export const ChangedHitEvent = eventBody('screening.hit.changed', 'ChangedHitEvent');
export type ChangedHitEvent = Static<typeof ChangedHitEvent>;
export const RemovedHitEvent = eventBody('screening.hit.removed', 'RemovedHitEvent');
export type RemovedHitEvent = Static<typeof RemovedHitEvent>;

const FOR_LINES =
  'For lines that name none. Without it, subjects that are watched already keep theirs, and new ones get';

export const ImportSubjectsQuery = Type.Object(
  {
    dataset: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: `${FOR_LINES} \`default\`.` })),
    scoreThreshold: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: `${FOR_LINES} ${SCORE_THRESHOLD_DEFAULT}.` }),
    ),
  },
  closed,
);
export type ImportSubjectsQuery = Static<typeof ImportSubjectsQuery>;

export const SubjectImport = Type.Object(
  {
    added: Type.Integer({ minimum: 0 }),
    changed: Type.Integer({ minimum: 0 }),
    unchanged: Type.Integer({ minimum: 0, description: 'Sent before with the same content.' }),
    refused: Type.Integer({ minimum: 0, description: 'Lines that could not be used.' }),
    problems: Type.Array(Type.Object({ line: Type.Integer({ minimum: 1 }), message: Type.String() }), {
      description: 'The first 100 of them, and why.',
    }),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'What to know of the file: columns that were not read, and the first 100 lines of which a part is not screened.',
      }),
    ),
  },
  { $id: 'SubjectImport' },
);
export type SubjectImport = Static<typeof SubjectImport>;

export const WatchedSubjectCount = Type.Object(
  {
    total: Type.Integer({ minimum: 0 }),
    due: Type.Integer({ minimum: 0, description: 'Those that are still to be screened.' }),
    withoutList: Type.Integer({
      minimum: 0,
      description: 'Those in the state `no_list`: no real list is behind their dataset, and nobody screens them.',
    }),
    outdated: Type.Integer({
      minimum: 0,
      description: 'Those that an earlier version of the engine screened last: they are being screened again.',
    }),
  },
  { $id: 'WatchedSubjectCount' },
);
export type WatchedSubjectCount = Static<typeof WatchedSubjectCount>;
