// What stands before the name of a ship or an aircraft and says what it is, not which one.
import { words } from './words.ts';

/** Written with dots, slashes or without: M/V, M.V., MV. */
export const CRAFT_PREFIXES = words(`
  mv mt ms ss mts mtug mtb fv fpv lpg lng lpgc lngc rv sv my sy tss tsmv hms uss usns iris hmas hmcs ins rfs nv pv cv bc gts
  motor vessel ship tanker steamship tug tugboat barge yacht ferry vlcc ulcc
`);
/** Parts of the names above that are one letter long once they are cut at the slash. */
export const CRAFT_LETTERS = 'mvtsfr';
/** Words about the number that follows. */
export const NUMBER_SIGNS = words('no nr num number nomer numero hull');
