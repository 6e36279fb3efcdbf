// FollowTheMoney entities and deltas.
import { describe, expect, it } from 'vitest';
import { FTM } from '../../../testing/lists/lists.ts';
import { collect, findEntity, loadBytes, streamOf } from '../../../testing/lists/load-bytes.ts';
import { emptyEntity } from '../../entity.ts';
import { createLoadReport, loadDelta } from '../load-list.ts';

describe('ftm-json', () => {
  it('reads all properties of an entity, and identifiers by kind', async () => {
    expect(findEntity(await loadBytes('ftm-json', { main: FTM }), 'NK-f1')).toEqual({
      ...emptyEntity('NK-f1', 'Person'),
      caption: 'Orla Quillfeather',
      names: ['Orla Quillfeather', 'Орла Квилл', 'O. Quill', 'Orla Fenn'],
      weakNames: ['Quilly'],
      birthDates: ['1971-05'],
      countries: ['fr', 'xk', 'is', 'lu'],
      nationalities: ['fr', 'xk', 'is'],
      addresses: ['1 Made-up Street, Nowhere'],
      positions: ['Minister of Fiction'],
      identifiers: [
        { kind: 'passportNumber', value: 'K1234567' },
        { kind: 'passportNumber', value: 'K7654321' },
        { kind: 'idNumber', value: '71-05-05-1' },
        { kind: 'taxNumber', value: '77001' },
        { kind: 'publicKey', value: 'bc1qmadeup' },
        { kind: 'isin', value: 'XS0000000009' },
        { kind: 'identifier', value: '0001234567' },
      ],
      topics: ['sanction', 'role.pep'],
      programs: ['FIC-1', 'Fiction'],
      datasets: ['xx_fiction', 'yy_fiction'],
      referents: ['xx-fic-1', 'yy-77'],
      firstSeen: '2024-01-02T03:04:05',
      lastSeen: '2026-10-02T10:00:00',
      lastChange: '2026-10-01T10:00:00',
    });
  });

  it('skips entities that are no target or have no name, without reporting a problem', async () => {
    const { entities, report } = await loadBytes('ftm-json', { main: FTM });
    expect(entities.map(({ id }) => id)).toEqual(['NK-f1', 'NK-f3']);
    expect(report).toMatchObject({ records: 5, entities: 2, skipped: 3, problemCount: 2 });
    expect(report.problems).toEqual([
      { where: 'record NK-f1 (line 1)', reason: 'The birth date "May" cannot be read and was left out.' },
      { where: 'record NK-f4 (line 5)', reason: 'The record has no usable name.' },
    ]);
  });

  it('uses the caption if there is no name, and the dataset if none is given', async () => {
    const brindlewick = findEntity(await loadBytes('ftm-json', { main: FTM }), 'NK-f3');
    expect(brindlewick).toMatchObject({ caption: 'Brindlewick', names: ['Brindlewick'], datasets: ['test-list'] });
  });

  it('detects a truncated file by an unterminated last line that is not JSON', async () => {
    const good = '{"id":"1","schema":"Person","properties":{"name":"Tam Oxbarrow"}}';
    const isCut = async (main: string) => (await loadBytes('ftm-json', { main })).report.truncated ?? false;
    expect(await isCut(`${good}\n${good.slice(0, 30)}`)).toBe(true);
    expect(await isCut(`${good}\n${good}`)).toBe(false);
    expect(await isCut(`${good}\nno JSON\n`)).toBe(false);
    expect(await isCut('')).toBe(false);
  });

  it('reports lines that are no entity and continues', async () => {
    const good = '{"id":"1","schema":"Person","properties":{"name":"Tam \\u0000\\ud800 Oxbarrow"}}';
    const main = ['{"id":', '[]', 'null', '{}', `{"id":"${'x'.repeat(5_000_000)}"}`, '', good].join('\r\n');
    const { entities, report } = await loadBytes('ftm-json', { main });
    expect(entities).toMatchObject([{ id: '1', names: ['Tam \ufffd Oxbarrow'] }]);
    expect(report).toMatchObject({ records: 6, skipped: 5 });
    expect(report.problems.map(({ where }) => where)).toEqual([
      ...['line 1', 'line 2', 'line 3', 'line 4', 'line 5'],
      'record 1 (line 7)',
    ]);
  });
});

describe('loadFtmDelta', () => {
  const loadChanges = async (lines: unknown[]) => {
    const report = createLoadReport();
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    return { changes: await collect(loadDelta(streamOf([Buffer.from(text)]), 'test-list', report)), report };
  };
  const tam = { id: '1', schema: 'Person', properties: { name: ['Tam'] }, target: true };

  it('puts added and changed entities and deletes removed ones', async () => {
    const { changes, report } = await loadChanges([
      { op: 'ADD', entity: tam },
      { op: 'MOD', entity: { ...tam, id: '2' } },
      { op: 'DEL', entity: { id: '3' } },
    ]);
    expect(changes).toMatchObject([
      { op: 'put', entity: { id: '1', names: ['Tam'] } },
      { op: 'put', entity: { id: '2' } },
      { op: 'delete', id: '3' },
    ]);
    expect(report).toMatchObject({ records: 3, entities: 2, skipped: 0, problemCount: 0 });
  });

  it('deletes entities that are no longer targets and skips added ones that are not', async () => {
    const { changes, report } = await loadChanges([
      { op: 'MOD', entity: { ...tam, target: false } },
      { op: 'ADD', entity: { ...tam, id: '2', target: false } },
      { op: 'ADD', entity: { ...tam, id: '3', schema: 'Passport' } },
    ]);
    expect(changes).toEqual([{ op: 'delete', id: '1' }]);
    expect(report).toMatchObject({ skipped: 2, problemCount: 0 });
  });

  it('reports lines that are no change', async () => {
    const { changes, report } = await loadChanges([
      { op: 'SET', entity: tam },
      { op: 'ADD' },
      { op: 'DEL', entity: {} },
      tam,
    ]);
    expect(changes).toEqual([]);
    expect(report.problems.map(({ where }) => where)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  });
});
