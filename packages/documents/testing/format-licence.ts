// Writes the barcode text of North American licenses (AAMVA DL/ID card design).

export interface LicenseText {
  /** Two letters, for example 'CA' or 'ON'. */
  jurisdiction: string;
  iin: string;
  country: 'USA' | 'CAN';
  version: number;
  kind: 'DL' | 'ID';
  number: string;
  surname: string;
  givenNames: string;
  /** YYYY-MM-DD. */
  birth: string;
  expiry: string;
  issued: string;
  sex: '1' | '2' | '9';
}

export function formatLicense(fields: LicenseText): string {
  const { kind, version } = fields;
  const body = `${kind}${listElements(fields)
    .map(([id, value]) => id + value)
    .join('\n')}\n\r`;
  // Version 1 has no jurisdiction version.
  const versions = String(version).padStart(2, '0') + (version > 1 ? '00' : '');
  const head = `@\n\x1e\rANSI ${fields.iin}${versions}01`;
  const offset = head.length + 10;
  return `${head}${kind}${String(offset).padStart(4, '0')}${String(body.length).padStart(4, '0')}${body}`;
}

function listElements(fields: LicenseText): [string, string][] {
  const { version } = fields;
  const [given = '', ...more] = fields.givenNames.split(' ');
  const names: [string, string][] =
    version <= 1
      ? [['DAA', [fields.surname, given, ...more].join(',')]]
      : version <= 3
        ? [
            ['DCS', fields.surname],
            ['DCT', fields.givenNames],
          ]
        : [
            ['DCS', fields.surname],
            ['DDE', 'N'],
            ['DAC', given],
            ['DDF', 'N'],
            ['DAD', more.join(' ') || 'NONE'],
            ['DDG', 'N'],
          ];
  const later: [string, string][] = [
    ['DCA', fields.kind === 'DL' ? 'C' : ''],
    ['DCB', 'NONE'],
    ['DCD', 'NONE'],
    ['DCF', `${fields.jurisdiction}0000001`],
    ['DCG', fields.country],
  ];
  return [
    ['DAQ', fields.number],
    ...names,
    ['DBD', formatDay(fields.issued, fields)],
    ['DBB', formatDay(fields.birth, fields)],
    ['DBA', formatDay(fields.expiry, fields)],
    ['DBC', fields.sex],
    ['DAU', fields.country === 'CAN' ? '172 cm' : '068 in'],
    ['DAY', 'BRO'],
    ['DAG', '1 EXAMPLE STREET'],
    ['DAI', 'ANYTOWN'],
    ['DAJ', fields.jurisdiction],
    ['DAK', fields.country === 'CAN' ? 'A1A 1A1    ' : '000000000  '],
    ...(version > 1 ? later : []),
  ];
}

/** Version 1 and Canada put the year first. */
function formatDay(day: string, { version, country }: LicenseText): string {
  const [year, month, date] = day.split('-');
  return version <= 1 || country === 'CAN' ? `${year}${month}${date}` : `${month}${date}${year}`;
}
