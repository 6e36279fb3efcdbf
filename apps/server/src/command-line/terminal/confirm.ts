// Asks the operator before something that cannot be undone.
import { createInterface } from 'node:readline';

/** Anything but a yes is a no: also Ctrl-C and the end of the input, after which the line is still open. */
export function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    const end = () => {
      process.stderr.write('\n');
      resolve(false);
    };
    lines.on('SIGINT', () => lines.close()).on('close', end);
    lines.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.off('close', end).close();
    });
  });
}
