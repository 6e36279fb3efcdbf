// What a command sees of the terminal: results go to standard output, problems to standard error.

import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

export type Paint = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

export interface Terminal {
  /** A line (or several) of the result. */
  print(text: string): void;
  /** A line that is not part of the result. */
  complain(text: string): void;
  /** Colours text where colour is wanted, and otherwise leaves it as it is. */
  paint(paint: Paint, text: string): string;
  /** Whether a person reads the result on a screen, where escape sequences of others must do nothing. */
  isScreen: boolean;
  /** All of standard input. */
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
    // Whether there is colour was decided by the caller, so Node's own guess (FORCE_COLOR and others) is switched off.
    paint: (paint, text) => (colour ? styleText(paint, text, { validateStream: false }) : text),
    isScreen,
    readInput,
  };
}

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
