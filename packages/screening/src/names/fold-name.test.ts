import { describe, expect, test } from 'vitest';
import { foldName, joinSyllables, MAX_PARTS } from './fold-name.ts';

const parts = (name: string) => foldName(name).map(({ text }) => text);

describe('foldName', () => {
  test.each([
    ['AL-ZAWAHIRI, Ayman', ['al', 'zawahiri', 'ayman']],
    ["O'Brien  Seán", ['obrien', 'sean']],
    ["Mu'ammar D’Souza", ['muammar', 'dsouza']],
    ['J.R. Straße', ['j', 'r', 'strasse']],
    ['Łukasz Žižek', ['lukasz', 'zizek']],
    ['Đặng Văn Ngữ', ['dang', 'van', 'ngu']],
    ['Владимир Щукин', ['vladimir', 'shchukin']],
    ['Αλέξης', ['alexis']],
    ['习近平', ['xi', 'jin', 'ping']],
    ['김정은', ['kim', 'jong', 'un']],
    ['გიორგი', ['giorgi']],
    ['Henry VIII 2nd', ['henry', 'viii', '2nd']],
  ])('folds %s', (name, expected) => {
    expect(parts(name)).toEqual(expected);
  });

  test('treats composed and decomposed letters alike', () => {
    expect(parts('Müller'.normalize('NFD'))).toEqual(parts('Müller'.normalize('NFC')));
  });

  test('marks scripts without vowels and separates the Arabic article', () => {
    expect(foldName('القنطرجي')).toMatchObject([
      { text: 'al', vowelless: false },
      { text: 'qntrjy', vowelless: true },
    ]);
    expect(foldName('נתן')[0]).toMatchObject({ vowelless: true });
    expect(foldName('Anna')[0]).toMatchObject({ vowelless: false });
  });

  test('keeps the position of each part', () => {
    for (const name of ['Jean-Luc  Dubois', 'Сергей Петрович', '王小明', "d'Arc Jeanne"]) {
      for (const { start, end } of foldName(name)) expect(name.slice(start, end).trim()).toBe(name.slice(start, end));
    }
    expect(foldName('Jean-Luc Dubois').map(({ start, end }) => 'Jean-Luc Dubois'.slice(start, end))).toEqual([
      'Jean',
      'Luc',
      'Dubois',
    ]);
  });

  test('does not treat property names of objects specially', () => {
    expect(parts('toString ᪚constructor__proto__')).toEqual(['tostring', 'constructor', 'proto']);
  });

  test('ignores everything that is not a letter', () => {
    for (const name of ['', '   ', '-', '., ;', '\u0000', '🙂', '​', '‮']) expect(parts(name), name).toEqual([]);
  });

  test('bounds the number and length of parts', () => {
    expect(parts('x'.repeat(5_000))[0]).toHaveLength(48);
    expect(parts('é'.repeat(5_000))[0]!.length).toBeLessThanOrEqual(48);
    expect(parts('ab '.repeat(5_000))).toHaveLength(MAX_PARTS);
    expect(parts('й '.repeat(5_000)).length).toBeLessThanOrEqual(MAX_PARTS);
  });
});

describe('joinSyllables', () => {
  const joined = (name: string) => joinSyllables(foldName(name), name)?.map(({ text }) => text);

  test('joins the given name of Chinese and Korean names', () => {
    expect(joined('习近平')).toEqual(['xi', 'jinping']);
    expect(joined('欧阳小明')).toEqual(['ouyang', 'xiaoming']);
    expect(joined('김정은')).toEqual(['kim', 'jongun']);
  });

  test('leaves other names alone', () => {
    expect(joined('王明')).toBeUndefined();
    expect(joined('Xi Jin Ping')).toBeUndefined();
    expect(joined('Иван Петров Иванов')).toBeUndefined();
  });
});
