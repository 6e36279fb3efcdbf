import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PARTS } from '../fold-name.ts';
import { foldCraft, foldOrganization, foldRegistration } from './fold-organisation.ts';

const parts = (name: string) => foldOrganization(name).map(({ text }) => text);

describe('foldOrganization', () => {
  test.each([
    ['Orvelia Aktiengesellschaft', ['orvelia', '=shares']],
    ['Orvelia Aktiengeselschaft', ['orvelia', '=shares']],
    ['ООО «Орвелия»', ['=limited', 'orveliya']],
    ['Общество с ограниченной ответственностью "Орвелия"', ['=limited', 'orveliya']],
    ['ORVELIA Sp. z o.o.', ['orvelia', '=limited']],
    ['Orvelia Sdn. Bhd.', ['orvelia', '=limited']],
    ['Orvelia S.A. de C.V.', ['orvelia', '=shares']],
    ['Orvelia Co., Ltd.', ['orvelia', '=limited']],
    ['奥维利亚有限公司', ['ao', 'wei', 'li', 'ya', '=limited']],
    ['A.B.C. & Sons', ['abc', 'and', 'sons']],
    ['J. P. Orvel', ['jp', 'orvel']],
    ['Co-operation Fund', ['cooperation', 'fund']],
    ['1st Bank', ['#1', 'bank']],
    ['First Bank', ['#1', 'bank']],
    ['Brigade Forty-Four', ['brigade', '#44']],
    ['Orvel Fund VIII L.P.', ['orvel', 'fund', '#8', '=partnership']],
    ['Orvel Trust I', ['orvel', 'trust', '#1']],
    ['VII Orvel Plant', ['#7', 'orvel', 'plant']],
    ['XXIX Orvel Corps', ['#29', 'orvel', 'corps']],
    ['XLVI Orvel Brigade', ['#46', 'orvel', 'brigade']],
    ['Brigade XLVI', ['brigade', '#46']],
    ['Orvel Fund XC L.P.', ['orvel', 'fund', '#90', '=partnership']],
    ['Orvel Fund CXXI', ['orvel', 'fund', '#121']],
    ['Xi An Orvel', ['xi', 'an', 'orvel']],
    ['Orvel Mix', ['orvel', 'mix']],
    ['MD Orvel', ['md', 'orvel']],
    ['Lady M', ['lady', 'm']],
    ['Twenty-1st Orvel', ['#21', 'orvel']],
    ['Fortieth Orvel', ['#40', 'orvel']],
    ['One Hundred and Second Orvel Brigade', ['#102', 'orvel', 'brigade']],
    ['29-й Orvel', ['#29', 'orvel']],
    ['7 th Orvel', ['#7', 'orvel']],
    ['Orvel Centre No I of Testing', ['orvel', 'centre', '#1', 'of', 'testing']],
    ['Orvel Plant № 7', ['orvel', 'plant', '#7']],
    ['2-я Orvel', ['#2', 'orvel']],
    ['Orvel 2007-AHL1', ['orvel', '#2007', 'ahl', '#1']],
    ['3%ers', ['#3', 'percenters']],
    ['U.S. Department', ['usa', 'department']],
  ])('folds %s', (name, expected) => {
    expect(parts(name)).toEqual(expected);
  });

  test('recognizes ambiguous legal forms only at either end, and never as the whole name', () => {
    expect(parts('AS Orvel')).toEqual(['=shares', 'orvel']);
    expect(parts('Orvel as Agent')).toEqual(['orvel', 'as', 'agent']);
    expect(parts('SE')).toEqual(['se']);
  });

  test('keeps the position of each part', () => {
    const name = 'Orvel & Söhne Gesellschaft mit beschränkter Haftung';
    expect(foldOrganization(name).map(({ start, end }) => name.slice(start, end))).toEqual([
      'Orvel',
      '&',
      'Söhne',
      'Gesellschaft mit beschränkter Haftung',
    ]);
  });

  test('bounds the parts of any text, each within the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
        const folded = foldOrganization(name);
        expect(folded.length).toBeLessThanOrEqual(MAX_PARTS);
        for (const { text, start, end } of folded) {
          expect(text).toMatch(/^[=#]?[a-z0-9]+$/);
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(name.length);
        }
      }),
    );
  });
});

describe('foldCraft', () => {
  test.each([
    'M/V Orvel Star 7',
    'MV ORVEL STAR VII',
    'M.V. Orvel Star No. 7',
    'Motor Vessel Orvel-Star 7',
    'ORVEL STAR7',
  ])('folds %s', (name) => expect(foldCraft(name).map(({ text }) => text)).toEqual(['orvel', 'star', '#7']));

  test('keeps a name that consists of a prefix', () => {
    expect(foldCraft('MV').map(({ text }) => text)).toEqual(['mv']);
  });
});

test('keeps a registration as one part, with or without its hyphen', () => {
  expect(foldRegistration('EP-MNK', true)?.[0]?.text).toBe('$epmnk');
  expect(foldRegistration('EPMNK', true)?.[0]?.text).toBe('$epmnk');
  expect(foldRegistration('EP MNK', true)?.[0]?.text).toBe('$epmnk');
  expect(foldRegistration('ep-mnk', true)?.[0]?.text).toBe('$epmnk');
  expect(foldRegistration('RO 6AB', false)).toBeUndefined();
  expect(foldRegistration('5NABC', false)?.[0]?.text).toBe('$5nabc');
  expect(foldRegistration('EMMA', false)).toBeUndefined();
  expect(foldRegistration('Orvel Star', true)).toBeUndefined();
});
