import { describe, expect, test } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';

const SURE = 0.95;
const REVIEW = 0.85;

describe('scripts', () => {
  const list = screenAgainst(
    ...['Vladislav Shcherbenko', 'Muhammad Tawfiq', 'Narendra Kulkarni', 'Giorgos Papastathis', 'Natan Yehoshua'].map(
      (name) => listed(name),
    ),
    ...['Hassan Nasrallah', 'KIM, Jong Un'].map((name) => listed(name)),
    ...['محمود القرشي', '陈伟民', 'Дмитрий Орленко', '김영수', 'Łukasz Świętek'].map((name) => listed(name)),
  );
  test.each([
    ['Владислав|Щербенко', 'Vladislav Shcherbenko'],
    ['محمد|توفيق', 'Muhammad Tawfiq'],
    ['नरेन्द्र|कुलकर्णी', 'Narendra Kulkarni'],
    ['Γιώργος|Παπαστάθης', 'Giorgos Papastathis'],
    ['Mahmoud|al-Qurashi', 'محمود القرشي'],
    ['حسن|نصر الله', 'Hassan Nasrallah'],
    ['김|정은', 'KIM, Jong Un'],
    ['Weimin|Chen', '陈伟民'],
    ['Wei Min|Chen', '陈伟民'],
    ['偉民|陳', '陈伟民'],
    ['Dmitry|Orlenko', 'Дмитрий Орленко'],
    ['Kim|Young Soo', '김영수'],
    ['Lukasz|Swietek', 'Łukasz Świętek'],
  ])('matches %s with %s', (row, caption) => {
    const [match] = list.matches(row);
    expect(match?.caption).toBe(caption);
    expect(match?.score).toBeGreaterThanOrEqual(REVIEW);
  });
});

describe('parts', () => {
  const list = screenAgainst(
    listed('AL-HARRANI, Mahmoud Idris Tawfiq', { birthDates: ['1961-02-03'] }),
    listed('VERESHCHAGIN, Anatoly Borisovich'),
    listed('Wilhelmina van der Goeree'),
    listed('Robert Ashgrove', { birthDates: ['1950-06-07'] }),
  );
  test.each([
    ['Mahmoud Idris|Al Harrani', 'a part left out', SURE],
    ['Mahmood|Alharrani|1961-02-03', 'an article joined', SURE],
    ['Anatoly|Vereshchagin', 'a patronymic left out', SURE],
    ['Anatoliy Borisovitch|Vereschagin', 'another romanization', SURE],
    ['A. B.|Vereshchagin', 'initials', SURE],
    ['Wilhelmina|Goeree', 'particles left out', SURE],
    ['Bob|Ashgrove|1950-06-07', 'a short form', SURE],
    ['Robert John|Ashgrove|1950-06-07', 'a part added', SURE],
    ['Robret|Ashgrvoe|1950-06-07', 'two typos', SURE],
    ['Anatoly|Vereshchaginn', 'a typo', SURE],
  ])('matches %s: %s', (row, _what, atLeast) => {
    expect(list.score(row)).toBeGreaterThanOrEqual(atLeast);
  });

  test.each([
    'Robert|Ashford|1950-06-07',
    'Mahmoud|Harrington',
    'Wilhelmina|de Groot',
    'Boris|Anatolyevich',
    'Anatoly Petrovich|Vereshchagin',
    'van|der',
    'Robert',
    'John|Smith',
  ])('does not match %s with anyone on the list', (row) => expect(list.score(row)).toBeLessThan(REVIEW));
});

describe('several names in one', () => {
  const list = screenAgainst(
    listed('QUILLFEATHER, Evander', { birthDates: ['1958-03-09'] }),
    listed('Wilhelmina Goeree'),
    listed('Goeree & Quillfeather', { schema: 'Company' }),
  );
  test.each([
    ['Evander Quillfeather|Evander Quillfeather', 'Evander Quillfeather'],
    ['Evander|Quillfeather aka John Smith', 'Evander Quillfeather'],
    ['|John Smith a.k.a. Evander Quillfeather', 'Evander Quillfeather'],
    ['|Evander Quillfeather & Jane Rivers', 'Evander Quillfeather'],
    ['Wilhelmina|Rivers née Goeree', 'Wilhelmina Goeree'],
  ])('is found and reports the matching name: %s', (row, name) => {
    const [match] = list.matches(row);
    expect(match?.score).toBe(0.98);
    expect(match?.explanation.name).toMatch(new RegExp(`^read as ${name}; `));
  });

  test('finds both of two people, however their names are split', () => {
    const people = screenAgainst(listed('Evander Quillfeather'), listed('Abdelkader Vereshchagin'));
    const found = people.matches('|Evander Quillfeather & Abd al Qadir Vereshchagin');
    expect(found.map(({ matchedName }) => matchedName).toSorted()).toEqual([
      'Abdelkader Vereshchagin',
      'Evander Quillfeather',
    ]);
    expect(found[1]?.score).toBeGreaterThanOrEqual(SURE);
  });

  test('compares each of them with its date of birth', () => {
    expect(list.score('Evander|Quillfeather aka John Smith|1958-03-09')).toBe(1);
    expect(list.score('Evander|Quillfeather aka John Smith|1994-01-01')).toBeLessThan(REVIEW);
  });

  test('does not combine them into a name that others partly have', () => {
    expect(list.scoreOf('Person', 'Goeree & Quillfeather')).toBeLessThan(REVIEW);
    expect(list.matchesOf('Company', 'Goeree & Quillfeather')[0]?.explanation.name).not.toContain('read as');
  });
});

describe('dates', () => {
  const list = screenAgainst(listed('Evander Quillfeather', { birthDates: ['1958-03-09', '1963'] }));
  test('uses the closest of several listed dates', () => {
    expect(list.score('Evander|Quillfeather|1958-03-09')).toBe(1);
    expect(list.matches('Evander|Quillfeather|1963-11-30')[0]?.explanation.birthDate).toBe('same year');
    expect(list.matches('Evander|Quillfeather|1958-09-03')[0]?.explanation.birthDate).toContain('exchanged');
  });

  test('drops an equal name below the review band if the dates conflict', () => {
    const [match] = list.matches('Evander|Quillfeather|1994-01-01');
    expect(match?.score).toBeLessThan(REVIEW);
    expect(match?.explanation.birthDate).toBe('birth year differs by 31');
  });
});

describe('weak aliases', () => {
  const list = screenAgainst(
    listed('Casimir Drozdek', { weakNames: ['The Blue Falcon', 'Kazik'], birthDates: ['1960'] }),
  );
  test('match as written, with a lower score', () => {
    expect(list.score('Green|Falcon')).toBe(0);
    expect(list.score('Blue|Falcone')).toBe(0);
    const [match] = list.matches('The Blue|Falcon');
    expect(match?.score).toBeGreaterThan(0.5);
    expect(match?.score).toBeLessThan(SURE);
    expect(match?.explanation.name).toContain('weak alias');
  });
  test('are leads on their own, and more with the date of birth', () => {
    for (const row of ['The Blue|Falcon', '|Kazik']) {
      expect(list.score(row)).toBeGreaterThan(0);
      expect(list.score(row)).toBeLessThan(REVIEW);
    }
    expect(list.score('The Blue|Falcon|1960-05-05')).toBeGreaterThan(REVIEW);
  });
  test('of organizations are leads as written, but not translated or misspelled', () => {
    const banks = screenAgainst(
      listed('Banco Orvelano SA', { schema: 'Company', weakNames: ['Banco Nacional', 'BNO', 'Orvelbanc'] }),
    );
    for (const row of ['|Bank Melli', '|National Bank', '|Orvelbonc']) expect(banks.score(row)).toBe(0);
    for (const row of ['|Banco Nacional', '|Orvelbanc']) {
      expect(banks.score(row)).toBeGreaterThan(0.5);
      expect(banks.score(row)).toBeLessThan(REVIEW);
    }
  });
});

describe('organizations', () => {
  const list = screenAgainst(
    listed('Orvil Shipping Trading LLC', { schema: 'Company', id: 'company' }),
    listed('ORVIL STAR', { schema: 'Vessel', id: 'vessel' }),
    listed('Orvil Star', { schema: 'LegalEntity', id: 'either' }),
  );
  test('are found by their whole name, in a row that may be one', () => {
    expect(list.matches('|Orvil Shipping Trading LLC')[0]?.id).toBe('company');
    expect(list.matches('|Orvil Shipping and Trading')[0]?.id).toBe('company');
  });
  test('are not found by a person’s row', () => {
    expect(list.matches('Orvil|Shipping|1970-01-01')).toEqual([]);
    expect(list.matches('Orvil|Star').map(({ id }) => id)).toEqual(['either']);
  });
});

describe('topics', () => {
  const list = screenAgainst(
    listed('Ilona Bexley', { id: 'pep', topics: ['role.pep'] }),
    listed('Ilona Bexley', { id: 'sanction', topics: ['sanction'] }),
    listed('Ilona Bexley', { id: 'neither', topics: ['crime'] }),
  );
  test.each([
    ['all', ['neither', 'pep', 'sanction']],
    ['peps', ['pep']],
    ['sanctions', ['sanction']],
  ] as const)('restrict matches to %s', (topic, ids) => {
    expect(
      list
        .matches('Ilona|Bexley', topic)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids);
  });
});

describe('a match', () => {
  test('explains how the parts compare, in the words of the row and of the list', () => {
    const list = screenAgainst(
      listed(['HADDAD, Muhammad Amin', 'Amin Haddad'], {
        birthDates: ['1940-01-01'],
        countries: ['lb'],
        programs: ['X'],
        lastChange: '2026-01-01',
      }),
    );
    expect(list.matches('Mohamed Amin|Hadad|1971-01-01')[0]).toMatchObject({
      caption: 'HADDAD, Muhammad Amin',
      matchedName: 'HADDAD, Muhammad Amin',
      aliases: ['Amin Haddad'],
      explanation: {
        name: expect.stringMatching(/^Mohamed ~ Muhammad: .+; Amin: same; Hadad ~ HADDAD: .+$/),
        birthDate: 'birth year differs by 31',
      },
    });
  });

  test('is reported once per entity, best first, in a stable order', () => {
    const twins = Array.from({ length: 8 }, (_, at) =>
      listed(['Tova Reinholt', 'Tova Rheinholt'], { id: `twin-${at}` }),
    );
    const list = screenAgainst(...twins);
    const ids = list.matches('Tova|Reinholt').map(({ id }) => id);
    expect(ids).toEqual(['twin-0', 'twin-1', 'twin-2', 'twin-3', 'twin-4']);
  });
});
