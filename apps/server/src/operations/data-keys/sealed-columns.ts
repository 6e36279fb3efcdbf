// Every column whose values are sealed, and the place that each value is bound to, for whoever seals them anew.

import { operatorSessionPlace } from '../../console/operators/sessions.ts';
import { personKeyPlace } from '../../faces/galleries/person-handles.ts';
import { embeddingPlace } from '../../faces/galleries/store/embedding-seal.ts';
import { membersOf } from '../../faces/tokens/blocks/store.ts';
import { blockPlace, tokenPlace } from '../../faces/tokens/seal.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { replyPlace } from '../../platform/idempotency/idempotency.ts';
import { payloadPlace } from '../../platform/jobs/jobs.ts';
import { linePlace } from '../../records/audit/log.ts';
import { casePlace, notePlace } from '../../review/case.ts';
import { sharedListPlace } from '../../screening/lists/shared/lists.ts';
import { alertPlace, hitPlace, subjectPlace } from '../../screening/subjects/contents.ts';
import { evidencePlace } from '../../sessions/device/evidence-store.ts';
import { boxPlace, channelPlace } from '../../sessions/device/store.ts';
import { selfiePlace, walletLinkPlace } from '../../sessions/lifecycle/device-places.ts';
import { contentsPlace, outcomePlace } from '../../sessions/lifecycle/sessions.ts';
import { ageKeyPlace } from '../../sessions/proofs/age-keys/store.ts';
import { signingKeyPlace } from '../../signing/key-pair.ts';
import { sealedPlace } from '../../webhooks/sendable.ts';

/** A table of which rows cannot tell the place of what is sealed in them by themselves. */
export interface Beside<Other extends keyof Schema> {
  table: Other;
  /** Column of the row that has the id of the other. */
  by: string;
}

interface SealedColumns<Row, Other extends keyof Schema = keyof Schema> {
  /** By which rows are told apart and walked through. */
  key: readonly (keyof Row & string)[];
  places: Partial<Record<keyof Row & string, (row: Row, beside: Schema[Other]) => string>>;
  beside?: Beside<Other>;
}

type SealedColumnsOf = { [Table in keyof Schema]?: SealedColumns<Schema[Table], 'watched_subjects'> };

/** The largest last. API keys are sealed as whole rows too, and go with those. */
export const SEALED_COLUMNS = {
  signing_keys: { key: ['id'], places: { sealed: (row) => signingKeyPlace(row) } },
  shared_lists: { key: ['name'], places: { sealed: ({ name }) => sharedListPlace(name) } },
  operator_sessions: { key: ['id'], places: { sealed: (row) => operatorSessionPlace(row) } },
  jobs: { key: ['id'], places: { payload: ({ id }) => payloadPlace(id) } },
  idempotency_keys: { key: ['scope', 'key_digest'], places: { reply: ({ key_digest }) => replyPlace(key_digest) } },
  wallet_links: { key: ['id'], places: { sealed: ({ id }) => walletLinkPlace(id) } },
  handoff_boxes: { key: ['session_id'], places: { sealed: (row) => boxPlace(row.session_id) } },
  session_evidence: { key: ['session_id'], places: { sealed: (row) => evidencePlace(row.session_id) } },
  session_selfies: { key: ['session_id'], places: { sealed: (row) => selfiePlace(row.session_id, row.nonce) } },
  device_channels: { key: ['session_id'], places: { sealed: (row) => channelPlace(row.session_id) } },
  age_keys: { key: ['id'], places: { sealed: ({ id }) => ageKeyPlace(id) } },
  review_cases: { key: ['id'], places: { sealed: (row) => casePlace(row) } },
  review_notes: { key: ['id'], places: { sealed: (row) => notePlace(row) } },
  watched_subjects: { key: ['id'], places: { sealed: (row) => subjectPlace(row) } },
  watched_hits: {
    key: ['id'],
    beside: { table: 'watched_subjects', by: 'subject_id' },
    places: { sealed: ({ id }, subject) => hitPlace(id, subject) },
  },
  screening_alerts: { key: ['id'], places: { sealed: (row) => alertPlace(row) } },
  audit_lines: { key: ['seq'], places: { sealed: (row) => linePlace(row) } },
  person_keys: { key: ['person_id'], places: { sealed: (row) => personKeyPlace(row.person_id) } },
  webhook_deliveries: {
    key: ['id'],
    places: { sealed: (row) => sealedPlace(row), tries: (row) => sealedPlace(row, 'tries') },
  },
  sessions: { key: ['id'], places: { sealed: (row) => contentsPlace(row), outcome: (row) => outcomePlace(row) } },
  tokens: {
    key: ['gallery_id', 'seq'],
    places: { sealed: ({ id, person_id }) => tokenPlace({ id, personId: person_id }) },
  },
  token_blocks: {
    key: ['gallery_id', 'seq'],
    places: {
      sealed: (row) => blockPlace({ galleryId: row.gallery_id, id: row.id, epoch: row.epoch, members: membersOf(row) }),
    },
  },
  embeddings: { key: ['gallery_id', 'seq'], places: { sealed: ({ id }) => embeddingPlace(id) } },
} as const satisfies SealedColumnsOf;
