// Words before a name that state the type of organization: the Concern Orvelia, the Orvelian
// Corporation Zelvar.
import { words } from './words.ts';

/** Includes translations. Legal forms such as `corporation` also count. */
export const HEADS = words(`
  concern holding group enterprise factory organization association institute bureau combine consortium complex firm firma center
  movement foundation committee agency laboratory union obedinenie obyedinenie obyedineniye
`);

/** Russian abbreviations of such words (research and production, design). */
export const SHORT_HEADS = words('npo npp npk npf nii okb skb tskb gkb pkb ckb fgup nits vnii tsnii');
