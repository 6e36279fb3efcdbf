// The arguments of `limen datasets add`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KNOWN_LISTS } from '../../lists/sync/known-lists.ts';
import { findPlace, parseRole } from './source.ts';

function folderWith(...names: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'limen-source-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) writeFileSync(join(folder, name), '');
  return (name = '') => join(folder, name);
}

it.each([
  ['SDN.CSV', 'main'],
  ['/a/b/alt.csv', 'aliases'],
  ['ofac_2021_add.csv', 'addresses'],
  ['https://a.example/exports/SDN.CSV?x=1', 'main'],
  ['CONS_PRIM.CSV', 'main'],
  ['sdn_comments.csv', 'comments'],
  ['salt.csv', undefined],
  ['sdn.xml', undefined],
])('recognizes %s as %s', (place, role) => {
  expect(parseRole(place)).toBe(role);
});

describe('no source', () => {
  it('means the official address of a known list', async () => {
    for (const { name, remote } of KNOWN_LISTS)
      expect(await findPlace(name, [], {})).toEqual({ kind: 'remote', remote });
  });

  it('is refused for any other name', async () => {
    await expect(findPlace('mine', [], {})).rejects.toMatchObject({
      usage: true,
      message: expect.stringContaining('limen datasets known'),
    });
  });
});

describe('files', () => {
  it('form the list, whatever a single file is called', async () => {
    const at = folderWith('alt.csv');
    const place = { kind: 'local', files: { main: at('alt.csv') }, source: 'alt.csv' };
    expect(await findPlace('mine', [at('alt.csv')], {})).toEqual(place);
  });

  it('of OFAC are recognized in any order, given one by one, by option or as a folder', async () => {
    const at = folderWith('sdn.csv', 'alt.csv', 'add.csv', 'sdn_comments.csv', 'README');
    const joined = { aliases: at('alt.csv'), addresses: at('add.csv'), comments: at('sdn_comments.csv') };
    const files = { main: at('sdn.csv'), ...joined };
    const place = { kind: 'local', files, source: 'sdn.csv' };
    const { aliases, addresses, comments } = joined;
    expect(await findPlace('x', [comments, addresses, at('sdn.csv'), aliases], {})).toEqual(place);
    expect(await findPlace('x', [at('sdn.csv')], joined)).toEqual(place);
    expect(await findPlace('x', [at()], {})).toEqual(place);
  });

  it('are refused if they do not form one list', async () => {
    const at = folderWith('sdn.csv', 'other_sdn.csv', 'alt.csv', 'one.csv');
    mkdirSync(at('empty'));
    const refused = (sources: string[], options = {}) =>
      findPlace('x', sources, options).catch((error) => error.message);
    expect(await refused([at('sdn.csv'), at('one.csv')])).toContain(
      'sdn.csv, alt.csv, add.csv and sdn_comments.csv; add others one by one',
    );
    expect(await refused([at('sdn.csv'), at('other_sdn.csv')])).toContain('the same part');
    expect(await refused([at('sdn.csv'), at('alt.csv')], { aliases: at('alt.csv') })).toContain('the same part');
    expect(await refused([at('alt.csv'), at('add.csv')])).toContain('Say where the list is');
    expect(await refused([at('empty')])).toContain('has no sdn.csv');
    expect(await refused([at('nowhere.csv')])).toContain('There is no file');
    expect(await refused([at('sdn.csv'), 'https://a.example/alt.csv'])).toContain('not both');
  });
});

describe('addresses', () => {
  const url = 'https://a.example/list.csv';

  it('are files of a list, with the format that was named', async () => {
    expect(await findPlace('x', [url], { format: 'eu-csv' })).toEqual({
      kind: 'remote',
      remote: { kind: 'files', format: 'eu-csv', files: [{ role: 'main', url }] },
    });
  });

  it('of an index.json are those of OpenSanctions', async () => {
    const indexUrl = 'https://data.opensanctions.org/datasets/latest/default/index.json';
    const place = { kind: 'remote', remote: { kind: 'opensanctions', indexUrl } };
    expect(await findPlace('x', [indexUrl], {})).toEqual(place);
    expect(await findPlace('x', [], { opensanctions: 'default' })).toEqual(place);
    const own = await findPlace('us_ofac_sdn', [], { opensanctions: true });
    expect(own).toMatchObject({ remote: { indexUrl: expect.stringContaining('/latest/us_ofac_sdn/index.json') } });
  });

  it.each([
    [[url], { opensanctions: true as const }],
    [[], { opensanctions: true as const, format: 'ftm-json' as const }],
    [[], { opensanctions: '../../evil' }],
    [['http://['], {}],
    [['ftp://a.example/list.csv'], {}],
    [['sdn.csv'], { aliases: 'file:///alt.csv' }],
    [[url], { aliases: 'https://' }],
  ])('are refused as %j with %j', async (sources, options) => {
    await expect(findPlace('x', sources, options)).rejects.toMatchObject({ usage: true });
  });
});
