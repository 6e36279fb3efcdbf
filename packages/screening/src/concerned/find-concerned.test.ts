// A listed entity must find every subject whose own search would find the entity.
import { expect, it } from 'vitest';
import { emptyEntity, type ListedEntity } from '../entity.ts';
import { IndexBuilder } from '../index/build-index.ts';
import type { Subject } from '../subjects/subject.ts';
import { createConcernedFinder } from './find-concerned.ts';
import { indexGlued, shareGluing } from './glued-subjects.ts';
import { toSubjectEntity } from './subject-entity.ts';

const person = (...names: string[]): ListedEntity => ({ ...emptyEntity('listed', 'Person'), names });
const company = (...names: string[]): ListedEntity => ({ ...emptyEntity('listed', 'Company'), names });
const ship = (...names: string[]): ListedEntity => ({ ...emptyEntity('listed', 'Vessel'), names });
const named = (name: string, more: Partial<Subject> = {}): Subject => ({ names: [name], ...more });

/** Other subjects in the index. Some share a name part with most of them. */
const OTHERS = ['Mohammed Ali', 'Jose Garcia Lopez', 'Ivan Petrov', 'Maria Silva', 'Acme Trading Ltd', 'M. Ali'];

function buildIndex(entities: readonly ListedEntity[]) {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  return builder.finish();
}

/** `alsoListed` adds more words to the list's vocabulary. */
function findAmongOthers(entity: ListedEntity, wanted: Subject, ...alsoListed: ListedEntity[]): string[] | undefined {
  const subjects = [named('Nobody Whatsoever'), ...OTHERS.map((name) => named(name)), wanted];
  const index = buildIndex(
    subjects.map((subject, at) => toSubjectEntity(subject === wanted ? 'wanted' : `other ${at}`, subject)),
  );
  const list = buildIndex([entity, ...alsoListed.map((one, at) => ({ ...one, id: `also ${at}` }))]);
  // Uses two shares, as two threads do.
  const glued = shareGluing(index, 2).flatMap((share) => indexGlued(index, list, share) ?? []);
  return createConcernedFinder(index, list, glued).find(entity);
}

it.each<[string, ListedEntity, Subject]>([
  ['as it is written', person('ESKELAND, Torvald'), named('Torvald Eskeland')],
  ['by another name', person('BELZANFER, Quorvina', 'ESKELAND, Torvald'), named('Torvald Eskeland')],
  ['misspelled', person('ESKELAND, Torvald'), named('Torvlad Eskelnd')],
  ['with the first letter wrong', person('MYINT, Kyaw Thu Myo'), named('yaw Thu Myo Myint')],
  ['with a part left out', person('ESKELAND, Torvald Magnus'), named('Torvald Eskeland')],
  ['with initials', person('DUAL, Simon Gatwech'), named('S. G. Dual')],
  ['joined where it is apart', person('GAVIDIA FLORES, Yoswal Alexander'), named('Yoswalalexander Gavidia Flores')],
  ['joined and misspelled', person('ORVELSIE, Tony-Lee'), named('Orvelsie, Tonyelee')],
  ['as one word', person('KHADEMI, Majid'), named('Majidkhademi')],
  ['apart where it is joined', person('BAIGUSKAROV, Zarif'), named('Zarif Baig Uskarov')],
  ['put together by its sound', person('ABD AL-QADIR BIN ORVALI'), named('Abdelkader Benorvali', { schema: 'Person' })],
  ['taken apart by its sound', person('BENORVALI, Abdelkader'), named('Abd al-Qadir bin Orvali', { schema: 'Person' })],
  ['with particles of its own', person('VANDERORVEL, Jan'), named('Jan van der Orvel', { schema: 'Person' })],
  ['with initials together', person('ORVELANDEZ, Jose Maria'), named('JM Orvelandez', { schema: 'Person' })],
  ['with a name twice', person('ABU QUORVINA'), named('Abu Quorvina Abu Quorvina', { schema: 'Person' })],
  [
    'beside another one',
    person('ALI, Mohammed'),
    named('Belzanfer Jose Quorvina & Mohammed Ali', { schema: 'Person' }),
  ],
  ['in another script', person('ПЕТРЕНКО, Тарас'), named('Taras Petrenko')],
  ['in Arabic script', person('ORVASIN, Ahmed Ismail'), named('أحمد اورفاسين', { schema: 'Person' })],
  ['that is listed in Arabic script', person('أحمد اورفاسين'), named('Ahmed Orvasin', { schema: 'Person' })],
  ['with two names in one word', person('ORVALI, Muhammad Ali'), named('محمدعلي اورفالي', { schema: 'Person' })],
  ['that is listed with two names in one word', person('محمدعلي'), named('Muhammad Ali Orvasin', { schema: 'Person' })],
  ['whose name ends in of the faith', person('ORVALI, Sirajuddin'), named('Siraj al-Din Orvali', { schema: 'Person' })],
  [
    'spelled badly and born on the same day',
    { ...person('ESKELAND, Torvald'), birthDates: ['1967-01-21'] },
    named('Dorvalt Ezkelant', { birthDate: '1967-01-21' }),
  ],
  [
    'of another name with the same passport',
    { ...person('ESKELAND, Torvald'), identifiers: [{ kind: 'passportNumber', value: 'N 1234567' }] },
    named('Somebody Else', { identifiers: [{ value: 'N1234567' }] }),
  ],
  ['a company', company('ROSOBORONEXPORT JSC'), named('Rosoboronexport')],
  ['a company with its legal form glued on', company('PETROKICK LLC'), named('PETROKICKLLC')],
  ['a company as one word', company('KAY ZONE BUILDERS'), named('KAYZONEBUILDERS')],
  ['a company with words joined', company('TODO BOLSAS Y COLSOBRES'), named('Todobolsas y Colsobres')],
  ['a company by its letters', company('ISLAMIC REVOLUTIONARY GUARD CORPS'), named('IRGC')],
  ['a company with a word split at a legal form', company('CHAPS INVESTMENT INC.'), named('CH APS INVESTMENT INC.')],
  [
    'a company that is listed as one word',
    company('PetrokickTradingCompanyLimited'),
    named('PETROKICK TRADING COMPANY LIMITED'),
  ],
  ['a company that is listed as one word, split', company('ChapsInvestmentInc.'), named('Cha ps Investment Inc.')],
  ['a company of small words', company('DIDA'), named('DI DA', { schema: 'Organization' })],
  [
    'a company with a split legal form',
    company('HIGHLAND GOLD MINING LIMITED'),
    named('HIGHLAND GOLD MINING LIM ITED'),
  ],
  [
    'a company with a split phrase',
    company('SCIENTIFIC RESEARCH INSTITUTE ORVEL'),
    named('SCIEN TIFIC RESEARCH INSTITUTE ORVEL'),
  ],
  ['a company with its legal form joined', company('WT MARINE PTE LTD'), named('WT MARINEPTE LTD')],
  ['a company with a letter apart', company('S-CAPE LIMITED'), named('S-C APE LIMITED', { schema: 'Organization' })],
  ['that joins what another name has apart', person('WANG, Xueqing', 'WANG, Xue Qing'), named('Wang X. Qing')],
  [
    'of several long words',
    person("AL-MUTAYRI, 'Abd al-Muhsin Zubin"),
    named("AL-MUTAYRI'Abdal-MuhsinZubin", { schema: 'Person' }),
  ],
  [
    'with the beginning of a part glued on, born on the same day',
    { ...person('KIM, Tong Chol'), birthDates: ['1966-01-28'] },
    named("KMTong-ch'o'l", { birthDate: '1966-01-28' }),
  ],
  ['a company with its short form in brackets', company('ORVELIAN GUARD CORPS'), named('Orvelian Guard Corps (OGC)')],
  ['a company by the letter of its legal form', company('ORVEL NATIONAL GAS CORPORATION'), named('ONGC')],
  ['a company with its legal form in front', company('ORVELNEFT'), named('OJSCOrvelneft')],
  [
    'a ship with short words joined',
    { ...emptyEntity('listed', 'Vessel'), names: ['AM NORV GANG'] },
    named('AMNORV GANG', { schema: 'Vessel' }),
  ],
  ['a ship', { ...emptyEntity('listed', 'Vessel'), names: ['OCEAN BREEZE'] }, named('Ocean Breeze')],
])('finds a subject %s', (_, entity, wanted) => {
  expect(findAmongOthers(entity, wanted)).toContain('wanted');
});

const LONG = person('KHADEMI, Majid Hossein Reza Akbar Qorbani');
it.each<[string, ListedEntity, Subject, ListedEntity]>([
  ['with a part spelled otherwise', person('SAQER, Fadi'), named('Fadisader'), person('SADER, Omar')],
  ['of a longer name', LONG, named('Majidhosseinkhademi'), person('Nobody Whatsoever')],
  ['of a longer name that is spelled otherwise', LONG, named('Majidhusseinkhademy'), person('HUSSEIN, Khademy')],
  ['as a person that is known for one', LONG, named('Majidkhademi', { schema: 'Person' }), person('Nobody')],
  ['of a company with another legal form', company('TAMYNA FZE'), named('TAMYNALTD'), company('Nothing')],
  ['of a company, misspelled', company('NATIONAL LOTTERY OOD'), named('NATIONALLOTTARY'), company('LOTTARY')],
  [
    'of a company that is listed without its form',
    company('PENTANE CHEMISTRY INDUSTRIES'),
    named('PENTANE CHEMISTRY INDUSTRIES COM PANY', { schema: 'Organization' }),
    company('NATIONAL OIL COMPANY'),
  ],
  [
    'of a ship',
    { ...emptyEntity('listed', 'Vessel'), names: ['OCEAN BREEZE II'] },
    named('Oceanbrease 2', { schema: 'Vessel' }),
    { ...emptyEntity('also', 'Vessel'), names: ['BREASE'] },
  ],
])('finds a subject that is written as one word %s', (_, entity, wanted, alsoListed) => {
  expect(findAmongOthers(entity, wanted, alsoListed)).toContain('wanted');
});

/** Names that are split more than once, or split and misspelled. */
it.each<[string, ListedEntity, ...ListedEntity[]]>([
  ['GEN RIKH GAS ANOV', person('GASANOV, Genrikh')],
  ['Mus taf Fawaz', person('FAWAZ, Mustafa')],
  ['taf Fawaz Mus', person('FAWAZ, Mustafa')],
  ['vivek kumar mis chra', person('MISHRA, Vivek Kumar')],
  ['HAQQANIAbd ulQadir', person('HAQQANI, Abdul Qadir'), person('HAQQANI, Abdul')],
  ['SALAMERiad To ufic', person('SALAME, Riad Toufic')],
  ['LY DY N', ship('LYDYA N')],
  ['LADY SOF FIA', ship('LADY SOFIA')],
  ['TR IN yTY', ship('TRINITY')],
  ['CIM MEX', company('CIMEX')],
  ['CA ARL', company('CARL')],
  ['ASC OTEC ST EEL', company('ASCOTEC STEEL')],
  ['AS IA SUN GR OUP', company('ASIA SUN GROUP')],
  ['EMS YS TE CH', company('EMSYSTECH')],
  ['GM BH TE CHNO LOGIES', company('TECHNOLOGIES GMBH')],
  ['KURD ISTAN FRE EDOM HAWKS', company('KURDISTAN FREEDOM HAWKS')],
  ['COME RCIAL DE RODAJES Y MAQUI NARIA', company('COMERCIAL DE RODAJES Y MAQUINARIA, S.A.')],
  ['INTEG RATED SCIEN TIFIC MICROWAVE', company('INTEGRATED SCIENTIFIC MICROWAVE TECHNOLOGY')],
])('finds %s', (name, entity, ...alsoListed) => {
  for (const schema of [undefined, entity.schema])
    expect(findAmongOthers(entity, named(name, { schema }), ...alsoListed)).toContain('wanted');
});

it.each<[string, ListedEntity, Subject]>([
  ['has words that are another name of the list together', person('ALIREZA, Karimi'), named('Ali Reza Quisterholm')],
  ['has one part of several', person('ESKELAND, Torvald Magnus'), named('Torvald Quisterholm')],
  ['is of another kind', company('ESKELAND TORVALD'), named('Torvald Eskeland', { schema: 'Person' })],
])('skips a subject that %s', (_, entity, wanted) => {
  expect(findAmongOthers(entity, wanted)).toEqual([]);
});

it('ignores entities with an implausible number of names', () => {
  const crafted = person(...Array.from({ length: 501 }, (_, at) => `Name${at} Number${at}`));
  expect(findAmongOthers(crafted, named('Torvald Eskeland'))).toBeUndefined();
});
