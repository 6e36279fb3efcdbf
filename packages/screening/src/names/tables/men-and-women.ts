// Men's given names whose female form adds an ending that a typo might omit.
import { words } from './words.ts';

/**
 * Female forms with an `e`, or with a doubled last letter and an `e`: Simone, Pascale, Marcelle,
 * Fabienne. In Italy some of these are men's names (Simone, Daniele, Michele), which spelling
 * cannot reveal. Excludes pairs that are both male nearly everywhere (Philipp and Philippe, Stephan
 * and Stephane, Emil and Emile) and those that are equally common family names (Clark and Clarke).
 */
export const MEN_WITH_WOMEN_IN_E = words(`
  adrien aime albert alban alphonsin andre ariel armand armel augustin aurelien axel bastien bernard bernardin celestin christian
  clementin constantin corentin damien daniel denis desire edmond emmanuel ernestin fabian fabien fernand flavien florentin florian
  francois gabriel gael gilbert gratien hubert ismael jean joel jose josselin julian julien justin lilian louis lucian lucien mael
  marcel marian martin maximilien michael michel mikael nathanael noel norbert pascal paul raphael raymond rene robert roland
  sebastien severin simon valentin valerian vivian vivien yvon
`);
