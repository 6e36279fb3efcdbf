// Loss of a line: cross-entropy over the true class of each column.
import { CLASSES } from '../../packages/documents/src/zone/alphabet.ts';
import { PADDED_CLASSES } from './network.ts';

/** A column without a class: at the edge of a character or of the picture. */
export const UNLABELLED = -1;

/** Adds the gradient of the summed loss. Returns the numbers of counted and correct columns. */
export function addLoss(
  logits: Float32Array,
  labels: Int8Array,
  gradient: Float32Array,
): { loss: number; columns: number; right: number } {
  let loss = 0;
  let columns = 0;
  let right = 0;
  for (let column = 0; column < labels.length; column += 1) {
    const label = labels[column]!;
    if (label === UNLABELLED) continue;
    const at = column * PADDED_CLASSES;
    let best = 0;
    for (let index = 1; index < CLASSES; index += 1) if (logits[at + index]! > logits[at + best]!) best = index;
    const largest = logits[at + best]!;
    let sum = 0;
    for (let index = 0; index < CLASSES; index += 1) sum += Math.exp(logits[at + index]! - largest);
    for (let index = 0; index < CLASSES; index += 1)
      gradient[at + index]! += Math.exp(logits[at + index]! - largest) / sum - (index === label ? 1 : 0);
    loss += Math.log(sum) + largest - logits[at + label]!;
    columns += 1;
    if (best === label) right += 1;
  }
  return { loss, columns, right };
}
