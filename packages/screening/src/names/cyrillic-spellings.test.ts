// Cyrillic names in the spellings of other languages.
import { describe, expect, it } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';
import { cyrillicReadings } from './cyrillic-spellings.ts';

const textsOf = (text: string) => cyrillicReadings(text).map((reading) => reading.text);

describe('readings of a Cyrillic name', () => {
  it.each([
    ['jakuschew', 'yakushev'],
    ['prigoschin', 'prigozhin'],
    ['tschemesow', 'chemezov'],
    ['nasarow', 'nazarov'],
    ['woronzowa', 'vorontsova'],
    ['schelesnjak', 'zheleznyak'],
    ['gorbatschow', 'gorbachev'],
    ['poutine', 'putin'],
    ['guirkine', 'girkin'],
    ['jakuszew', 'yakushev'],
    ['sacharow', 'zakharov'],
    ['tsjajka', 'chayka'],
    ['cajka', 'chayka'],
    ['jodorkovski', 'khodorkovski'],
  ])('of %s include %s', (written, english) => {
    expect(textsOf(written)).toContain(english);
  });

  it.each(['jing', 'jian', 'juan', 'yan', 'martine', 'sabine', 'wassim', 'ahmed', 'jose', 'james'])(
    'do not exist for %s',
    (text) => {
      expect(textsOf(text)).toEqual([]);
    },
  );

  it('are few, however many letters are ambiguous', () => {
    expect(textsOf('zszszszszszszszszszszszszszszszszschow').length).toBeLessThan(200);
  });
});

describe('a person who is listed in English', () => {
  const SURE = 0.95;
  const REVIEW = 0.85;
  const list = screenAgainst(
    listed('YAKUSHEV, Vladimir Vladimirovich'),
    listed('VOLODIN, Vyacheslav Victorovich'),
    listed('KOVALCHUK, Yury Valentinovich'),
    listed('SECHIN, Igor Ivanovich'),
    listed('NAZAROV, Mikhail Anatolievich'),
  );

  it.each([
    ...['Wladimir|Jakuschew', 'Wjatscheslaw|Wolodin', 'Jurij|Kowaltschuk', 'Juri|Kowaltschuk', 'Jurij|Kovalchuk'],
    ...['Igor|Setchine', 'Michail|Nasarow', 'Vladimir|Iakouchev', 'Władimir|Jakuszew', 'Joeri|Kovaltsjoek'],
    ...['Jurij|Kovalčuk', 'Mijaíl|Nazárov'],
  ])('is found as %s', (row) => {
    expect(list.score(row)).toBeGreaterThanOrEqual(REVIEW);
  });

  it('is not found by a name that only shares such letters', () => {
    expect(screenAgainst(listed('YAN, Ying'), listed('YUAN, Li')).score('Jan|Jing')).toBe(0);
    expect(screenAgainst(listed('YUAN, Li')).score('Juan|Li')).toBeLessThan(REVIEW);
  });

  it('is found in English if the list has another spelling', () => {
    const german = screenAgainst(listed('Wladimir JAKUSCHEW'), listed('Alina Kabajewa'));
    expect(german.score('Vladimir|Yakushev')).toBeGreaterThanOrEqual(SURE);
    expect(german.score('Alina|Kabaeva')).toBeGreaterThanOrEqual(SURE);
  });

  it('is found by a form of the given name, without the patronymic', () => {
    const dmytro = screenAgainst(listed('KOVALCHUK, Dmytro Volodymyrovych'));
    expect(dmytro.score('Dmitry|Kovalchuk')).toBeGreaterThanOrEqual(REVIEW);
  });
});
