// Lists that are known by name, from the publisher's own files if we can read them, otherwise from
// OpenSanctions.
import type { ListFormat } from '@limen/screening';
import { FILE_ROLES, type FileRole } from '../folder/info.ts';

export interface KnownList {
  name: string;
  title: string;
  format: ListFormat;
  from: 'publisher' | 'opensanctions';
  remote: Remote;
}

export interface RemoteFiles {
  kind: 'files';
  format: ListFormat | undefined;
  files: readonly { role: FileRole; url: string }[];
}

export type Remote = RemoteFiles | { kind: 'opensanctions'; indexUrl: string };

function published(name: string, title: string, format: ListFormat, where: string | RemoteFiles['files']): KnownList {
  const files = typeof where === 'string' ? [{ role: 'main', url: where } as const] : where;
  return { name, title, format, from: 'publisher', remote: { kind: 'files', format, files } };
}

/** Takes the names of the files in the order of FILE_ROLES. */
function ofacFiles(...names: readonly string[]): RemoteFiles['files'] {
  const folder = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports';
  return FILE_ROLES.map((role, at) => ({ role, url: `${folder}/${names[at]}.CSV` }));
}

const PUBLISHED_LISTS: readonly KnownList[] = [
  published(
    'us_ofac_sdn',
    'United States: Specially Designated Nationals (OFAC)',
    'ofac-csv',
    ofacFiles('SDN', 'ALT', 'ADD', 'SDN_COMMENTS'),
  ),
  published(
    'us_ofac_cons',
    'United States: consolidated list without the SDN (OFAC)',
    'ofac-csv',
    ofacFiles('CONS_PRIM', 'CONS_ALT', 'CONS_ADD', 'CONS_COMMENTS'),
  ),
  published(
    'un_sc_sanctions',
    'United Nations: Security Council consolidated list',
    'un-xml',
    'https://scsanctions.un.org/resources/xml/en/consolidated.xml',
  ),
  published(
    'eu_fsf',
    'European Union: consolidated financial sanctions list',
    'eu-csv',
    // The token is the public one that the Commission prints in its own instructions.
    'https://webgate.ec.europa.eu/fsd/fsf/public/files/csvFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw',
  ),
  published(
    'gb_fcdo_sanctions',
    'United Kingdom: UK Sanctions List (FCDO)',
    'uk-csv',
    'https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv',
  ),
  published(
    'ca_sema',
    'Canada: consolidated autonomous sanctions list (Global Affairs)',
    'ca-xml',
    'https://www.international.gc.ca/world-monde/assets/office_docs/international_relations-relations_internationales/sanctions/sema-lmes.xml',
  ),
  published(
    'ch_seco',
    'Switzerland: sanctions and embargoes (SECO)',
    'ch-xml',
    'https://www.sesam.search.admin.ch/sesam-search-web/pages/downloadXmlGesamtliste.xhtml?lang=en&action=downloadXmlGesamtlisteAction',
  ),
];

const OPENSANCTIONS_LISTS: readonly (readonly [name: string, title: string, theirName?: string])[] = [
  ['ae_local_terrorists', 'United Arab Emirates: local terrorist list'],
  ['ar_repet', 'Argentina: register of persons linked to terrorism (RePET)'],
  ['au_dfat_sanctions', 'Australia: consolidated list (DFAT)'],
  ['au_listed_terrorist_orgs', 'Australia: listed terrorist organizations'],
  ['az_fiu_sanctions', 'Azerbaijan: domestic sanctions list'],
  ['be_fod_sanctions', 'Belgium: national list of financial sanctions'],
  ['ca_dfatd_sema_sanctions', 'Canada: consolidated autonomous sanctions (SEMA)'],
  ['ca_facfoa', 'Canada: frozen assets of corrupt foreign officials'],
  ['ca_listed_terrorists', 'Canada: listed terrorist entities'],
  ['ch_seco_sanctions', 'Switzerland: sanctions and embargoes (SECO)'],
  ['cz_national_sanctions', 'Czech Republic: national sanctions list'],
  ['ee_international_sanctions', 'Estonia: sanctions of the government'],
  ['eu_journal_sanctions', 'European Union: sanctions in the Official Journal, before they are consolidated'],
  ['eu_sanctions_map', 'European Union: sanctions map'],
  ['eu_travel_bans', 'European Union: travel bans'],
  ['fr_tresor_gels_avoir', 'France: national register of asset freezes'],
  ['gb_hmt_invbans', 'United Kingdom: investment bans (OFSI)'],
  ['id_dttot', 'Indonesia: suspected terrorists and organizations (DTTOT)'],
  ['il_mod_terrorists', 'Israel: terrorist individuals and organizations'],
  ['il_wmd_sanctions', 'Israel: sanctions against proliferation'],
  ['in_mha_banned', 'India: banned organizations'],
  ['iq_aml_list', 'Iraq: funds of terrorists'],
  ['jp_meti_eul', 'Japan: end user list (METI)'],
  ['jp_mof_sanctions', 'Japan: economic sanctions (Ministry of Finance)'],
  ['kg_fiu_national', 'Kyrgyzstan: national list'],
  ['lt_fiu_freezes', 'Lithuania: asset freezes'],
  ['lv_fiu_sanctions', 'Latvia: national sanctions'],
  ['mc_fund_freezes', 'Monaco: national list of frozen funds'],
  ['my_moha_sanctions', 'Malaysia: sanctions list of the Ministry of Home Affairs'],
  ['ng_nigsac_sanctions', 'Nigeria: sanctions committee list'],
  ['nl_terrorism_list', 'Netherlands: national terrorism list'],
  ['nz_designated_terrorists', 'New Zealand: designated terrorists'],
  ['nz_russia_sanctions', 'New Zealand: Russia sanctions'],
  ['ph_amlc_sanctions', 'Philippines: designations of the Anti-Money Laundering Council'],
  ['pk_proscribed_persons', 'Pakistan: proscribed persons'],
  ['pl_mswia_sanctions', 'Poland: national sanctions list'],
  ['qa_nctc_sanctions', 'Qatar: national terrorist designations'],
  ['sg_terrorists', 'Singapore: targeted financial sanctions'],
  ['th_designated_person', 'Thailand: designated persons'],
  ['tr_fcib', 'Turkey: asset freezes (MASAK)'],
  ['tw_shtc', 'Taiwan: strategic high-tech commodities entity list'],
  ['ua_nsdc_sanctions', 'Ukraine: sanctions of the National Security and Defense Council'],
  ['ua_sfms_blacklist', 'Ukraine: persons linked to terrorism (SFMS)'],
  ['un_1718_vessels', 'United Nations: designated vessels (resolution 1718)'],
  ['us_bis_denied', 'United States: denied persons (BIS)'],
  ['us_cuba_sanctions', 'United States: Cuba restricted list (State Department)'],
  ['us_dhs_uflpa', 'United States: forced labour entity list (UFLPA)'],
  ['us_fincen_special_measures', 'United States: special measures (FinCEN)'],
  ['us_sam_exclusions', 'United States: exclusions from procurement (SAM)'],
  ['us_trade_csl', 'United States: consolidated screening list (Commerce)'],
  ['za_fic_sanctions', 'South Africa: targeted financial sanctions'],
  ['os_default', 'OpenSanctions: everything', 'default'],
  ['os_sanctions', 'OpenSanctions: all sanctions lists together', 'sanctions'],
  ['os_peps', 'OpenSanctions: politically exposed persons', 'peps'],
  ['os_crime', 'OpenSanctions: wanted and criminal persons and companies', 'crime'],
  ['os_debarment', 'OpenSanctions: excluded from public contracts', 'debarment'],
];

export const KNOWN_LISTS: readonly KnownList[] = [
  ...PUBLISHED_LISTS,
  ...OPENSANCTIONS_LISTS.map(
    ([name, title, theirName = name]): KnownList => ({
      ...{ name, title, format: 'ftm-json', from: 'opensanctions' },
      remote: { kind: 'opensanctions', indexUrl: openSanctionsIndexUrl(theirName) },
    }),
  ),
];

export function listAddresses({ remote }: KnownList): string[] {
  return remote.kind === 'files' ? remote.files.map(({ url }) => url) : [remote.indexUrl];
}

export function findKnownList(name: string): KnownList | undefined {
  return KNOWN_LISTS.find((list) => list.name === name);
}

/** Returns the address where OpenSanctions describes the current version of its dataset or collection. */
export function openSanctionsIndexUrl(name: string): string {
  return `https://data.opensanctions.org/datasets/latest/${name}/index.json`;
}

export function isOpenSanctionsIndex(url: string): boolean {
  return new URL(url).pathname.endsWith('/index.json');
}
