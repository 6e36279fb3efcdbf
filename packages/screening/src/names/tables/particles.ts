// Particles, titles and endings in personal names that hardly identify a person.
import { words } from './words.ts';

/**
 * Articles, "son of", "of": they may be missing, added, or joined to the part beside them. Low weight, not no weight:
 * 'le', 'do' and 'van' are Vietnamese names and 'das' an Indian one; 'e', 'i' and 'y' may be initials, unless they
 * stand between two parts.
 * Left out: 'uddin' (the meaningful half of Saif Uddin), 'mac' and 'mc' (the first half of a surname), 'lo' and 'ho',
 * and articles that are more often a syllable of an Asian name ('un', 'il', 'en').
 */
export const PARTICLES = words(`
  al el ul ad ed ar as ash esh ech at ath an az ez adh ud ur us ush ut uz
  bin bn ben ibn bint bent binti binte abu abou abi umm um oum ould ouled wald walad wuld ait bani beni bar bat ap ab
  de la las los le les del dela dello della delle dei degli di da do dos das du des dal dalla
  san santa sao st ste saint sainte e i y
  van von vom vanden vander vande der den dem het ter ten te zu zum zur und af av
`);

/** Words after a father's name that make it a patronymic ("Ali oglu", "Alikyzy"). */
export const PATRONYMIC_MARKERS = words(`
  oglu ogly oghlu ogli oglou ugli oghli uulu uly ulu kyzy kizi qizi gyzy kyz qyzy kizy zade zadeh zada zoda
`);

/** Forms of address, offices, ranks and degrees. None is a widespread given or family name. */
export const TITLES = words(`
  mr mrs ms miss mister mx sir madam madame dame baroness countess
  dr doctor prof professor phd mba msc bsc esq llm
  jr sr ii iii iv senior
  gen general lieutenant lt ltcol ltgen col colonel maj capt captain sgt sergeant cpl corporal brig brigadier
  cmdr cdr commander commandant adm admiral marshal
  queen emperor empress highness excellency majesty hrh hh
  president minister ambassador senator deputy honourable honorable hon
  sheikh shaykh sheik sheikha hajji hajj hadji alhaj alhaji hajjah mullah mulla mollah maulana mawlana
  mawlawi maulavi maulvi moulvi mawlavi ustad ustaz ustadh hojatoleslam hojjatoleslam ayatollah mufti imam sahib saheb
  rev reverend fr father archbishop cardinal rabbi rav reb deacon patriarch metropolitan monsignor
  engr engineer ing adv advocate lic dipl avv avvocato dott dottore dottoressa ingeniero licenciado
  dona senor senora senorita sra srta senhor senhora herr frau fraulein hr fru froken
  monsieur mme mlle mademoiselle maitre signor signora signore signorina
  pani gospodin gospozha shri shrimati smt swami puan encik dato datuk datin tunku tengku daw
  efendi effendi hanim khanum khanom
`);

/** Titles that are no one's family name, in any position. */
export const TITLES_ALONE = words(`
  mr mrs ms mx dr prof phd mba msc bsc esq llm jr sr ii iii iv lt ltcol ltgen col maj capt sgt cpl brig cmdr cdr adm
  hrh hh hon rev fr reb engr ing adv lic dipl avv dott sra srta hr fru mme mlle smt
`);

/**
 * Both titles and names ('Syed' and 'Md' open millions of South Asian names, 'King' is a surname,
 * 'Prince' a given name). They have little weight next to other parts but are never dropped.
 */
export const LOW_VALUE = words(`
  syed sayyid sayed sayyed saiyid seyed seyyed seyyid sidi shaikh cheikh cheick haji haci md mohd mst
  princess sultan lady hafiz qari akhund mirza agha khwaja khawaja hoca bey bibi begum khatun khatoon sri kumari pandit
`);

/** Both titles and common family names, with the weight of any common name. */
export const TITLE_SURNAMES = words(`
  king prince lord baron count duke bishop judge justice major don junior pastor pasha
`);

/**
 * Endings of East Slavic patronymics. Such a part counts half ("Ivan Petrovich Sidorov", "Sidorov
 * Ivan Petrovich"). In a name of two, 'Petrovich' and 'Jovanovich' are surnames. Forms in 'ovic'
 * and 'evic' are always surnames and not listed; short ones ('Ilyich', 'Kuzmich') are listed in
 * full.
 */
export const PATRONYMIC_SUFFIXES = words(`
  ovich evich yevich ievich ovych evych yovych iovych ovitch evitch owitsch ewitsch avich
  ovna evna yevna ievna ivna yivna iivna auna euna
  ilyich ilich kuzmich lukich fomich nikitich savvich ilyinichna kuzminichna lukinichna nikitichna
`);
