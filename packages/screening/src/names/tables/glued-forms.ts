// Legal forms of several words as they are written onto a name without any space: `ORVELIATRADINGCOMPANYLIMITED`.

export const GLUED_FORMS = `
  limited liability company, company limited, co limited, co ltd, private limited company, private limited, pvt ltd, pte ltd, pty ltd,
  sdn bhd, joint stock company, open joint stock company, public joint stock company, closed joint stock company,
  private joint stock company, aktsionernoe obshchestvo, otkrytoe aktsionernoe obshchestvo, zakrytoe aktsionernoe obshchestvo,
  publichnoe aktsionernoe obshchestvo, obshchestvo s ogranichennoi otvetstvennostyu, obshchestvo s ogranichennoy otvetstvennostyu,
  sa de cv, s de rl de cv, s en c, sociedad anonima, aktiengesellschaft, anonim sirketi, limited sirketi, ticaret limited sirketi, public limited company, public company limited, limited company, llc, ltd, limited,
  corporation, corp, incorporated, inc, company, co, gmbh, sarl, sal, sas, sa, ag, jsc, ojsc, cjsc, pjsc, ooo, oao, zao, pao, ao, fze,
  fzco, fzc, est, establishment, plc, srl, spa, bv, nv, ltda, sl, kg, ab, as, oy, doo, ead, eood, lp, llp, dmcc
`;
