// The terminal of a command: results go to standard output, problems to standard error.
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

type TextStyle = 'bold' | 'dim' | 'green' | 'yellow' | 'red';
type Sink = { write(text: string): unknown };

export type Terminal = ReturnType<typeof createTerminal>;

export function createTerminal(options: {
  out: Sink;
  err: Sink;
  colour: boolean;
  /** Whether output goes to a screen, where external escape sequences must be disarmed */
  isScreen?: boolean;
  readInput: () => Promise<string>;
}) {
  const { out, err, colour: color, isScreen = false, readInput } = options;
  return {
    print: (text: string): void => void out.write(`${text}\n`),
    /** Prints a line that is not part of the result. */
    complain: (text: string): void => void err.write(`${text}\n`),
    // The caller has decided about color, so Node's own guess (FORCE_COLOR and others) is switched off.
    paint: (paint: TextStyle, text: string) => (color ? styleText(paint, text, { validateStream: false }) : text),
    isScreen,
    readInput,
  };
}

/** Asks a question. Ctrl-C and the end of the input mean no. */
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
