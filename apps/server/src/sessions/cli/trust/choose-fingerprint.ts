// Which certificate an operator means by the beginning of its fingerprint.
import { CommandFailure } from '../../../command-line/command.ts';

/** Fewer digits would soon mean several. */
const LEAST_DIGITS = 6;

/** Upper case and colons, as other tools print them, are as good. Throws where it means none, or several. */
export function chooseFingerprint(fingerprints: readonly string[], text: string): string {
  const prefix = text.replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]+$/.test(prefix) || prefix.length < LEAST_DIGITS) {
    const sentence = `A fingerprint begins with at least ${LEAST_DIGITS} of the digits 0 to 9 and a to f.`;
    throw new CommandFailure(sentence, { usage: true });
  }
  const [found, ...others] = new Set(fingerprints.filter((one) => one.startsWith(prefix)));
  if (found === undefined) throw new CommandFailure('No trusted authority has this fingerprint; see: limen trust list');
  if (others.length > 0) {
    throw new CommandFailure('Several authorities have a fingerprint that begins like this; give more of it.');
  }
  return found;
}
