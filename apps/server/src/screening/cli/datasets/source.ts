// Reads from the arguments of `limen datasets add` which files or addresses make up the list.
import { access, constants, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ListFormat } from '@limen/screening';
import { CommandError } from '../../../command-line/command.ts';
import type { ListFiles } from '../../lists/build-worker.ts';
import type { FileRole } from '../../lists/folder/info.ts';
import {
  findKnownList,
  isOpenSanctionsIndex,
  openSanctionsIndexUrl,
  type Remote,
} from '../../lists/sync/known-lists.ts';

export interface SourceOptions {
  format?: ListFormat;
  aliases?: string;
  addresses?: string;
  comments?: string;
  /** Name of the list at OpenSanctions; `true` if it is the same */
  opensanctions?: string | true;
}

const OPTIONAL_ROLES = ['aliases', 'addresses', 'comments'] as const;

export type DatasetSource = { kind: 'local'; files: ListFiles; source: string } | { kind: 'remote'; remote: Remote };

export async function findPlace(
  name: string,
  sources: readonly string[],
  options: SourceOptions,
): Promise<DatasetSource> {
  const { format, opensanctions } = options;
  if (opensanctions !== undefined) {
    if (sources.length > 0 || format || OPTIONAL_ROLES.some((role) => options[role])) {
      throw wrongCall('--opensanctions takes no file, address or format: it knows them.');
    }
    const theirs = opensanctions === true ? name : opensanctions;
    if (!/^[a-z0-9_]{1,64}$/.test(theirs)) throw wrongCall('OpenSanctions has no dataset with such a name.');
    return { kind: 'remote', remote: { kind: 'opensanctions', indexUrl: openSanctionsIndexUrl(theirs) } };
  }
  for (const place of [...sources, ...OPTIONAL_ROLES.flatMap((role) => options[role] ?? [])]) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(place) && !isUrl(place)) {
      throw wrongCall('Only http:// and https:// addresses are fetched; get the file some other way and add it.');
    }
    if (isUrl(place) && !URL.canParse(place)) throw wrongCall(`${place} is not an address.`);
  }
  const places = await withRoles(await unfold(sources), options);
  const main = places.find(({ role }) => role === 'main');
  if (!main) {
    const remote = places.length === 0 && !format ? findKnownList(name)?.remote : undefined;
    if (remote) return { kind: 'remote', remote };
    throw wrongCall('Say where the list is: a file, a folder or an address. Known lists: limen datasets known');
  }
  const remote = places.filter(({ place }) => isUrl(place));
  if (remote.length === 0) return { kind: 'local', files: await readableFiles(places), source: basename(main.place) };
  if (remote.length < places.length) throw wrongCall('Give files or addresses, not both.');
  if (places.length === 1 && format === undefined && isOpenSanctionsIndex(main.place)) {
    return { kind: 'remote', remote: { kind: 'opensanctions', indexUrl: main.place } };
  }
  const files = places.map(({ role, place }) => ({ role, url: place }));
  return { kind: 'remote', remote: { kind: 'files', format, files } };
}

interface SourceLocation {
  role: FileRole;
  place: string;
}

const ROLES_BY_NAME = new Map<string | undefined, FileRole>([
  ['sdn', 'main'],
  ['prim', 'main'],
  ['alt', 'aliases'],
  ['add', 'addresses'],
  ['comments', 'comments'],
]);

/** Recognizes the files of OFAC by their names: SDN.CSV, alt.csv, ofac_add.csv, CONS_PRIM.CSV, sdn_comments.csv. */
export function parseRole(place: string): FileRole | undefined {
  const name = isUrl(place) ? new URL(place).pathname : basename(place);
  return ROLES_BY_NAME.get(/(?:^|[^a-z])([a-z]+)\.csv$/i.exec(name)?.[1]?.toLowerCase());
}

async function withRoles(sources: readonly string[], options: SourceOptions): Promise<SourceLocation[]> {
  const places = sources.map((place): SourceLocation => {
    const role = sources.length === 1 ? 'main' : parseRole(place);
    if (role) return { role, place };
    throw wrongCall(
      'Several files make one list only if they are OFAC’s sdn.csv, alt.csv, add.csv and sdn_comments.csv; ' +
        'add others one by one.',
    );
  });
  places.push(...OPTIONAL_ROLES.flatMap((role) => (options[role] === undefined ? [] : { role, place: options[role] })));
  if (new Set(places.map(({ role }) => role)).size < places.length) {
    throw wrongCall('Two files are the same part of the list; give one of each.');
  }
  return places;
}

async function unfold(sources: readonly string[]): Promise<string[]> {
  const [folder] = sources;
  if (sources.length !== 1 || folder === undefined || isUrl(folder)) return [...sources];
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) return [folder];
  const files = (await readdir(folder)).filter((file) => parseRole(file) !== undefined).sort();
  if (files.some((file) => parseRole(file) === 'main')) return files.map((file) => join(folder, file));
  throw new CommandError('The folder has no sdn.csv; name the list’s file itself.');
}

async function readableFiles(places: readonly SourceLocation[]): Promise<ListFiles> {
  for (const { place } of places) {
    const found = await stat(place).catch(() => undefined);
    if (!found) throw new CommandError(`There is no file ${place}.`);
    if (!found.isFile()) throw new CommandError(`${place} is not a file.`);
    await access(place, constants.R_OK).catch(() => {
      throw new CommandError(`${place} cannot be read; check its owner and permissions.`);
    });
  }
  return Object.fromEntries(places.map(({ role, place }) => [role, place])) as ListFiles;
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function wrongCall(sentence: string): CommandError {
  return new CommandError(sentence, { usage: true });
}
