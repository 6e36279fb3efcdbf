// Watched subjects: customers’ subjects that are screened whenever a list changes, their hits and
// decisions.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';
import { pageQuery } from './page-query.ts';
import { ref } from './ref.ts';
import { SCORE_THRESHOLD_DEFAULT } from './sanctions.ts';
import { ListedEntry, MatchRequest, ScreeningSubject, SubjectMatch } from './screening-match.ts';
import { SessionCallback } from './session-fields.ts';
import { visibleText } from './visible-text.ts';
import { FieldWarning, Warnings } from './warnings.ts';
import { CHANGED_HIT_SAMPLE, NEW_HIT_SAMPLE, REMOVED_HIT_SAMPLE } from './webhook-samples.ts';

/** Page size of subjects and alerts: default and maximum. */
export const WATCH_PAGE_DEFAULT = 50;
export const WATCH_PAGE_MAX = 200;
export const DECISION_REASON_MAX = 2_000;
/** Maximum number of hits stored per subject. The best ones are kept. */
export const WATCHED_HITS_MAX = 500;
const AUTHOR_MAX = 200;

const time = (description: string) => Type.String({ format: 'date-time', description });
const closed = { additionalProperties: false };
const { id: _, ...subjectFields } = ScreeningSubject.properties;
const { dataset, scoreThreshold } = MatchRequest.properties;

const Reference = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Your own id for the subject, such as a customer number. One subject per reference.',
});

const watchFields = {
  reference: Reference,
  ...subjectFields,
  dataset,
  scoreThreshold,
  callback: Type.Optional({
    ...SessionCallback,
    description: 'Endpoint that receives alerts. Without it, alerts are only listed.',
  } as typeof SessionCallback),
};

const MoreHits = Type.Optional(
  Type.Boolean({
    description: `True if more than ${WATCHED_HITS_MAX} listed entities match. Only the best are kept and reported. Add details to the subject, or raise its threshold.`,
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
  '`due`: the subject is waiting to be screened, or a list of its dataset could not be searched yet. `screened`: its hits are up to date. `no_list`: its dataset contains no real list, because the list was removed or only the fictional demo list is left. The absence of hits then means nothing; see `warnings`. The subject is screened as soon as there is a list.',
);

export const WatchedSubject = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    ...watchFields,
    dataset: Type.String(),
    scoreThreshold: Type.Number({ minimum: 0, maximum: 1, default: SCORE_THRESHOLD_DEFAULT }),
    state: State,
    hits: Type.Integer({ minimum: 0, description: 'Number of listed entities that the subject may be.' }),
    moreHits: MoreHits,
    createdAt: time('When the subject was first watched.'),
    changedAt: time('When the subject’s data last changed.'),
    screenedAt: Type.Optional(time('When the subject was last screened.')),
    warnings: Type.Optional(
      Type.Array(FieldWarning, {
        description:
          'Parts that are not screened, such as parts of a very long name (`path`: `subject`), and a dataset without a list (`dataset`). The reply to a write also lists up to ten unknown fields, such as `body.birthdte`.',
      }),
    ),
  },
  { $id: 'WatchedSubject' },
);
export type WatchedSubject = Static<typeof WatchedSubject>;

export const FindWatchedSubject = Type.Object({ reference: Reference }, { examples: [{ reference: 'customer-1071' }] });
export type FindWatchedSubject = Static<typeof FindWatchedSubject>;

const page = (description: string) => pageQuery({ max: WATCH_PAGE_MAX, defaultLimit: WATCH_PAGE_DEFAULT, description });

export const ListWatchedSubjectsQuery = Type.Object(
  {
    ...page('Maximum number of subjects per page.'),
    state: Type.Optional(State),
    hits: Type.Optional(
      oneOf(
        ['open', 'decided', 'none'],
        '`open`: subjects with at least one undecided hit. `decided`: subjects whose hits are all decided. `none`: subjects without hits.',
      ),
    ),
  },
  closed,
);
export type ListWatchedSubjectsQuery = Static<typeof ListWatchedSubjectsQuery>;

export const WatchedSubjectPage = Type.Object(
  {
    subjects: Type.Array(ref(WatchedSubject), { description: 'Newest first.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Opaque cursor of the next page. Absent on the last page.' })),
  },
  { $id: 'WatchedSubjectPage' },
);
export type WatchedSubjectPage = Static<typeof WatchedSubjectPage>;

const Verdict = oneOf(
  ['confirmed', 'not_this_subject'],
  '`confirmed`: the subject is the listed entity. `not_this_subject`: the subject is someone else.',
);

const REASON_DESCRIPTION = 'Reason for the decision. Included in the evidence.';
const AUTHOR_DESCRIPTION = 'Name of the person who decided. Free text.';
/** Stored form. Requests must also contain a visible character. */
const decisionFields = {
  decision: Verdict,
  reason: Type.String({ minLength: 1, maxLength: DECISION_REASON_MAX, description: REASON_DESCRIPTION }),
  author: Type.String({ minLength: 1, maxLength: AUTHOR_MAX, description: AUTHOR_DESCRIPTION }),
};

export const DecideHitRequest = Type.Object(
  {
    decision: Verdict,
    reason: visibleText(DECISION_REASON_MAX, REASON_DESCRIPTION),
    author: visibleText(AUTHOR_MAX, AUTHOR_DESCRIPTION),
    entryHash: Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        '`entryHash` of the hit that was reviewed. If the entry has changed since, the decision is rejected.',
    }),
  },
  {
    $id: 'DecideHitRequest',
    examples: [
      {
        decision: 'not_this_subject',
        reason: 'The passport shows a different date of birth.',
        author: 'A. Analyst',
        entryHash: '0'.repeat(64),
      },
    ],
  },
);
export type DecideHitRequest = Static<typeof DecideHitRequest>;

export const WithdrawDecisionRequest = Type.Object(
  {
    reason: visibleText(DECISION_REASON_MAX, REASON_DESCRIPTION),
    author: visibleText(AUTHOR_MAX, 'Name of the person who withdraws the decision. Free text.'),
  },
  {
    $id: 'WithdrawDecisionRequest',
    examples: [{ reason: 'The wrong passport was read.', author: 'A. Analyst' }],
  },
);
export type WithdrawDecisionRequest = Static<typeof WithdrawDecisionRequest>;

export const HitDecision = Type.Object(
  { ...decisionFields, decidedAt: time('When the decision was made.') },
  {
    $id: 'HitDecision',
    description: 'Valid until the entry, the subject’s data or the strength of the match changes.',
  },
);
export type HitDecision = Static<typeof HitDecision>;

/** A finding, with the list version and the engine version that produced it. */
const findingFields = {
  list: Type.String({ description: 'List that contains the entity.' }),
  listVersion: Type.String({ description: 'Version of the list that was searched.' }),
  entryHash: Type.String({
    description:
      'SHA-256 of everything the list states about the entity. If several lists contain it, the hash covers all of their entries.',
  }),
  engineVersion: Type.String({ description: 'Version of the engine that scored the match.' }),
  match: ref(SubjectMatch, 'The entity as listed, its score and the explanation.'),
};

export const OtherEntry = Type.Object(
  {
    list: Type.String({ description: 'Other list that contains the entity.' }),
    listVersion: Type.Optional(Type.String({ description: 'Version of that list that was searched.' })),
    entryHash: Type.String({ description: 'SHA-256 of everything this list states about the entity.' }),
    entry: Type.Optional(ref(ListedEntry)),
  },
  { $id: 'OtherEntry', description: 'Entry of another list for the same entity, under the same id.' },
);
export type OtherEntry = Static<typeof OtherEntry>;

export const WatchedHit = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    ...findingFields,
    others: Type.Optional(
      Type.Array(ref(OtherEntry), {
        description: 'Entries of other lists for the entity. Present only if several lists contain it.',
      }),
    ),
    foundAt: time('When the hit was first found.'),
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
    field: Type.String({ description: 'Name of the field in the match, such as `aliases`.' }),
    list: Type.Optional(Type.String({ description: 'List that contains the change, if it is not `list`.' })),
    removed: Type.Array(Type.String()),
    added: Type.Array(Type.String()),
  },
  { $id: 'EntryChange', description: 'Values that were removed and values that were added.' },
);
export type EntryChange = Static<typeof EntryChange>;

const alertFields = {
  id: Type.String({ format: 'uuid', description: 'Id of the alert.' }),
  subjectId: Type.String({ format: 'uuid', description: 'Id of the subject.' }),
  reference: Reference,
  hitId: Type.String({ format: 'uuid', description: 'Id of the hit.' }),
  dataset: Type.String({ description: 'Dataset against which the subject is watched.' }),
  ...findingFields,
  before: Type.Optional(
    Type.Object(
      {
        score: Type.Number({ minimum: 0, maximum: 1 }),
        entryHash: Type.String(),
        listVersion: Type.String(),
        engineVersion: Type.String(),
      },
      { description: 'Previous state of a hit that changed.' },
    ),
  ),
  because: Type.Optional(
    Type.Array(
      oneOf(
        ALERT_CAUSES,
        '`entry`: the list entry changed. `strength`: the match became stronger or weaker. `subject`: the subject’s data changed. `engine`: a new version of the engine scores the match differently. For removed hits also `delisted`: the list no longer contains the entity. `threshold`: the subject’s threshold was raised. `dataset`: the subject is watched against another dataset. `list`: the operator removed the list from the dataset.',
      ),
      { description: 'Why the hit changed or was removed.' },
    ),
  ),
  changes: Type.Optional(Type.Array(ref(EntryChange), { description: 'Displayed values of the entry that changed.' })),
  others: Type.Optional(
    Type.Array(ref(OtherEntry), {
      description:
        'Entries of other lists for the same entity that were added, changed or removed with this change. Removed entries show their last content.',
    }),
  ),
  lapsed: Type.Optional(ref(HitDecision, 'The decision that is no longer valid.')),
  moreHits: MoreHits,
  at: time('When the change was found.'),
};

export const ALERT_KINDS = ['new', 'changed', 'removed'] as const;

export const ScreeningAlert = Type.Object(
  {
    kind: oneOf(
      ALERT_KINDS,
      '`new`: a listed entity that the subject may be. `changed`: the list entry or the strength of the match changed. `removed`: the entity is no longer listed or no longer matches; `match` is its last state.',
    ),
    ...alertFields,
  },
  { $id: 'ScreeningAlert' },
);
export type ScreeningAlert = Static<typeof ScreeningAlert>;

export const ScreeningAlertPage = Type.Object(
  {
    alerts: Type.Array(ref(ScreeningAlert), { description: 'Newest first.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Opaque cursor of the next page. Absent on the last page.' })),
  },
  { $id: 'ScreeningAlertPage' },
);
export type ScreeningAlertPage = Static<typeof ScreeningAlertPage>;

export const ListScreeningAlertsQuery = Type.Object(
  {
    ...page('Maximum number of alerts per page.'),
    subjectId: Type.Optional(Type.String({ format: 'uuid', description: 'Returns only alerts for this subject.' })),
    kind: Type.Optional(oneOf(ALERT_KINDS, 'Returns only alerts of this kind.')),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Returns only alerts from this time on, such as `2026-11-16T08:00:00Z`.',
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
    at: time('When the decision was made.'),
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
    decision: ref(HitDecision, 'The decision that is no longer valid.'),
    reason: decisionFields.reason,
    author: Type.String({
      minLength: 1,
      maxLength: AUTHOR_MAX,
      description: 'Name of the person who withdrew the decision.',
    }),
    at: time('When the decision was withdrawn.'),
  },
  { $id: 'WithdrawnDecision', description: 'A withdrawn decision. The hit must be decided again.' },
);
export type WithdrawnDecision = Static<typeof WithdrawnDecision>;

export const ChangedSubject = Type.Object(
  {
    kind: Type.Literal('subject_changed'),
    id: Type.String({ format: 'uuid' }),
    changes: Type.Array(ref(EntryChange), {
      description:
        'Changed fields with their values before and after. A change of `callback` is listed without values.',
    }),
    at: time('When the subject was changed.'),
  },
  {
    $id: 'ChangedSubject',
    description: 'A change of the subject’s data, or of its dataset.',
  },
);
export type ChangedSubject = Static<typeof ChangedSubject>;

export const RefreshedHit = Type.Object(
  { kind: Type.Literal('refreshed'), ...alertFields },
  {
    $id: 'RefreshedHit',
    description: 'A new score or explanation of the same entry, with the same strength. Stored without an alert.',
  },
);
export type RefreshedHit = Static<typeof RefreshedHit>;

export const ScreenedAgainst = Type.Object(
  {
    screenedAt: Type.Optional(time('When the subject itself was last screened.')),
    engineVersion: Type.Optional(
      Type.String({ description: 'Version of the engine that last screened the subject against all lists.' }),
    ),
    lists: Type.Array(
      Type.Object({
        name: Type.String(),
        version: Type.String({ description: 'Version with which the subject was or will be compared.' }),
        comparedAt: Type.Optional(
          time(
            'Since when the subject counts as compared with this version: it was screened against the version, or none of the version’s changes concerned it. Absent until the subject is screened and the version has been processed for all subjects, at the earliest a few seconds after it was loaded.',
          ),
        ),
      }),
      { description: 'Lists in the subject’s dataset. Empty if none is left.' },
    ),
  },
  { $id: 'ScreenedAgainst', description: 'Basis of the outcome. Present even if nothing was found.' },
);
export type ScreenedAgainst = Static<typeof ScreenedAgainst>;

export const SubjectEvidence = Type.Object(
  {
    subject: ref(WatchedSubject),
    screening: ref(ScreenedAgainst),
    hits: Type.Array(ref(WatchedHit), { description: 'Current hits, best first.' }),
    history: Type.Array(
      Type.Union([
        ref(ScreeningAlert),
        ref(RefreshedHit),
        ref(RecordedDecision),
        ref(WithdrawnDecision),
        ref(ChangedSubject),
      ]),
      {
        description: 'All changes of outcomes, changes of the subject and decisions, oldest first.',
      },
    ),
    writtenAt: time('When this evidence was generated.'),
    service: Type.String({ description: 'Name and version of the service.' }),
  },
  { $id: 'SubjectEvidence' },
);
export type SubjectEvidence = Static<typeof SubjectEvidence>;

/** Body of an alert’s webhook. */
const eventBody = <const Event extends string>(event: Event, $id: string, sample: object) =>
  Type.Object({ event: Type.Literal(event), ...alertFields }, { $id, examples: [sample] });

export const NewHitEvent = eventBody('screening.hit.new', 'NewHitEvent', NEW_HIT_SAMPLE);
export type NewHitEvent = Static<typeof NewHitEvent>;
export const ChangedHitEvent = eventBody('screening.hit.changed', 'ChangedHitEvent', CHANGED_HIT_SAMPLE);
export type ChangedHitEvent = Static<typeof ChangedHitEvent>;
export const RemovedHitEvent = eventBody('screening.hit.removed', 'RemovedHitEvent', REMOVED_HIT_SAMPLE);
export type RemovedHitEvent = Static<typeof RemovedHitEvent>;

const LINE_DEFAULT =
  'Applies to lines without a value of their own. If omitted, existing subjects keep their value and new ones get';

export const ImportSubjectsQuery = Type.Object(
  {
    dataset: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: `${LINE_DEFAULT} \`default\`.` })),
    scoreThreshold: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: `${LINE_DEFAULT} ${SCORE_THRESHOLD_DEFAULT}.` }),
    ),
  },
  closed,
);
export type ImportSubjectsQuery = Static<typeof ImportSubjectsQuery>;

export const SubjectImport = Type.Object(
  {
    added: Type.Integer({ minimum: 0 }),
    changed: Type.Integer({ minimum: 0 }),
    unchanged: Type.Integer({ minimum: 0, description: 'Lines with the same content as before.' }),
    refused: Type.Integer({ minimum: 0, description: 'Lines that could not be used.' }),
    problems: Type.Array(Type.Object({ line: Type.Integer({ minimum: 1 }), message: Type.String() }), {
      description: 'The first 100 refused lines, with the reason.',
    }),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Problems with the file: ignored columns, and the first 100 lines of which a part is not screened.',
      }),
    ),
  },
  { $id: 'SubjectImport' },
);
export type SubjectImport = Static<typeof SubjectImport>;

export const WatchedSubjectCount = Type.Object(
  {
    total: Type.Integer({ minimum: 0 }),
    due: Type.Integer({ minimum: 0, description: 'Number of subjects waiting to be screened.' }),
    withoutList: Type.Integer({
      minimum: 0,
      description:
        'Number of subjects in the state `no_list`. Their dataset contains no real list, so they are not screened.',
    }),
    outdated: Type.Integer({
      minimum: 0,
      description:
        'Number of subjects last screened by an earlier version of the engine. They are being screened again.',
    }),
  },
  { $id: 'WatchedSubjectCount' },
);
export type WatchedSubjectCount = Static<typeof WatchedSubjectCount>;
