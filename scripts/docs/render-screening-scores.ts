// Renders docs/reference/screening-scores.md: what each kind of distortion scores, from the engine itself.
import { createScreener, emptyEntity, IndexBuilder, type ListedEntity, readName, readQuery } from '@limen/screening';

interface Example {
  what: string;
  /** Given names, family names, date of birth. */
  row: [string, string, string];
  /** For subjects, the name replaces the family names. */
  schema?: string;
}

const LISTED: [name: string, birthDates: string[], more?: Partial<ListedEntity>][] = [
  ['TASHKOVSKY, Ruslan Grigoryevich', ['1961-08-14']],
  ['AL-MUZAFFARI, Abdul Rahman Yusuf', ['1974-03-05']],
  ['Benjamin Øverland', ['1958~'], { weakNames: ['Kaptein Sort'] }],
  ['陆建宏', ['1970-12-01']],
  ['Orvelia Shipping LLC', [], { schema: 'Company' }],
  ['АО «Орвельский машиностроительный завод»', [], { schema: 'Company' }],
  ['Council for the Protection of Orvelian Rivers', [], { schema: 'Organization' }],
  ['ORVEL STAR VII', [], { schema: 'Vessel' }],
];

const SECTIONS: Record<string, Example[]> = {
  'The date of birth, with the name as listed': [
    { what: 'same day', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1961-08-14'] },
    { what: 'day and month swapped', row: ['Abdul Rahman Yusuf', 'Al-Muzaffari', '1974-05-03'] },
    { what: 'month and year alone', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1961-08'] },
    { what: 'year alone', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1961'] },
    { what: 'near a listed circa year', row: ['Benjamin', 'Øverland', '1960-02-02'] },
    { what: 'not given', row: ['Ruslan Grigoryevich', 'Tashkovsky', ''] },
    { what: 'same year, different day', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1961-02-20'] },
    { what: 'one year off', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1962-08-14'] },
    { what: 'one digit of the year, same day', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1981-08-14'] },
    { what: 'three years off', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1964-01-02'] },
    { what: 'six years off', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1967-01-02'] },
    { what: '31 years off', row: ['Ruslan Grigoryevich', 'Tashkovsky', '1992-01-02'] },
  ],
  'The name, without a date of birth': [
    { what: 'order, capitals, accents', row: ['tashkovský', 'RUSLAN grigoryevich', ''] },
    { what: 'patronymic left out', row: ['Ruslan', 'Tashkovsky', ''] },
    { what: 'different patronymic', row: ['Ruslan Petrovich', 'Tashkovsky', ''] },
    { what: 'different romanization', row: ['Rouslan Grigorievitch', 'Tachkovskiy', ''] },
    { what: 'Cyrillic', row: ['Руслан Григорьевич', 'Ташковский', ''] },
    { what: 'one typo', row: ['Ruslan Grigoryevich', 'Tashkovksy', ''] },
    { what: 'two typos', row: ['Ruslam', 'Tashkofsky', ''] },
    { what: 'initials', row: ['R. G.', 'Tashkovsky', ''] },
    { what: 'middle name replaced', row: ['Ruslan Igor', 'Tashkovsky', ''] },
    { what: 'part added', row: ['Benjamin Karl', 'Øverland', ''] },
    { what: 'short form', row: ['Ben', 'Overland', ''] },
    { what: 'words joined', row: ['Abdulrahman', 'Almuzaffari', ''] },
    { what: 'particles left out', row: ['Abd Rahman Yousef', 'Muzafari', ''] },
    { what: 'Arabic script', row: ['عبد الرحمن يوسف', 'المظفري', ''] },
    { what: 'romanized Chinese', row: ['Jianhong', 'Lu', ''] },
    { what: 'traditional Chinese', row: ['建宏', '陸', ''] },
    { what: 'weak alias as listed', row: ['Kaptein', 'Sort', ''] },
    { what: 'family name alone', row: ['', 'Tashkovsky', ''] },
    { what: 'different family name', row: ['Ruslan Grigoryevich', 'Belinsky', ''] },
    { what: 'different given name', row: ['Viktor', 'Tashkovsky', ''] },
  ],
  Both: [
    { what: 'part added, eight years off', row: ['Ruslan Grigoryevich Karl', 'Tashkovsky', '1969-01-01'] },
    { what: 'two typos, same day', row: ['Ruslam', 'Tashkofsky', '1961-08-14'] },
    { what: 'initials, same day', row: ['R.', 'Tashkovsky', '1961-08-14'] },
    { what: 'different family name, same day', row: ['Ruslan Grigoryevich', 'Belinsky', '1961-08-14'] },
    { what: 'one typo, eight years off', row: ['Ruslan', 'Tashkofsky', '1953-01-01'] },
  ],
  'Organizations in a file of people': [
    { what: 'whole name, in a row without a first name', row: ['', 'Orvelia Shipping', ''] },
    { what: 'a person of the same name', row: ['Orvelia', 'Daniels', ''] },
  ],
  'Organizations and ships, with a schema': [
    { what: 'another legal form', row: ['', 'Orvelia Shipping GmbH', ''], schema: 'Company' },
    { what: 'abbreviation', row: ['', 'Orvelia Shpg. L.L.C.', ''], schema: 'Company' },
    { what: 'words joined', row: ['', 'OrveliaShipping', ''], schema: 'Company' },
    { what: 'translation', row: ['', 'Orvel Machine-Building Plant JSC', ''], schema: 'Company' },
    { what: 'one typo', row: ['', 'Orvelai Shipping', ''], schema: 'Company' },
    { what: 'two letters off', row: ['', 'Orvesa Shipping', ''], schema: 'Company' },
    { what: 'word left out', row: ['', 'Orvelia LLC', ''], schema: 'Company' },
    { what: 'country added', row: ['', 'Orvelia Shipping Malta', ''], schema: 'Company' },
    { what: 'number added', row: ['', 'Orvelia Shipping II', ''], schema: 'Company' },
    { what: 'word replaced', row: ['', 'Orvelia Insurance LLC', ''], schema: 'Company' },
    { what: 'first letters', row: ['', 'CPOR', ''], schema: 'Organization' },
    { what: 'ship with prefix and digits', row: ['', 'M/V Orvel Star 7', ''], schema: 'Vessel' },
    { what: 'another ship of the series', row: ['', 'Orvel Star 8', ''], schema: 'Vessel' },
    { what: 'ship asked for as a company', row: ['', 'Orvel Star VII', ''], schema: 'Company' },
  ],
};

export function renderScreeningScores(): string {
  const builder = new IndexBuilder();
  for (const [at, [name, birthDates, more]] of LISTED.entries())
    builder.add(entityOf(`example-${at}`, name, birthDates, more));
  const screener = createScreener(builder.finish());
  const listed = LISTED.map(
    ([name, dates, more]) =>
      `| ${name}${more?.weakNames ? `, weak alias ${more.weakNames}` : ''} | ${dates.join(', ') || '–'} |`,
  );
  const lines = [
    '<!-- Generated from the engine by `npm run docs`; do not edit. -->',
    '',
    '# Scores of distorted names',
    '',
    'Score and explanation of each distortion of a listed name ([thresholds](../screening.md#choosing-a-threshold)).',
    '',
    '## Listed names (invented)',
    '',
    ...['| name | born |', '| --- | --- |', ...listed],
  ];
  for (const [title, examples] of Object.entries(SECTIONS)) {
    lines.push('', `## ${title}`, '', '| what | row | score | explanation |', '| --- | --- | --- | --- |');
    for (const { what, row, schema } of examples) {
      const [firstName, lastName, birthDate] = row;
      const query = schema
        ? readName({ name: lastName, schema, birthDate })
        : readQuery({ firstName, lastName, birthDate });
      const [hit] = screener.screen(query, { limit: 1, topic: 'all' });
      const { name, birthDate: date } = hit
        ? screener.describe(query, hit).explanation
        : { name: 'no candidate', birthDate: '–' };
      const written = [...row.filter((cell) => cell !== ''), ...(schema ? [schema] : [])].join(' · ');
      lines.push(
        `| ${what} | ${written} | ${hit ? (Math.floor(hit.score * 1_000) / 1_000).toFixed(3) : '0'} | ${name}. Date: ${date} |`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function entityOf(id: string, name: string, birthDates: string[], more: Partial<ListedEntity> = {}): ListedEntity {
  return {
    ...emptyEntity(id, 'Person'),
    caption: name,
    names: [name],
    birthDates,
    topics: ['sanction'],
    datasets: ['example'],
    ...more,
  };
}
