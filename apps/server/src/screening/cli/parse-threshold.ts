// `--threshold` of the commands that screen.
import { InvalidArgumentError } from 'commander';
import { readThreshold } from '../match/threshold.ts';

export function parseThreshold(text: string): number {
  try {
    return readThreshold({ scoreThreshold: text });
  } catch {
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  }
}
