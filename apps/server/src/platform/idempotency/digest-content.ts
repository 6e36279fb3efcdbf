// The one rule for when two requests are the same: their bodies parse to the same known fields. The order of keys and ignored
// fields do not count. Free-form values are compared by their text, so 1.10 and 1.1 inside `metadata` differ.
import { createHash } from 'node:crypto';
import { writeKnownFields } from '../json/known-fields.ts';

export interface RequestContent {
  /** The schema of the body. */
  schema: object;
  /** The body after its validation. */
  body: unknown;
  /** The text that the body was parsed from; null if there was none. */
  text: string | null;
  /** The thing that the path names, such as an id or a model version. */
  target?: unknown;
}

/** Returns a short digest that is equal for equal requests. */
export function digestContent({ schema, body, text, target = null }: RequestContent): string {
  const content = `${JSON.stringify(target)}\n${writeKnownFields(schema, body, text ?? undefined)}`;
  return createHash('sha256').update(content).digest('base64url');
}
