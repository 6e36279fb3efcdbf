// Tells refusals of our own, which are sentences for the operator, from everything else, whose message may quote values.
import { OutboundError } from '../../../platform/outbound/error.ts';
import { BuildError } from '../build.ts';
import { DatasetError } from '../folder/error.ts';

/** Undefined when the error has no sentence that may be shown or logged. */
export function sentenceOf(error: unknown): string | undefined {
  const isOurs = error instanceof DatasetError || error instanceof OutboundError || error instanceof BuildError;
  return isOurs ? error.message : undefined;
}
