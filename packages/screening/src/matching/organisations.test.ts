// Organizations, ships and aircraft: matches, leads and distinct names.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';
import { readName } from './query.ts';

const SURE = 0.95;
const REVIEW = 0.85;
const score = (schema: string, name: string, other: string) =>
  screenAgainst(listed(other, { schema })).scoreOf(schema, name);

describe('names of the same company', () => {
  test.each([
    ['another way to write the legal form', 'Orvelia AG', 'Orvelia Aktiengesellschaft'],
    ['a legal form with its article', 'Aktiebolaget Orvelia', 'Orvelia AB'],
    ['a legal form cut short', 'Orvelia Public Limited', 'Orvelia PLC'],
    ['a legal form of another country', 'ООО Орвелия', 'Orveliya LLC'],
    ['a legal form in front or behind', 'OAO Orvelprom', 'Orvelprom JSC'],
    ['no legal form', 'Orvelia Trading', 'Orvelia Trading Sdn Bhd'],
    ['letters with and without dots', 'L.X.C. Orvel', 'LXC Orvel Ltd'],
    ['a sign for a word', 'Orvel & Sons', 'Orvel and Sons'],
    ['abbreviations', 'Orvelia Intl Mfg Co', 'Orvelia International Manufacturing Company'],
    ['translations', 'Uralskiy Zavod', 'Ural Factory'],
    ['words that foreign ones were made of', 'Orvel Technology', 'Orvel Tekhnologiya'],
    ['words joined', 'Good Will Orvel', 'Goodwill Orvel'],
    ['words split', 'Orvelmashexport', 'Orvel Mash Export'],
    ['a legal form joined to the name', 'OrveliaAG', 'Orvelia AG'],
    ['a number as a word', 'First Orvel Bank', '1st Orvel Bank'],
    ['another script', '奥维技术有限公司', 'Aowei Jishu Co Ltd'],
    ['another script and a translation', '奥维技术有限公司', 'Aowei Technologies Co Ltd'],
    ['an Arabic preposition', 'شركة النورفي للتجارة', 'Sharikat al-Nourvi lil-Tijara'],
    ['an Arabic preposition, spelled otherwise', 'شركة النورفي للتجارة العامة', 'Al Nurvi lel Tijarah al-Amma'],
    ['an Arabic preposition, translated', 'شركة النورفي للتجارة', 'Al-Nourvi Company for Trade'],
    ['an Arabic conjunction', 'شركة النورفي للتجارة والصناعة', 'Al-Nourvi lil-Tijara & al-Sinaa Co'],
    ['one of two names with a slash', 'Orvelia Front', 'Orvelia Front/Army of Testers'],
    ['a country and its adjective', 'Austrian Orvel Bank', 'Orvel Bank of Austria'],
    ['a slip', 'Orvelai Shipping', 'Orvelia Shipping'],
    ['the name of before', 'Orvelia Ltd (formerly Brantor Ltd)', 'Brantor Limited'],
    ['the name of today', 'Orvelia Ltd, f/k/a Brantor Ltd', 'Orvelia Limited'],
    ['Russian words in other cases', 'Фонд прямых инвестиций Орвель', 'Orvel Direct Investment Fund'],
    ['an adjective cut short', 'Natsionalny Kommercheski Bank Orvel', 'National Commercial Bank Orvel'],
    ['another end of a made-up name', 'Орвельтех', 'ORVELTEC'],
    ['Persian words of state', 'بانک ملی ایران', 'Bank Melli Iran'],
    ['Persian words of trade', 'شرکت ملی نفت ایران', 'National Iranian Oil Company'],
    ['a republic in Persian', 'کشتیرانی جمهوری اسلامی ایران', 'Islamic Republic of Iran Shipping Lines'],
    ['Arabic words of politics', 'حركة المقاومة الإسلامية', 'Islamic Resistance Movement'],
    ['what says that it is an oil company', 'Orvelneft PJSC', 'ПАО «НК «Орвелнефть»'],
  ])('match: %s', (_what, name, other) => {
    expect(score('Company', name, other)).toBeGreaterThanOrEqual(SURE);
    expect(score('Company', other, name)).toBeGreaterThanOrEqual(SURE);
  });
});

describe('a description before the name', () => {
  test.each([
    ['Orvelkosmos', 'State Space Corporation Orvelkosmos'],
    ['AO Orvel-Zelvar', 'Concern VKO Orvel-Zelvar'],
    ['Orvelmash', 'NPO Orvelmash'],
    ['Orvelmash', 'Orvelmash NPO'],
    ['Orvelprom OJSC', 'United Industrial Corporation Orvelprom'],
  ])('makes %s a lead to %s', (name, other) => {
    for (const found of [score('Company', name, other), score('Company', other, name)]) {
      expect(found).toBeGreaterThanOrEqual(0.75);
      expect(found).toBeLessThan(REVIEW);
    }
  });

  test.each([
    ['Orvelaz', 'Orvelaz Energy Leasing'],
    ['Brantor Orvelaz', 'Corporation Zelvar Orvelaz'],
    ['Orvelaz', 'JSC Western Regional Center of Orvelaz'],
    ['Orvelaz', 'LLC Gul Orvelaz'],
  ])('distinguishes %s from %s', (name, other) => {
    expect(score('Company', name, other)).toBeLessThan(0.75);
    expect(score('Company', other, name)).toBeLessThan(0.75);
  });
});

describe('a name without its generic words', () => {
  test.each([
    ['Orvelia', 'Orvelia Handels GmbH'],
    ['Orvelia GmbH', 'Orvelia Handels GmbH'],
    ['Brandelheim GmbH', 'Brandelheim Import Export GmbH'],
    ['Orvelmash', 'Orvelmash General Trading House LLC'],
    ['Orvelia', 'Orvelia Oil and Gas Services'],
    ['Orvelia', 'Orvelia Ticaret ve Sanayi A.S.'],
  ])('is a lead at most: %s, %s', (name, other) => {
    for (const found of [score('Company', name, other), score('Company', other, name)]) {
      expect(found).toBeGreaterThanOrEqual(0.5);
      expect(found).toBeLessThan(REVIEW);
    }
  });

  test.each([['a place says too little', 'Company', 'Korea', 'Korea Mining Trading']])(
    'does not match if %s',
    (_why, schema, name, other) => {
      expect(score(schema, name, other)).toBeLessThan(0.5);
    },
  );

  test.each([
    ['a common word says too little', 'Company', 'Star', 'Star Trading Holding'],
    ['a name more is another one', 'Company', 'Orvelia', 'Orvelia Zelvar Trading'],
    ['a ship is not her company', 'Vessel', 'ORVELIA', 'ORVELIA SHIPPING TRADING'],
  ])('is only the beginning of another name if %s', (_why, schema, name, other) => {
    expect(score(schema, name, other)).toBeLessThan(0.6);
  });
});

describe('a misspelled or spaced legal form', () => {
  test.each([
    ['Orvelia Zelvar Limted', 'ORVELIA ZELVAR LIMITED'],
    ['Orvelia Zelvar Limitted', 'ORVELIA ZELVAR LIMITED'],
    ['Orvelia Zelvar Compnay', 'ORVELIA ZELVAR COMPANY'],
    ['Orvelia Zelvar LCC', 'ORVELIA ZELVAR LLC'],
    ['Orvelia Zelvar Ldt', 'ORVELIA ZELVAR LTD'],
    ['Orvelia Zelvar GMHB', 'ORVELIA ZELVAR GMBH'],
    ['Orvelia Zelvar B V', 'ORVELIA ZELVAR B.V.'],
    ['Orvelia Zelvar N V', 'ORVELIA ZELVAR NV'],
    ['ORVELIA ZELVAR S DE R L DE C V', 'ORVELIA ZELVAR S. DE R.L. DE C.V.'],
  ])('is recognized: %s, %s', (name, other) => {
    expect(score('Company', name, other)).toBeGreaterThanOrEqual(SURE);
    expect(score('Company', other, name)).toBeGreaterThanOrEqual(SURE);
  });

  test.each([
    ['Limted Orvelia', 'Orvelia'],
    ['A G Orvelia', 'Orvelia'],
  ])('is not recognized before a name: %s, %s', (name, other) => {
    expect(score('Company', name, other)).toBeLessThan(SURE);
  });
});

describe('generic words alone', () => {
  test.each([
    ['International Trade LLC', 'AE INTERNATIONAL TRADE CO LIMITED'],
    ['International Trading Company', 'KS INTERNATIONAL TRADERS'],
    ['Shipping Company Ltd', 'DP SHIPPING LIMITED'],
    ['National Bank', 'BANK MELLI'],
    ['Commercial Bank', 'BANK TEJARAT'],
    ['Investment Group', 'LIMITED LIABILITY COMPANY INVEST GROUP'],
  ])('are a lead: %s, %s', (name, other) => {
    expect(score('Company', name, other)).toBeLessThan(REVIEW);
  });

  test.each([
    ['International Trade LLC', 'INTERNATIONAL TRADE LLC'],
    ['Bank Melli', 'BANK MELLI'],
    ['National Bank of Iran', 'BANK MELLI IRAN'],
    ['Diamond Industries International', 'INTERNATIONAL DIAMOND INDUSTRIES LTD'],
  ])('match if all are equal or more than they agree: %s, %s', (name, other) => {
    expect(score('Company', name, other)).toBeGreaterThanOrEqual(SURE);
  });
});

describe('a similarly written word', () => {
  const list = screenAgainst(
    listed(['NATIONAL IRANIAN OIL ENGINEERING AND CONSTRUCTION', 'NIOEC'], { schema: 'Company' }),
    listed('HIZBALLAH', { schema: 'Organization' }),
  );

  test('is another name if it is short', () => {
    expect(list.scoreOf('Company', 'NIOC')).toBeLessThan(REVIEW);
    expect(list.scoreOf('Company', 'NIOEC')).toBeGreaterThanOrEqual(SURE);
  });

  test('matches if it is a known variant', () => {
    expect(list.scoreOf('Organization', 'Hezbollah')).toBeGreaterThanOrEqual(SURE);
  });

  test.each([
    ['АК АЛРОСА ПАО', 'LIMITED LIABILITY COMPANY ALLRUS'],
    ['Orvelia Pharma', 'Orvelia Farm'],
    ['NABICO EXCHANGE', 'NABI ZADEH EXCHANGE'],
  ])('is a lead if it also sounds different: %s, %s', (name, other) => {
    expect(score('Company', name, other)).toBeLessThan(REVIEW);
  });
});

describe('a legal form', () => {
  const NAME = 'Orvelia Shipping';

  test.each([
    ['S.à r.l.', 'SARL'],
    ['S. à r. l.', 'GmbH'],
    ['s.à r.l.-S', 'SARL'],
    ['Pty. Limited', 'Proprietary Ltd'],
    ['(Private) Limited', 'Pvt. Ltd. Co.'],
    ['C.A.', 'Compañía Anónima'],
    ['C.A.', ''],
    ['S.A.L. (Offshore)', 'SAL'],
    ['Offshore S.à r.l.', 'Offshore SARL'],
    ['S/A', 'S.A.'],
    ['S.A.S. de C.V.', 'SA de CV'],
    ['SCSp', 'LP'],
    ['S.E.N.C.', 'SNC'],
    ['Ltd Liability Co.', 'LLC'],
    ['Co. L.L.C.', 'LLC'],
    ['Company LLC', 'LLC'],
    ['L.L.C-FZ', 'FZ-LLC'],
    ['Private Joint Stock Company', 'PJS Co.'],
    ['(P.J.S.)', ''],
    ['QJSC', 'JSC'],
    ['K.S.C.P.', 'KSC'],
    ['Publicly Traded Company', 'PJSC'],
    ['DAC', 'Designated Activity Company'],
    ['CLG', 'Company Limited by Guarantee'],
    ['Unltd', 'Unlimited'],
    ['e.K.', ''],
    ['e.U.', ''],
    ['Anstalt', ''],
    ['Trust reg.', ''],
    ['N.A.', 'National Association'],
    ['Tbk PT', 'PT'],
    ['ГК', 'State Corporation'],
    ['ЧУП', 'PUE'],
    ['ПП', 'PE'],
    ['ТзОВ', 'LLC'],
    ['Λτδ', 'Ltd'],
    ['Α.Ε.', 'SA'],
    ['בע"מ', 'Ltd'],
    ['ذ.م.م', 'W.L.L.'],
    ['ش.م.ل', 'S.A.L.'],
    ['(سهامی خاص)', 'PJS'],
    ['(株)', '株式会社'],
    ['㈱', 'K.K.'],
    ['(주)', '주식회사'],
    ['บริษัท จำกัด (มหาชน)', 'PCL'],
    ['ՍՊԸ', 'LLC'],
  ])('has little weight: %s, %s', (form, other) => {
    const [name, listedName] = [`${NAME} ${form}`, `${NAME} ${other}`];
    expect(score('Company', name, listedName)).toBeGreaterThanOrEqual(SURE);
    expect(score('Company', listedName, name)).toBeGreaterThanOrEqual(SURE);
  });

  test.each([
    ['PT Orvelia Semen (Persero)', 'Perusahaan Perseroan PT Orvelia Semen Tbk'],
    ['บริษัทโอร์เวเลียจำกัด', 'โอร์เวเลีย'],
    ['S.C. Orvelia S.R.L.', 'Orvelia'],
    ['Компания ООО Орвелия', 'Orveliya LLC'],
    ['شركة أورفيليا ش.م.م', 'أورفيليا'],
  ])('may come before and after the name: %s, %s', (name, other) => {
    expect(score('Company', name, other)).toBeGreaterThanOrEqual(SURE);
    expect(score('Company', other, name)).toBeGreaterThanOrEqual(SURE);
  });

  test.each([
    ['ЗАО Орвель МБ', 'BM ORVEL JSC'],
    ['Орвель МБ', 'ORVEL BM'],
  ])('is not read into letters of another script: %s, %s', (name, other) => {
    const [match] = screenAgainst(listed(other, { schema: 'Company' })).matchesOf('Company', name);
    expect(match?.explanation.name ?? '').not.toMatch(/МБ ~|~ BM/);
    expect(match?.score ?? 0).toBeLessThan(REVIEW);
  });

  test('is not read into lookalikes', () => {
    expect(score('Company', 'Orvelia EU', 'Orvelia')).toBeLessThan(REVIEW);
    expect(score('Vessel', 'AS ORVELIA', 'SAL ORVELIA')).toBeLessThan(REVIEW);
    expect(score('Company', '광주', '광')).toBeLessThan(REVIEW);
  });
});

describe('joined and split words', () => {
  test.each([
    ['Vessel', 'AMNORV GANG', 'AM NORV GANG'],
    ['Vessel', 'AMNORVGANG', 'AM NORV GANG'],
    ['Vessel', 'ORVSTAR 5', 'ORV STAR V'],
    ['Vessel', 'MT Orv Bear', 'ORVBEAR'],
    ['Vessel', 'RORV-6', 'RO RV 6'],
    ['Company', 'Tatorv', 'Tat Orv'],
    ['Company', 'JMOrvel Trading', 'JM Orvel Trading'],
    ['Company', 'Zhongorv Seastar', 'Zhong Orv Sea Star'],
    ['Company', 'OJSCOrvelneft', 'OJSC Orvelneft'],
    ['Company', 'Orvel TradingCompany', 'Orvel Trading Company'],
    ['Company', '7Q Orvelia', 'Seven Q Orvelia'],
  ])('match in both directions: %s, %s, %s', (schema, name, other) => {
    const there = score(schema, name, other);
    const back = score(schema, other, name);
    expect(there).toBeGreaterThanOrEqual(SURE);
    expect(back).toBeGreaterThanOrEqual(SURE);
    expect(Math.abs(there - back)).toBeLessThan(0.02);
  });

  test('match even if the joined word is itself listed', () => {
    const list = screenAgainst(
      listed('ORVSTAR', { id: 'one', schema: 'Vessel' }),
      listed('ORV STAR', { id: 'two', schema: 'Vessel' }),
    );
    expect(list.matchesOf('Vessel', 'ORVSTAR').map(({ id }) => id)).toEqual(['one', 'two']);
  });

  test('are not read as two meaningless words', () => {
    expect(score('Vessel', 'Orveptun Star', 'Orveptune')).toBeLessThan(REVIEW);
  });

  test('match only if they are adjacent in a listed name', () => {
    const list = screenAgainst(
      listed('ORV', { id: 'one', schema: 'Vessel' }),
      listed('STAR ORV', { id: 'two', schema: 'Vessel' }),
    );
    expect(list.matchesOf('Vessel', 'ORVSTAR')).toEqual([]);
  });
});

describe('abbreviations', () => {
  test.each([
    ['in brackets', 'Orvelos de Venezuela', 'Orvelos de Venezuela (ODVSA)'],
    ['in brackets, before a legal form', 'Orvelian Guard Corps Ltd', 'Orvelian Guard Corps (OGC) Ltd'],
    ['with its name in brackets', 'OGC (Orvelian Guard Corps)', 'Orvelian Guard Corps'],
    ['an enterprise', 'NPP Orvel', 'Research and Production Enterprise Orvel'],
    ['an enterprise, romanized', 'НПП Орвел', 'Nauchno-Proizvodstvennoe Predpriyatie Orvel'],
    ['an association', 'NPO Orvel', 'Scientific and Production Association Orvel'],
    ['a design bureau', 'KB Orvel', 'Orvel Design Bureau'],
    ['a design bureau behind a name', 'JSC Orvel KB', 'JSC Orvel Design Bureau'],
    ['a design bureau in Cyrillic', 'ОКБ Орвел', 'Opytno-Konstruktorskoe Byuro Orvel'],
    ['a central design bureau', 'TsKB Orvel', 'Central Design Bureau Orvel'],
    ['a country', 'Orvel Lines of Iran', 'Orvel Lines of the Islamic Republic of Iran'],
    ['a name that it bears', 'Zavod im. Orvelina', 'Plant named after Orvelina'],
  ])('match: %s: %s', (_what, name, other) => {
    expect(score('Company', name, other)).toBeGreaterThanOrEqual(REVIEW);
    expect(score('Company', other, name)).toBeGreaterThanOrEqual(REVIEW);
  });

  test.each([
    ['ONPO', 'Orvel National Petroleum Organization'],
    ['SNOC', 'Société Nationale des Orvels du Congo'],
    ['SQOM', 'Sociedad Química Orvel y Minera'],
    ['ONGC', 'Orvel and Natural Gas Corporation Limited'],
    ['SNIO', 'Société Nationale Industrielle et Orvelière'],
    ['IRIOL', 'Islamic Republic of Iran Orvel Lines'],
    ['ODVSA', 'Orvelos de Venezuela (ODVSA)'],
  ])('make %s a lead to %s', (name, other) => {
    for (const found of [score('Company', name, other), score('Company', other, name)]) {
      expect(found).toBeGreaterThanOrEqual(0.5);
      expect(found).toBeLessThan(REVIEW);
    }
  });

  test('do not include listed words in brackets', () => {
    expect(score('Company', 'Orvelia Trading', 'Orvelia Trading (OMAN)')).toBeLessThan(REVIEW);
    expect(score('Company', 'Orvelia Trading', 'Orvelia Trading (KURSUN)')).toBeLessThan(REVIEW);
  });
});

describe('leads', () => {
  test.each([
    ['Company', 'another number', 'Orvel Fund VII', 'Orvel Fund VIII'],
    ['Company', 'a number more', 'Orvelia Solutions', 'Orvelia Solutions II'],
    ['Company', 'a country more', 'Banco Orvelia', 'Banco Orvelia Chile'],
    ['Company', 'another country', 'National Orvel Bank of Iraq', 'National Orvel Bank of Iran'],
    ['Company', 'another country', 'Orvel Bank of Austria', 'Orvel Bank of Australia'],
    ['Company', 'another country', 'Orvel Bank of Niger', 'Orvel Bank of Nigeria'],
    ['Company', 'another country', 'Slovakia Orvel Works', 'Slovenia Orvel Works'],
    ['Organization', 'another country', 'Red Crescent Society of Mali', 'Red Crescent Society of Malawi'],
    ['Company', 'a word more', 'Orvelia Shipping', 'Orvelia Shipping Logistics'],
    ['Company', 'two letters off', 'Orvesson Ltd', 'Orventon Ltd'],
    ['Company', 'first letters', 'NOOC', 'National Orvelian Oil Company'],
    ['Organization', 'an association and a company', 'ANO Orvel Krasoty', 'Orvel Krasoty LLC'],
    ['Vessel', 'another ship of a series', 'ORVEL STAR 7', 'ORVEL STAR 8'],
  ])('include %s, %s', (schema, _what, name, other) => {
    expect(score(schema, name, other)).toBeGreaterThanOrEqual(0.5);
    expect(score(schema, name, other)).toBeLessThan(REVIEW);
  });

  test('include names with another country, whatever else is listed', () => {
    const list = screenAgainst(
      listed('National Bank of Iran', { id: 'iran', schema: 'Company' }),
      listed('Orvel Trade of Iraq', { id: 'iraq', schema: 'Company' }),
    );
    const alone = score('Company', 'National Bank of Iraq', 'National Bank of Iran');
    expect(Math.abs(list.scoreOf('Company', 'National Bank of Iraq') - alone)).toBeLessThan(0.05);
  });
});

describe('different organizations', () => {
  test.each([
    ['Company', 'Orvelia Systems', 'Orvelia Industries'],
    ['Company', 'Bank of Sweden', 'Bank of Finland'],
    ['Company', 'ABC Company', 'CDE Company'],
    ['Company', 'NABC Company', 'ABC Company'],
    ['Vessel', 'LADY ORVELIA', 'LADY RANIA'],
    ['Vessel', 'LADY M', 'LADY R'],
    ['Airplane', 'EP-MNK', 'EP-MNL'],
  ])('do not match: %s %s, %s', (schema, name, other) => {
    expect(score(schema, name, other)).toBeLessThan(0.6);
  });
});

describe('the schema', () => {
  const list = screenAgainst(
    listed('Emma', { id: 'ship', schema: 'Vessel' }),
    listed('Emma Orvel', { id: 'person' }),
    listed('Emma Orvel', { id: 'either', schema: 'LegalEntity' }),
    listed('Emma Orvel Ltd', { id: 'company', schema: 'Company' }),
  );
  const ids = (schema: string, name: string) =>
    list
      .matchesOf(schema, name)
      .map(({ id }) => id)
      .toSorted();

  test('determines which names are compared', () => {
    expect(ids('Person', 'Emma Orvel')).toEqual(['either', 'person']);
    expect(ids('Company', 'Emma Orvel')).toEqual(['company', 'either']);
    expect(ids('LegalEntity', 'Emma Orvel')).toEqual(['company', 'either', 'person']);
    expect(ids('Vessel', 'Emma')).toEqual(['ship']);
    expect(ids('Airplane', 'Emma')).toEqual([]);
  });

  test('is optional for rows of people, which must then match almost entirely', () => {
    expect(list.score('|Emma Orvel Ltd')).toBeGreaterThanOrEqual(SURE);
    expect(list.score('|Emma')).toBe(0);
    expect(screenAgainst(listed('Orvel Fund VII', { schema: 'Company' })).score('|Orvel')).toBe(0);
  });
});

test('explains what matches, what is near and what is missing', () => {
  const [match] = screenAgainst(listed('Orventon Trading AG', { schema: 'Company' })).matchesOf(
    'Company',
    'Orvesson Trdg',
  );
  expect(match?.explanation.name).toBe(
    'Orvesson ~ Orventon: differs in a letter or two; Trdg ~ Trading: other form of the name; ' +
      'only in the listed name: AG',
  );
});

test('explains both sides of a legal form and of a number', () => {
  const [match] = screenAgainst(listed('ООО Orvel 7', { schema: 'Company' })).matchesOf('Company', 'Orvel VII GmbH');
  expect(match?.explanation.name).toBe('Orvel: same; VII ~ 7: same number; GmbH ~ ООО: same kind of legal form');
});

test.each([
  [
    'two legal forms are told as two',
    'Orvelia Corporation',
    'ORVELIA CORPORATION JSC',
    'Orvelia: same; Corporation ~ CORPORATION JSC: another legal form',
  ],
  [
    'a word that stands for two is told once',
    'DPRK Orvel Zelvar',
    'North Korea Orvel Zelvar',
    'DPRK ~ North: other form of the name; DPRK ~ Korea: other form of the name; Orvel: same; Zelvar: same',
  ],
  [
    'and is missing on neither side where half of it is met',
    'DPRK Orvel Zelvar',
    'KOREA’S ORVEL ZELVAR',
    'DPRK ~ KOREA’S: other form of the name; Orvel: same; Zelvar: same',
  ],
  [
    'two words that one was read as are missing once',
    'Orvelia',
    'Orvelia Impex Ltd',
    'Orvelia: same; only in the listed name: Impex Ltd',
  ],
  [
    'a translation is no same word',
    'صادرات Orvelzelvar',
    'Orvelzelvar Export',
    'صادرات ~ Export: other form of the name; Orvelzelvar: same',
  ],
])('explains %s', (_what, name, other, explanation) => {
  const [match] = screenAgainst(listed(other, { schema: 'Company' })).matchesOf('Company', name);
  expect(match?.explanation.name).toBe(explanation);
});

describe('a ship', () => {
  test.each([
    ['FORTUNE', 'FORTUNA'],
    ['ORVELLA', 'ORVELLE'],
  ])('may be another one: %s, %s', (name, other) => {
    for (const found of [score('Vessel', name, other), score('Vessel', other, name)]) {
      expect(found).toBeGreaterThanOrEqual(REVIEW);
      expect(found).toBeLessThan(SURE);
    }
  });
});

test('matches registrations of aircraft with a hyphen, a space or neither', () => {
  for (const name of ['EP-ORV', 'EP ORV', 'EPORV', 'ep-orv'])
    expect(score('Airplane', name, 'EP-ORV')).toBeGreaterThanOrEqual(SURE);
  expect(score('Airplane', 'EP ORW', 'EP-ORV')).toBeLessThan(0.6);
});

describe('a score', () => {
  const WORDS = 'Orvelia Marsk Trading Bank Intl Star Sweden II 7 of & Ltd AG Tekhnologiya Kursun'.split(' ');
  const name = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
  const schema = fc.constantFrom('Company', 'Organization', 'LegalEntity', 'Vessel', 'Person');

  test('is between 0 and 1, and maximal for an equal name', () => {
    fc.assert(
      fc.property(schema, name, name, (kind, one, other) => {
        const found = score(kind, one, other);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(score(kind, one, one)).toBeGreaterThanOrEqual(found);
      }),
      { numRuns: onlyWhenLong(150, 40) },
    );
  });

  test('is nearly symmetric', () => {
    // Scores below the floor are not found at all, and tiny differences decide that.
    const atLeastFloor = (found: number) => Math.max(found, 0.5);
    // No organization has the same word twice in a row, and the second one would count in one
    // direction only.
    const repeatsWord = (text: string) => /(?:^| )(\S+) \1(?: |$)/.test(text);
    fc.assert(
      fc.property(fc.constantFrom('Company', 'Vessel'), name, name, (kind, one, other) => {
        fc.pre(!repeatsWord(one) && !repeatsWord(other));
        const [there, back] = [score(kind, one, other), score(kind, other, one)].map(atLeastFloor);
        expect(Math.abs(there! - back!)).toBeLessThan(0.12);
      }),
      { numRuns: onlyWhenLong(150, 40) },
    );
  });

  test('never decreases when the same name is added as an alias', () => {
    fc.assert(
      fc.property(schema, name, name, name, (kind, asked, first, second) => {
        const before = score(kind, asked, first);
        const entity = listed([first, asked, second], { schema: kind });
        expect(screenAgainst(entity).scoreOf(kind, asked)).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: onlyWhenLong(100, 25) },
    );
  });
});

describe('bad input', () => {
  const list = screenAgainst(listed('Orvelia Trading', { schema: 'Company' }), listed('Ivan Orvelin'));

  test('reports a name without usable text and matches nothing', () => {
    for (const name of ['', '-', '\u200b', '🙂']) {
      const { names, warnings } = readName({ name, schema: 'Company', birthDate: '' });
      expect(names).toEqual([]);
      expect(warnings).toEqual([expect.stringContaining('nothing')]);
      expect(list.scoreOf('Company', name)).toBe(0);
    }
  });

  test('truncates a long name and warns', () => {
    const long = [
      'Orvelia Trading '.repeat(700),
      'ж'.repeat(10_000),
      '有限'.repeat(5_000),
      'A.'.repeat(5_000),
      '7 & '.repeat(2_500),
    ];
    for (const name of long) {
      const { names, warnings } = readName({ name, schema: 'LegalEntity', birthDate: '' });
      expect(names.every(({ parts }) => parts.length <= 20)).toBe(true);
      expect(warnings).toEqual(expect.arrayContaining([expect.stringContaining('longer than 2000')]));
      expect(list.scoreOf('LegalEntity', name)).toBeLessThanOrEqual(1);
    }
  });
});
