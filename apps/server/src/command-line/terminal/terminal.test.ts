// Output streams and color.
import { expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';

function prepare(color: boolean) {
  const written = { out: '', err: '' };
  const terminal = createTerminal({
    out: { write: (text) => (written.out += text) },
    err: { write: (text) => (written.err += text) },
    colour: color,
    readInput: async () => '',
  });
  return { terminal, written };
}

it('sends results and problems to different streams', () => {
  const { terminal, written } = prepare(false);
  terminal.print('result');
  terminal.complain('problem');
  expect(written).toEqual({ out: 'result\n', err: 'problem\n' });
});

it('uses color only where it is enabled', () => {
  expect(prepare(false).terminal.paint('red', 'x')).toBe('x');
  expect(prepare(true).terminal.paint('red', 'x')).toBe('\u001b[31mx\u001b[39m');
});
