// The words in the names of organisations that say what kind of thing they are rather than which one.
import { words } from './words.ts';

/**
 * Words by which a row of people shows that it names a company, none of them a common name: legal forms as they look with
 * full stops and spaces removed ('sp. z o.o.' is 'spzoo' joined, 'sp' and 'zoo' split). Some are also words or names
 * ('as', 'ad', 'co', 'sa'); they count little wherever they stand. Which forms stand for the same is in legal-forms.ts.
 */
export const LEGAL_FORMS = words(`
  llc ltd limited inc incorporated corp corporation co company plc lp llp lllp pllc unlimited ultd cic gp
  pte pty sdn bhd berhad pvt private tbk pt cv perum persero
  gmbh mbh ggmbh ag kg kgaa ohg ug gbr ev eg se sce scs sca gesmbh
  sa sas sasu sarl eurl snc sci scop saoc saog sal spa srl srls sapa scarl scrl sprl
  sl slu slne sac saa eirl ltda limitada eireli epp cia sapi
  bv nv vof cvba bvba asbl vzw stichting
  oy oyj ab hb kb as asa aps ans ehf hf ohf
  ooo oao zao pao ao nao gup mup fgup fgbu ano nko tov tzov pat prat vat zat fop tdv too
  jsc ojsc cjsc pjsc ljsc odo uab mchj oaj mmc asc tsc xk
  doo dd ad jdoo kd eood ead ood sp zoo spzoo spk sro spol vos ks kft zrt nyrt bt sia ou mtu
  ae epe ee ike oe mepe
  fze fzco fzc fzllc dmcc wll bsc bscc kscc ksc psc est establishment spc
  kk gk yk kabushiki kaisha yugen godo chusik hoesa jusik
  anonim sirketi sti sanayi ticaret tic
  trust aktiengesellschaft gesellschaft aktiebolag aktieselskab naamloze vennootschap
  societe sociedad societa anonyme anonima
`);

/** Words of trade, place in a group and purpose: they distinguish one organisation from another only a little. */
export const GENERIC_BUSINESS_WORDS = words(`
  trading trade traders trader commerce commercial shipping general holding holdings group groups grupo gruppe
  gruppo groupe
  international intl global worldwide world universal national federal state regional local central overseas
  bank banking banque banco bankasi finance financial capital credit leasing insurance exchange remittance money
  foundation fondation fundacion charity charitable organization organisation association society union federation
  council
  committee institute institution centre center academy university college school hospital clinic fund relief aid
  humanitarian welfare development cooperative league party movement front brigade battalion army forces
  industries industrial industry manufacturing manufacturer factory works plant mill production products producers
  services service solutions systems system consulting consultancy consultants management agency agencies bureau office
  petroleum petrochemical petrochemicals oil gas energy power electric electrical electricity refinery refining fuel
  mining minerals metals metal steel iron aluminium aluminum gold diamond diamonds jewellery jewelry coal cement
  chemical
  chemicals plastics rubber textile textiles garments leather paper timber wood glass
  marine maritime navigation shippinglines vessel vessels fleet tanker tankers line lines port ports harbour shipyard shipbuilding
  fishing
  aviation airlines airline airways air aerospace aircraft space
  import imports export exports importexport impex enterprise enterprises entreprise empresa empresas investment
  investments investing ventures venture partners partner partnership associates associated brothers bros sons family
  construction constructions contracting contractors contractor building builders engineering engineers design
  technology technologies tech technical technological electronics electronic computer computers software digital data
  telecom telecommunications telecommunication communications communication network networks media press publishing
  broadcasting television radio logistics logistic transport transportation transports freight cargo forwarding
  forwarders courier express warehouse storage supply supplies supplier suppliers distribution distributors procurement
  equipment machinery machine machines tools parts spare automotive auto motors motor vehicles cars
  food foods beverage beverages agriculture agricultural agro farm farms grain tobacco cotton fertilizer fertilizers
  pharmaceutical pharmaceuticals pharma pharmacy medical medicine health healthcare biotech laboratory laboratories
  research
  scientific science security defence defense military arms weapons special
  real estate property properties realty hotel hotels resort tourism travel tours restaurant casino entertainment sport
  sports club market markets marketing store stores shop retail wholesale
  the of and for und et
  north south east west northern southern eastern western asia asian europe european africa african america american
  gulf
  mediterranean pacific atlantic caspian middle orient oriental
  new first united joint public complex combine concern branch subsidiary
`);

/** More of them that are left out, and yet tell one organisation from another as much as a name does. */
export const OTHER_WORDS_OF_TRADE = words(`
  house business economic commodity commodities materials material vertrieb technics technic chemistry petrochem
  intertrade wholesalers retailers merchants supermarket boutique workshop garage motorcycles automobiles airport airports
  transit programming economics finances ve va
`);
