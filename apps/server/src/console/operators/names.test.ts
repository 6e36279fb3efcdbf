// Names of operators that could be taken for another.
import { describe, expect, it } from 'vitest';
import { cleanName, findNameProblem, isSameName } from './names.ts';

describe('a name', () => {
  it.each(['Rita', 'Ada Lovelace', 'Zoë', '林さくら', 'Siân O’Neill', 'Jean-Luc 2'])('may be %j', (name) => {
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
  ])('of %j and %j is the same: %s', (one, other, isSame) => expect(isSameName(one, other)).toBe(isSame));

  it('from elsewhere is cleaned of what nobody sees', () => {
    expect(cleanName(' Ri\u200Bta\nLovelace\u202E ')).toBe('Rita Lovelace');
  });
});
