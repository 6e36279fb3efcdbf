// Parsers of option values; a refusal becomes a usage error.
import { isVisible } from '@limen/contract';
import { InvalidArgumentError, Option } from 'commander';

const MAX_LENGTH = 200;

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a number from 0 to 999999999.');
  return Number(text);
}

export function parseUpTo(max: number) {
  return (text: string): number => {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}

export interface KeepOptions {
  keep?: number;
}

export function keepOption(): Option {
  const sentence = 'write to a new dated folder below FOLDER, then keep only this many of the newest ones';
  return new Option('--keep <number>', sentence).argParser((text) => {
    const count = parseCount(text);
    if (count === 0) throw new InvalidArgumentError('It must be at least 1.');
    return count;
  });
}

export function parseShortText(text: string): string {
  const trimmed = text.trim();
  if (!isVisible(trimmed)) throw new InvalidArgumentError('It is empty.');
  if (trimmed.length > MAX_LENGTH) throw new InvalidArgumentError(`It is longer than ${MAX_LENGTH} characters.`);
  if (/\p{Cc}/u.test(trimmed)) throw new InvalidArgumentError('It contains control characters.');
  return trimmed;
}
