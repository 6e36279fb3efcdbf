// Every subject that a search finds for a doubly distorted name must also be found from the listed
// entity.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_DISTORTIONS, distort } from '../../testing/distort-names.ts';
import { buildIndex, playChanges } from '../../testing/play-changes.ts';
import { emptyEntity, type ListedEntity } from '../entity.ts';
import type { Subject } from '../subjects/subject.ts';

const THRESHOLD = 0.85;
const NAMES: Record<string, readonly string[]> = {
  Person: [
    ...['GASANOV, Genrikh', 'FAWAZ, Mustafa Hisham', 'MISHRA, Vivek Kumar', 'KHADEMI, Majid', 'SALAME, Riad Toufic'],
    ...['ABDUL RAHMAN, Yusuf', 'HAQQANI, Abdul Qadir', 'KRASNOSHTANOV, Anton Alekseyevich', 'Chen Xiaoming'],
    ...['GAVIDIA FLORES, Yoswal Alexander', 'AL-MUTAYRI, Muhsin Zubin', 'VAN DER ORVEL, Jan', 'LABIN, Ruslan'],
    ...['ALEKSEYEV, Roman Viktorovich', 'Kim Tong Chol', 'OKAFOR, Chinedu', 'QORBANI, Hossein Reza', 'ALI, Majid Reza'],
  ],
  Company: [
    ...['ASCOTEC STEEL TRADING GMBH', 'CIMEX', 'ASIA SUN GROUP', 'KURDISTAN FREEDOM HAWKS', 'JINSONG JOINT BANK'],
    ...['COMERCIAL DE RODAJES Y MAQUINARIA, S.A.', 'INTEGRATED SCIENTIFIC MICROWAVE TECHNOLOGY', 'EMSYSTECH'],
    ...['KIZLYAR ELECTROMECHANICAL PLANT JSC', 'NEOWAVE MANAGEMENT CO., LTD', 'LIMITED LIABILITY COMPANY MASTER RM'],
    ...['KAROON PETROCHEMICAL COMPANY', 'PRINCE TIMES HOTEL MANAGEMENT', 'GLOBAL STEEL TRADING LLC', 'OOO ORVELNEFT'],
  ],
  Vessel: ['LADY SOFIA', 'TRINITY', 'GLOBAL DOMINANCE', 'VELIKIY NOVGOROD', 'LATTAFA', 'OCEAN BREEZE II', 'LYDYA N'],
};
const ENTITIES: readonly ListedEntity[] = Object.entries(NAMES).flatMap(([schema, names]) =>
  names.map((name) => ({ ...emptyEntity(`${schema} ${name}`, schema), names: [name] })),
);
const list = buildIndex(ENTITIES);

const distorted = fc
  .tuple(
    fc.constantFrom(...ENTITIES),
    fc.tuple(fc.constantFrom(...ALL_DISTORTIONS), fc.constantFrom(...ALL_DISTORTIONS)),
    fc.array(fc.nat(1_000), { minLength: 6, maxLength: 6 }),
    fc.boolean(),
  )
  .map(([{ names, schema }, distortions, draws, isKnown]): Subject => {
    let drawn = 0;
    const below = (limit: number) => draws[drawn++ % draws.length]! % limit;
    return { names: [distort(names[0]!, distortions, below) ?? names[0]!], schema: isKnown ? schema : undefined };
  });

test('finds every subject whose name was split, joined, misspelled, shortened or reordered, twice', () => {
  let matches = 0;
  fc.assert(
    fc.property(fc.array(distorted, { minLength: 30, maxLength: 60, size: 'max' }), (subjects) => {
      const played = playChanges(list, subjects, THRESHOLD);
      matches += played.length;
      const missed = played.filter(({ isFound }) => !isFound);
      expect(missed.map(({ subject, entity, score }) => [subject.names[0], entity.id, score])).toEqual([]);
    }),
    { numRuns: onlyWhenLong(400, 8), ...onlyWhenLong({}, { seed: 17 }) },
  );
  expect(matches).toBeGreaterThan(onlyWhenLong(4_000, 80));
});
