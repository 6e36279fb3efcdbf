// Words in organizations' names that state the type rather than the identity.
import { words } from './words.ts';

/** Generic words for trade, position in a group and purpose. */
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

/** Words that may be omitted but distinguish organizations as much as a name. */
export const OTHER_WORDS_OF_TRADE = words(`
  house business economic commodity commodities materials material vertrieb technics technic chemistry petrochem
  intertrade wholesalers retailers merchants supermarket boutique workshop garage motorcycles automobiles airport airports
  transit programming economics finances ve va
`);
