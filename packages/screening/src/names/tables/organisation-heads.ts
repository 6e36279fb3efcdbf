// Words that say of an organisation what it is, where its name stands behind them: the Concern Orvelia, the Orvelian Corporation Zelvar.
import { words } from './words.ts';

/** Each with its translations, as organisation-synonyms.txt has them. Legal forms such as `corporation` count besides. */
export const HEADS = words(`
  concern holding group enterprise factory organization association institute bureau combine consortium complex firm firma center
  movement foundation committee agency laboratory union obedinenie obyedinenie obyedineniye
`);

/** Short for such words: research and production, and design, in Russia. They stand behind the name as well. */
export const SHORT_HEADS = words('npo npp npk npf nii okb skb tskb gkb pkb ckb fgup nits vnii tsnii');
