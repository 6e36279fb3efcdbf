// Lists whose official addresses are built in, under the names that OpenSanctions gives them.
import type { ListFormat } from '@limen/screening';
import type { FileRole } from '../folder/dataset-info.ts';

export interface KnownList {
  name: string;
  title: string;
  format: ListFormat;
  files: readonly { role: FileRole; url: string }[];
}

const OFAC = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports';

export const KNOWN_LISTS: readonly KnownList[] = [
  {
    name: 'us_ofac_sdn',
    title: 'United States: Specially Designated Nationals (OFAC)',
    format: 'ofac-csv',
    files: [
      { role: 'main', url: `${OFAC}/SDN.CSV` },
      { role: 'aliases', url: `${OFAC}/ALT.CSV` },
      { role: 'addresses', url: `${OFAC}/ADD.CSV` },
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
];

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
