// Odd names, long values and entities that cannot be screened.
import { describe, expect, it } from 'vitest';
import { addName, addValue, cleanText, createDraft, finishDraft } from './entity-draft.ts';
import { createRowGroups } from './reading/group-rows.ts';
import { createLoadReport } from './reading/load-report.ts';

const make = (id = 'x-1') => createDraft(id, 'Person', 7, 'list', []);

describe('createDraft', () => {
  it.each([
    ['  Orla \t\n Quill  ', 'Orla Quill'],
    ['Orla\u00a0\u00a0Quill', 'Orla Quill'],
    ['Or\u0000la', 'Or la'],
    ['\u001a', ''],
    ['\ud800x', '\ufffdx'],
    ['أورلا', 'أورلا'],
  ])('cleans %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it('keeps each name once, ignoring case, and drops weak names that are also strong', () => {
    const draft = make();
    for (const name of ['Orla', 'ORLA', ' Orla ', '--']) addName(draft, 'names', name);
    for (const name of ['Orla', 'Quilly']) addName(draft, 'weakNames', name);
    expect(finishDraft(draft, createLoadReport())).toMatchObject({ names: ['Orla', 'ORLA'], weakNames: ['Quilly'] });
  });

  it('promotes weak names if there are no others and reports it', () => {
    const draft = make();
    const report = createLoadReport();
    addName(draft, 'weakNames', 'Quilly');
    expect(finishDraft(draft, report)).toMatchObject({ caption: 'Quilly', names: ['Quilly'], weakNames: [] });
    expect(report).toMatchObject({ skipped: 0, problems: [{ where: 'record x-1 (line 7)' }] });
  });

  it('drops names that are too long and values beyond the limit', () => {
    const draft = make();
    const report = createLoadReport();
    addName(draft, 'names', 'x'.repeat(2_001));
    for (let at = 0; at < 5_100; at++) addName(draft, 'names', `Orla ${at}`);
    expect(finishDraft(draft, report)!.names).toHaveLength(5_000);
    expect(report.problemCount).toBe(2);
  });

  it('rejects an entity without an id or with an id that is too long', () => {
    const report = createLoadReport();
    for (const id of ['', ' ', 'x'.repeat(256)]) {
      const draft = make(id);
      addName(draft, 'names', 'Orla');
      expect(finishDraft(draft, report)).toBeNull();
    }
    expect(report).toMatchObject({ skipped: 3, problemCount: 3 });
    expect(report.problems[0]).toEqual({ where: 'line 7', reason: 'The record has no id.' });
  });

  it('reports the first ten thousand problems and counts all of them', () => {
    const report = createLoadReport();
    for (let at = 0; at < 10_010; at++) finishDraft(make(`x-${at}`), report);
    expect([report.problemCount, report.leftOut]).toEqual([10_010, 10_010]);
    expect(report.problems).toHaveLength(10_000);
  });
});

describe('grouped rows', () => {
  it('stops growing at the limit and reports it', () => {
    const report = createLoadReport();
    const groups = createRowGroups(report, 1_000);
    for (let at = 0; at < 100; at++) {
      groups.add(
        `x-${at % 50}`,
        at,
        () => make(`x-${at % 50}`),
        (draft) => addValue(draft, 'programs', `program ${at}`),
      );
    }
    expect(report.skipped).toBeGreaterThan(90);
    expect(report.problems[0]!.reason).toContain('too large');
    expect(groups.finish()).toEqual([]);
  });
});
