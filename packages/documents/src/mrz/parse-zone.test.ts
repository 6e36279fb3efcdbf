import fc from 'fast-check';
import { parse as parseAsPeer } from 'mrz';
import { describe, expect, it } from 'vitest';
import { anyZoneText } from '../../testing/arbitrary-zones.ts';
import { formatZone, type ZoneText } from '../../testing/format-zone.ts';
import { computeCheckDigit } from './check-zone.ts';
import { LAYOUTS } from './formats.ts';
import { ZONE_CHARACTERS } from './grammar.ts';
import { type ParsedZone, parseZone, type ZoneRefusal } from './parse-zone.ts';

const TODAY = '2026-11-15';
const passport: ZoneText = {
  format: 'TD3',
  code: 'P',
  issuer: 'SWE',
  surname: 'Eriksson',
  givenNames: 'Anna Maria',
  number: 'L898902C3',
  nationality: 'SWE',
  birth: '740812',
  sex: 'F',
  expiry: '120415',
  optional: 'ZE184226B',
};
const card: ZoneText = { ...passport, format: 'TD1', code: 'I', number: 'D23145890', optional: '' };

function expectRead(outcome: ParsedZone | ZoneRefusal): ParsedZone {
  if ('refused' in outcome) throw new Error(`refused: ${outcome.refused} in ${outcome.where}`);
  return outcome;
}

const read = (fields: ZoneText, today = TODAY) => parseZone(formatZone(fields), today);

describe('the examples of ICAO Doc 9303', () => {
  it('reads a passport', () => {
    const lines = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'];
    expect(parseZone(lines, TODAY, { specimens: true })).toEqual({
      format: 'TD3',
      type: 'passport',
      issuer: 'UTO',
      country: null,
      birth: { year: 1974, month: 8, day: 12 },
      expiry: { year: 2012, month: 4, day: 15 },
      fields: {
        code: 'P',
        number: 'L898902C3',
        nationality: 'UTO',
        surname: 'ERIKSSON',
        givenNames: 'ANNA MARIA',
        sex: 'F',
        optional: 'ZE184226B',
      },
    });
    expect(formatZone({ ...passport, issuer: 'UTO', nationality: 'UTO' })).toEqual(lines);
  });

  it.each([
    [
      'TD1',
      ['I<UTOD231458907<<<<<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<'],
      'D23145890',
    ],
    [
      'TD1',
      ['I<UTOD23145890<7349<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<'],
      'D23145890734',
    ],
    ['TD2', ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'], 'D23145890'],
    [
      'MRV-A',
      ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L8988901C4XXX4009078F96121096ZE184226B<<<<<<'],
      'L8988901C',
    ],
    ['MRV-B', ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'], 'L8988901C'],
  ])('%s %j', (format, lines, number) => {
    const zone = expectRead(parseZone(lines, TODAY, { specimens: true }));
    expect(zone.format).toBe(format);
    expect(zone.fields.number).toBe(number);
    expect(zone.birth).toEqual(
      format.startsWith('MRV') ? { year: 1940, month: 9, day: 7 } : { year: 1974, month: 8, day: 12 },
    );
  });
});

describe('types and countries', () => {
  it.each([
    ['ID', 'ITA', 'identity_card'],
    ['I', 'ESP', 'identity_card'],
    ['IP', 'USA', 'identity_card'],
    ['A', 'SWE', 'identity_card'],
    ['C', 'SWE', 'identity_card'],
    ['AR', 'D', 'residence_permit'],
    ['IR', 'GBR', 'residence_permit'],
    ['C1', 'USA', 'residence_permit'],
    ['C1', 'ITA', 'other'],
    ['AC', 'SWE', 'other'],
  ])('the code %s of %s is: %s', (code, issuer, type) => {
    expect(expectRead(read({ ...card, code, issuer })).type).toBe(type);
  });

  it.each([
    ['D', 'DEU'],
    ['GBD', 'GBR'],
    ['FRA', 'FRA'],
    ['EUE', null],
    ['UNO', null],
    ['XPO', null],
    ['RKS', null],
  ])('maps the issuer %s to the country %s', (issuer, country) => {
    expect(expectRead(read({ ...passport, issuer }))).toMatchObject({ issuer, country });
  });

  it.each(['XXA', 'XXX', 'ABC', 'DE', 'WWW', ''])('rejects the issuer %j', (issuer) => {
    expect(read({ ...passport, issuer })).toEqual({ refused: 'issuer', where: 'issuer' });
  });

  it.each(['issuer', 'nationality'] as const)('rejects a specimen with ICAO’s own state as %s', (field) => {
    const lines = formatZone({ ...passport, [field]: 'UTO' });
    expect(parseZone(lines, TODAY)).toEqual({ refused: 'issuer', where: field });
    expect(expectRead(parseZone(lines, TODAY, { specimens: true })).format).toBe('TD3');
  });

  it('accepts stateless people but no unknown state', () => {
    expect(expectRead(read({ ...passport, nationality: 'XXB' })).fields.nationality).toBe('XXB');
    expect(read({ ...passport, nationality: 'ABC' })).toEqual({ refused: 'issuer', where: 'nationality' });
  });
});

describe('years with two digits', () => {
  it.each([
    ['261115', 2026],
    ['261217', 1926],
    ['270101', 1927],
    ['000229', 2000],
    ['991231', 1999],
  ])('reads the birth %s as %i, the latest year not after today', (birth, year) => {
    expect(expectRead(read({ ...passport, birth })).birth?.year).toBe(year);
  });

  it.each([
    ['261116', TODAY],
    ['261216', TODAY],
    ['2612<<', TODAY],
    ['270101', '2026-12-15'],
    ['27<<<<', '2026-12-15'],
    ['000115', '2099-12-31'],
    ['280229', '2028-02-28'],
  ])('rejects the birth %s a few days after %s', (birth, today) => {
    expect(read({ ...passport, birth }, today)).toEqual({ refused: 'date', where: 'birth' });
  });

  it.each([
    ['760101', 1976],
    ['751231', 2075],
    ['261114', 2026],
    ['991231', 1999],
    ['360101', 2036],
  ])('reads the expiry %s as %i, the nearest year', (expiry, year) => {
    expect(expectRead(read({ ...passport, expiry })).expiry?.year).toBe(year);
  });

  it('depend on the given day', () => {
    expect(expectRead(read({ ...passport, birth: '300101' }, '2031-01-01')).birth?.year).toBe(2030);
    expect(expectRead(read({ ...passport, birth: '300101' }, '2029-11-30')).birth?.year).toBe(1930);
  });
});

describe('partial dates', () => {
  it.each([
    ['74<<<<', { year: 1974 }],
    ['7408<<', { year: 1974, month: 8 }],
    ['26<<<<', { year: 2026 }],
    ['2701<<', { year: 1927, month: 1 }],
    ['<<<<<<', null],
    ['<<0812', null],
  ])('reads the birth %s as %j', (birth, date) => {
    expect(expectRead(read({ ...passport, birth })).birth).toEqual(date);
  });

  it('reads a document without expiry', () => {
    expect(expectRead(read({ ...passport, expiry: '<<<<<<' })).expiry).toBeNull();
    expect(expectRead(read({ ...passport, expiry: '3004<<' })).expiry).toEqual({ year: 2030, month: 4 });
  });

  it.each(['740230', '741301', '740001', '740800', '740832', '010229', '74<<12', '7408<1', '7<<<<<', '74081<'])(
    'rejects the impossible birth %s',
    (birth) => {
      expect(read({ ...passport, birth })).toEqual({ refused: 'date', where: 'birth' });
    },
  );

  it.each(['<<0415', '300230', '30<<15'])('rejects the expiry %s', (expiry) => {
    expect(read({ ...passport, expiry })).toEqual({ refused: 'date', where: 'expiry' });
  });
});

describe('rejected zones', () => {
  it.each<[string, string[]]>([
    ['nothing', []],
    ['empty lines', ['', '']],
    ['one line', [formatZone(passport)[0]!]],
    ['lines of different lengths', [formatZone(passport)[0]!, formatZone(passport)[1]!.slice(1)]],
    ['too many lines', [...formatZone(card), formatZone(card)[2]!]],
    ['a passport with the code of a card', formatZone(passport).map((line) => line.replace(/^P</, 'I<'))],
  ])('rejects %s by its shape', (_, lines) => {
    expect(parseZone(lines, TODAY)).toMatchObject({ refused: 'shape' });
  });

  it('rejects the old French identity card, which has its own layout', () => {
    const lines = [`${'IDFRABERTHIER'.padEnd(30, '<')}923019`, '8806923102858CORINNE<<<<<<<6512068F6'];
    expect(parseZone(lines, TODAY)).toEqual({ refused: 'shape', where: 'national layout' });
  });

  it.each([
    ['small letters', /ERIKSSON/, 'eriksson'],
    ['digits in a name', /ERIKSSON/, 'ER1KSS0N'],
    ['letters in a date', /740812/, '74O812'],
    ['an invalid sex', /2F1/, '2X1'],
    ['spaces', /<<<<$/, '<<< '],
    ['a name that begins with a filler', /ERIKSSON/, '<RIKSSON'],
  ])('%s', (_, from, to) => {
    const lines = formatZone(passport).map((line) => line.replace(from, to));
    expect(parseZone(lines, TODAY)).toMatchObject({ refused: 'characters' });
  });

  it('rejects a zone without a number', () => {
    expect(read({ ...passport, number: '' })).toEqual({ refused: 'characters', where: 'number' });
  });

  it('rejects a blank check digit of an empty expiry', () => {
    const [first, second] = formatZone({ ...passport, expiry: '<<<<<<' });
    const blanked = `${second!.slice(0, 27)}<${second!.slice(28)}`;
    expect(parseZone([first!, blanked], TODAY)).toMatchObject({ refused: 'characters' });
  });
});

describe('check digits', () => {
  it('may be a filler or zero for an empty personal number only', () => {
    const [first, second] = formatZone({ ...passport, optional: '' });
    const body = second!.slice(0, 42);
    expect(second![42]).toBe('<');
    expect(parseZone([first!, second!], TODAY)).toMatchObject({ format: 'TD3' });
    // Both count as zero in the composite digit.
    expect(parseZone([first!, `${body}0${second![43]}`], TODAY)).toMatchObject({ format: 'TD3' });
    const filled = formatZone(passport)[1]!;
    const composite = computeCheckDigit(`${filled.slice(0, 10)}${filled.slice(13, 20)}${filled.slice(21, 42)}<`);
    expect(parseZone([first!, `${filled.slice(0, 42)}<${composite}`], TODAY)).toEqual({
      refused: 'check_digit',
      where: 'optional',
    });
  });

  it('may include the filler within a long number', () => {
    const lines = formatZone({ ...card, number: '590330101153' });
    const digit = computeCheckDigit('590330101<153');
    expect(digit).not.toBe(computeCheckDigit('590330101153'));
    const first = `${lines[0]!.slice(0, 18)}${digit}${lines[0]!.slice(19)}`;
    const middle = lines[1]!.slice(0, 29);
    const composite = computeCheckDigit(first.slice(5) + middle.slice(0, 7) + middle.slice(8, 15) + middle.slice(18));
    expect(expectRead(parseZone([first, middle + composite, lines[2]!], TODAY)).fields.number).toBe('590330101153');
  });
});

describe('properties', () => {
  it('returns a zone or a refusal for any text', () => {
    const characters = `${ZONE_CHARACTERS} aé`;
    const line = fc.oneof(
      fc.uint16Array().map((units) => String.fromCharCode(...units)),
      ...[30, 36, 44].map((length) =>
        fc
          .uint8Array({ minLength: length, maxLength: length, max: characters.length - 1 })
          .map((kinds) => Array.from(kinds, (kind) => characters[kind]).join('')),
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const outcome = parseZone(lines, TODAY);
        expect('refused' in outcome || 'format' in outcome).toBe(true);
      }),
    );
  });

  it('reads back any written zone', () => {
    fc.assert(
      fc.property(anyZoneText(), (fields) => {
        const zone = expectRead(read(fields));
        expect(zone).toMatchObject({ format: fields.format, issuer: fields.issuer });
        expect(zone.fields).toMatchObject({ code: fields.code, number: fields.number, sex: fields.sex });
        expect(zone.fields.optional).toBe(
          fields.optional?.slice(0, { 'MRV-A': 16, 'MRV-B': 8 }[fields.format as string] ?? 14),
        );
        const [year, month, day] = fields.birth.match(/\d\d/g)!.map(Number);
        expect(zone.birth).toMatchObject({ month, day });
        expect(zone.birth!.year % 100).toBe(year);
        expect(zone.fields.surname).toBe(fields.surname);
      }),
    );
  });

  it('rejects any changed character in a date or its check digit', () => {
    fc.assert(
      fc.property(anyZoneText(), fc.nat(13), fc.constantFrom(...ZONE_CHARACTERS), (fields, place, character) => {
        const lines = formatZone(fields);
        const { spans, width } = LAYOUTS[fields.format];
        const at = place < 7 ? spans.birth[0] + place : spans.expiry[0] + place - 7;
        const text = lines.join('');
        fc.pre(text[at] !== character);
        const altered = text.slice(0, at) + character + text.slice(at + 1);
        const outcome = parseZone(altered.match(new RegExp(`.{${width}}`, 'g'))!, TODAY);
        expect(outcome).toMatchObject({ refused: expect.any(String) });
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with the peer library on valid zones', () => {
    fc.assert(
      fc.property(anyZoneText(fc.constantFrom('TD1', 'TD2', 'TD3')), (fields) => {
        const known = { ...fields, nationality: 'FRA' };
        const peer = parseAsPeer(formatZone(known));
        const ours = expectRead(read(known));
        expect(peer.valid, JSON.stringify(peer.details.filter(({ valid }) => !valid))).toBe(true);
        expect(peer.format).toBe(ours.format);
        expect(peer.documentNumber?.replaceAll('<', '')).toBe(ours.fields.number);
        expect(peer.fields.birthDate).toBe(known.birth);
        expect(peer.fields.expirationDate).toBe(known.expiry);
        expect(peer.fields.lastName).toBe(ours.fields.surname);
        expect(peer.fields.firstName).toBe(ours.fields.givenNames);
      }),
    );
  });

  it('rejects every changed character that the peer library rejects', () => {
    fc.assert(
      fc.property(
        anyZoneText(fc.constantFrom('TD1', 'TD2', 'TD3')),
        fc.nat(87),
        fc.constantFrom(...ZONE_CHARACTERS),
        (fields, at, character) => {
          // A leading V makes it a valid visa, on which the peer differs.
          fc.pre(at !== 0 || character !== 'V');
          const lines = formatZone({ ...fields, issuer: 'SWE', nationality: 'FRA' });
          const width = lines[0]!.length;
          const altered = lines.map((line, row) => {
            const column = at - row * width;
            return column >= 0 && column < width ? line.slice(0, column) + character + line.slice(column + 1) : line;
          });
          if (!parseAsPeer(altered).valid) expect(parseZone(altered, TODAY)).toHaveProperty('refused');
        },
      ),
      { numRuns: 300 },
    );
  });
});
