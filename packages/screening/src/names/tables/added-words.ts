// Additions to an organization's name that do not identify it: branch, state, payment recipient.

/** Before the name, without punctuation. Two-letter ones only with their slash (`c/o`). */
export const BEFORE_NAME = `
  messrs, messieurs, m s, to the order of, the order of, order of, pay to, pay to the order of, c o, care of, attn, attention,
  for account of, for the account of, account of, on account of, by order of, by order and for account of, on behalf of, o b o, favour of,
  in favour of, favor of, in favor of, a c, consigned to, notify, notify party, branch of, office of, head office of,
  main office of, representative office of, representation of, liaison office of, regional office of, branch office of,
  a branch of, the branch of
`;

/** After the name: in brackets, after a comma or a dash, or without separator. */
export const BEHIND_NAME = `
  in liquidation, under liquidation, liquidation, liquidated, in liq, i l, in voluntary liquidation, in members voluntary liquidation,
  in creditors voluntary liquidation, in compulsory liquidation, in provisional liquidation, en liquidation, en liquidacion,
  in liquidazione, em liquidacao, in likvidation, v likvidacii, w likwidacji, in abwicklung, in receivership, under receivership,
  in administrative receivership, receivership, in administration, under administration, in administrative liquidation, in bankruptcy,
  bankrupt, bankruptcy, in insolvency, insolvent, in konkurs, in insolvenz, in examination, in dissolution, dissolved,
  struck off, wound up, in winding up, deregistered, defunct, inactive, closed, ceased, in wind down, en redressement judiciaire,
  en liquidation judiciaire, head office, main office, headquarters, hq, principal office, registered office
`;

/** After the name, with a place before or after them. The longest match counts. */
export const OFFICES = `
  branch, branch office, main branch, foreign branch, overseas branch, offshore branch, regional branch, sub branch, office,
  representative office, rep office, representation, representation office, representative, liaison office, regional office,
  country office, local office, sales office, head office, filiale, succursale, sucursal, zweigniederlassung, niederlassung,
  zweigstelle, agence, filial, predstavitelstvo, subesi, sube, cabang, representacion, bureau de representation
`;

/** Between such an office and its place. */
export const OF_PLACE = 'in, of, at, de, a, en, du, v';

/** First words of two-word places. */
export const PLACES_OPEN_WITH = `
  new, san, santa, sao, saint, st, abu, hong, kuala, los, las, el, tel, ho, port, cape, rio, addis, buenos, ras, ulan, phnom, mexico,
  kuwait, panama, nizhny, nizhniy, sri, saudi, south, north, east, west, united, great, ivory, costa, sierra, burkina, dar, la, le, fort, bandar,
  salt, den, bad, banja, novi, stara, guatemala, nay, porto, puerto, villa, santo, al, um, umm, mount, grand, upper, lower, central
`;
