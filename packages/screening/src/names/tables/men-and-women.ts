// Given names of men from which a woman's name is made by an ending that a slip might leave out as well.
import { words } from './words.ts';

/**
 * With an `e`, or with the last letter doubled and an `e`: Simone, Pascale, Marcelle, Fabienne. Some of these are men's names in
 * Italy (Simone, Daniele, Michele), which the letters do not tell. Left out are names of which both are a man's nearly everywhere
 * (Philipp and Philippe, Stephan and Stephane, Emil and Emile) and those that are as common as family names (Clark and Clarke).
 */
export const MEN_WITH_WOMEN_IN_E = words(`
  adrien aime albert alban alphonsin andre ariel armand armel augustin aurelien axel bastien bernard bernardin celestin christian
  clementin constantin corentin damien daniel denis desire edmond emmanuel ernestin fabian fabien fernand flavien florentin florian
  francois gabriel gael gilbert gratien hubert ismael jean joel jose josselin julian julien justin lilian louis lucian lucien mael
  marcel marian martin maximilien michael michel mikael nathanael noel norbert pascal paul raphael raymond rene robert roland
  sebastien severin simon valentin valerian vivian vivien yvon
`);
