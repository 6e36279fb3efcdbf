// Lists that are known by name: their publishers' own files where we read them, otherwise what OpenSanctions makes of them.
import type { ListFormat } from '@limen/screening';
import type { FileRole } from '../folder/info.ts';
import { OPENSANCTIONS_LISTS } from './opensanctions-lists.ts';

export interface KnownList {
  name: string;
  title: string;
  format: ListFormat;
  /** Who it comes from. */
  from: 'publisher' | 'opensanctions';
  remote: Remote;
}

/** Where a list is fetched. */
export type Remote =
  | { kind: 'files'; format: ListFormat | undefined; files: readonly { role: FileRole; url: string }[] }
  | { kind: 'opensanctions'; indexUrl: string };

interface OwnFiles {
  name: string;
  title: string;
  format: ListFormat;
  files: readonly { role: FileRole; url: string }[];
}

const OFAC = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports';

const OWN_FILES: readonly OwnFiles[] = [
  {
    name: 'us_ofac_sdn',
    title: 'United States: Specially Designated Nationals (OFAC)',
    format: 'ofac-csv',
    files: [
      { role: 'main', url: `${OFAC}/SDN.CSV` },
      { role: 'aliases', url: `${OFAC}/ALT.CSV` },
      { role: 'addresses', url: `${OFAC}/ADD.CSV` },
      { role: 'comments', url: `${OFAC}/SDN_COMMENTS.CSV` },
    ],
  },
  {
    name: 'us_ofac_cons',
    title: 'United States: consolidated list without the SDN (OFAC)',
    format: 'ofac-csv',
    files: [
      { role: 'main', url: `${OFAC}/CONS_PRIM.CSV` },
      { role: 'aliases', url: `${OFAC}/CONS_ALT.CSV` },
      { role: 'addresses', url: `${OFAC}/CONS_ADD.CSV` },
      { role: 'comments', url: `${OFAC}/CONS_COMMENTS.CSV` },
    ],
  },
  {
    name: 'un_sc_sanctions',
    title: 'United Nations: Security Council consolidated list',
    format: 'un-xml',
    files: [{ role: 'main', url: 'https://scsanctions.un.org/resources/xml/en/consolidated.xml' }],
  },
  {
    name: 'eu_fsf',
    title: 'European Union: consolidated financial sanctions list',
    format: 'eu-csv',
    files: [
      {
        role: 'main',
        // The token is the public one that the Commission prints in its own instructions.
        url: 'https://webgate.ec.europa.eu/fsd/fsf/public/files/csvFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw',
      },
    ],
  },
  {
    name: 'gb_fcdo_sanctions',
    title: 'United Kingdom: UK Sanctions List (FCDO)',
    format: 'uk-csv',
    files: [{ role: 'main', url: 'https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv' }],
  },
  {
    name: 'ca_sema',
    title: 'Canada: consolidated autonomous sanctions list (Global Affairs)',
    format: 'ca-xml',
    files: [
      {
        role: 'main',
        url: 'https://www.international.gc.ca/world-monde/assets/office_docs/international_relations-relations_internationales/sanctions/sema-lmes.xml',
      },
    ],
  },
  {
    name: 'ch_seco',
    title: 'Switzerland: sanctions and embargoes (SECO)',
    format: 'ch-xml',
    files: [
      {
        role: 'main',
        url: 'https://www.sesam.search.admin.ch/sesam-search-web/pages/downloadXmlGesamtliste.xhtml?lang=en&action=downloadXmlGesamtlisteAction',
      },
    ],
  },
];

export const KNOWN_LISTS: readonly KnownList[] = [
  ...OWN_FILES.map(
    ({ name, title, format, files }): KnownList => ({
      ...{ name, title, format, from: 'publisher' },
      remote: { kind: 'files', format, files },
    }),
  ),
  ...OPENSANCTIONS_LISTS.map(
    ([name, title, theirName = name]): KnownList => ({
      ...{ name, title, format: 'ftm-json', from: 'opensanctions' },
      remote: { kind: 'opensanctions', indexUrl: openSanctionsIndexUrl(theirName) },
    }),
  ),
];

export function addressesOf({ remote }: KnownList): string[] {
  return remote.kind === 'files' ? remote.files.map(({ url }) => url) : [remote.indexUrl];
}

export function findKnownList(name: string): KnownList | undefined {
  return KNOWN_LISTS.find((list) => list.name === name);
}

/** Where OpenSanctions describes the current version of a dataset or collection of theirs. */
export function openSanctionsIndexUrl(name: string): string {
  return `https://data.opensanctions.org/datasets/latest/${name}/index.json`;
}

export function isOpenSanctionsIndex(url: string): boolean {
  return new URL(url).pathname.endsWith('/index.json');
}
