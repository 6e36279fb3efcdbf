// Detects operator names that are confusable with another.
import { describe, expect, it } from 'vitest';
import { cleanName, findNameProblem, isSameName } from './names.ts';

describe('an operator name', () => {
  it.each(['Rita', 'Ada Lovelace', 'Zoë', '林さくら', 'Siân O’Neill', 'Jean-Luc 2'])('can be %j', (name) => {
    expect(findNameProblem(name)).toBeUndefined();
  });

  it.each(['', ' ', 'two\nlines', 'Ri\u200Bta', '\u202EatiR', 'Ri\u00ADta', 'Rita\u3164', 'Ri\u2028ta', '\uFEFFRita'])(
    'may not be %j',
    (name) => expect(findNameProblem(name)).toContain('invisible'),
  );

  it.each(['command line', 'Command Line', 'command  line', 'command\u00A0line', 'ｃommand line'])(
    'may not be that of the command line: %j',
    (name) => expect(findNameProblem(name)).toContain('command line'),
  );

  it.each([
    ['Rita', 'rita', true],
    ['Straße', 'STRASSE', true],
    ['Zoë', 'Zoe\u0308', true],
    ['Rita', 'Ritta', false],
  ])('treats %j and %j as the same: %s', (first, second, isSame) => expect(isSameName(first, second)).toBe(isSame));

  it('is cleaned of invisible characters if a provider sent it', () => {
    expect(cleanName(' Ri\u200Bta\nLovelace\u202E ')).toBe('Rita Lovelace');
  });
});
