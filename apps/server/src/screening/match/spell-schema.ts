// Other systems send `person` or `PERSON`: the schema of a subject counts in any case, and is kept as the reference has it.
import { SUBJECT_SCHEMAS } from '@limen/contract';

const byLetters = new Map<string, string>(SUBJECT_SCHEMAS.map((schema) => [schema.toLowerCase(), schema]));

/** Changes what was sent, before it is checked: what is no subject, or no schema, is refused then. */
export function spellSchema(sent: unknown): void {
  if (typeof sent !== 'object' || sent === null || !('schema' in sent) || typeof sent.schema !== 'string') return;
  sent.schema = byLetters.get(sent.schema.toLowerCase()) ?? sent.schema;
}

/** As above, for each subject of a call. */
export function spellSchemas(sent: unknown): void {
  if (typeof sent !== 'object' || sent === null || !('subjects' in sent) || !Array.isArray(sent.subjects)) return;
  sent.subjects.forEach(spellSchema);
}
