// The terminal of a command: results go to standard output, problems to standard error.
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

type Paint = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

export interface Terminal {
  /** Prints one or more lines of the result. */
  print(text: string): void;
  /** Prints a line that is not part of the result. */
  complain(text: string): void;
  /** Colors text if color is wanted. */
  paint(paint: Paint, text: string): string;
  /** True on a screen, where escape sequences from outside must do nothing */
  isScreen: boolean;
  /** Returns all of standard input. */
  readInput(): Promise<string>;
}

interface TerminalOptions {
  out: { write(text: string): unknown };
  err: { write(text: string): unknown };
  colour: boolean;
  isScreen?: boolean;
  readInput: () => Promise<string>;
}

export function createTerminal({ out, err, colour, isScreen = false, readInput }: TerminalOptions): Terminal {
  return {
    print: (text) => void out.write(`${text}\n`),
    complain: (text) => void err.write(`${text}\n`),
    // The caller has decided about color, so Node's own guess (FORCE_COLOR and others) is switched off.
    paint: (paint, text) => (colour ? styleText(paint, text, { validateStream: false }) : text),
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
