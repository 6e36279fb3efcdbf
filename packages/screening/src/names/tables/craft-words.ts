// Prefixes of ship and aircraft names that state the type.
import { words } from './words.ts';

/** With or without dots and slashes: M/V, M.V., MV. */
export const CRAFT_PREFIXES = words(`
  mv mt ms ss mts mtug mtb fv fpv lpg lng lpgc lngc rv sv my sy tss tsmv hms uss usns iris hmas hmcs ins rfs nv pv cv bc gts
  motor vessel ship tanker steamship tug tugboat barge yacht ferry vlcc ulcc
`);
/** Single letters that remain of the prefixes after splitting at the slash. */
export const CRAFT_LETTERS = 'mvtsfr';
/** Words that introduce a number. */
export const NUMBER_SIGNS = words('no nr num number nomer numero hull');
