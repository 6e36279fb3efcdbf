// Legal forms of the world, by what they stand for: `AG` and `Aktiengesellschaft`, `ООО`, `OOO` and `LLC`.

/**
 * Each line has the ways to write forms that lists exchange for one another, separated by commas, in any script; dots do
 * not matter. A company may be named with any of a group, or with none.
 */
export const LEGAL_FORM_GROUPS: Readonly<Record<LegalGroup, string>> = {
  /** Liability limited by shares of its members: Ltd, LLC, GmbH. */
  limited: `
    limited, ltd, llc, l l c, lc, limited company, company limited, co ltd, co limited, coltd, limited liability company,
    limited liability co, company with limited liability, ultd, unlimited company,
    pte, pte ltd, pte limited, private limited, private limited company, pty, pty ltd, pty limited, proprietary limited,
    pvt, pvt ltd, pvt limited, p ltd, sdn, sdn bhd, sendirian berhad, sendirian berhard, cyfyngedig, cyf,
    fze, fzco, fzc, fz llc, fzllc, fze llc, dmcc, dwc llc, free zone establishment, free zone company, wll, w l l,
    with limited liability, spc, sole proprietorship llc, est, establishment,
    gmbh, mbh, gesmbh, ges mbh, ggmbh, gmbh co kg, gmbh and co kg, gesellschaft mit beschrankter haftung, gesellschaft mbh, ug,
    ug haftungsbeschrankt, haftungsbeschrankt, unternehmergesellschaft,
    sarl, s a r l, sarlu, eurl, sasu, societe a responsabilite limitee, entreprise unipersonnelle a responsabilite limitee,
    srl, s r l, srls, scarl, scrl, sprl, bvba, srl cv, societa a responsabilita limitata,
    sociedad de responsabilidad limitada, sociedad limitada, sl, slu, slne, s de rl, s de rl de cv, srl de cv, eirl,
    societatea cu raspundere limitata, societate cu raspundere limitata,
    ltda, limitada, lda, eireli, sociedade limitada, sociedade por quotas, unipessoal lda, compania limitada, cia ltda,
    bv, besloten vennootschap, bvba, besloten vennootschap met beperkte aansprakelijkheid, cvba,
    aps, anpartsselskab, ehf, einkahlutafelag, hb, handelsbolag, oy, osakeyhtio,
    ooo, ооо, общество с ограниченной ответственностью, obshchestvo s ogranichennoy otvetstvennostyu,
    obschestvo s ogranichennoi otvetstvennostyu, ooo llc, тов, tov, tzov,
    товариство з обмеженою відповідальністю, товарищество с ограниченной ответственностью, тоо, too, одо, odo,
    общество с дополнительной ответственностью, осоо, osoo, mchj, ммс, mmc, mehdud mesuliyyetli cemiyyeti,
    sp zoo, sp z oo, sp z o o, spolka z o o, spolka z oo, spolka z ograniczona odpowiedzialnoscia, sp z ogr odp,
    sro, s r o, spol sro, spol s ro, spolecnost s rucenim omezenym, spolocnost s rucenim obmedzenym,
    kft, korlatolt felelossegu tarsasag, doo, d o o, jdoo, drustvo s ogranicenom odgovornoscu,
    drustvo sa ogranicenom odgovornoscu, društvo sa ograničenom odgovornošću, доо, dooel,
    eood, еоод, ood, оод, дружество с ограничена отговорност, sia, sabiedriba ar ierobezotu atbildibu, uab,
    uzdaroji akcine bendrove, ou, osauhing, mepe, epe, ike, εταιρεια περιορισμενης ευθυνης, shpk, sh p k,
    ltd sti, limited sirketi, sti, ticaret limited sirketi, anonim limited,
    gk, godo kaisha, yk, yugen kaisha, 有限会社, 合同会社, yuhan hoesa, 유한회사, 有限公司, 有限责任公司, 有限責任公司,
    youxian gongsi, youxian zeren gongsi, cong ty tnhh, cong ty trach nhiem huu han, tnhh, mtv tnhh,
    בעמ, bam, ذ م م, ذات مسؤولية محدودة, شركة ذات مسؤولية محدودة, با مسئولیت محدود, شرکت با مسئولیت محدود`,
  /** Capital in shares: AG, S.A., JSC, plc. */
  shares: `
    joint stock company, joint stock co, joint stock, jsc, open joint stock company, ojsc, ojsc, closed joint stock company,
    cjsc, public joint stock company, pjsc, private joint stock company, prjsc, ljsc, non public joint stock company,
    public limited company, plc, public company limited, pcl, public company, berhad, bhd, tbk, persero tbk, perseroan terbatas,
    ag, aktiengesellschaft, kgaa, kommanditgesellschaft auf aktien, se, societas europaea,
    sa, societe anonyme, sociedad anonima, sociedade anonima, societa anonima, sociedad anonima de capital variable,
    sa de cv, sapi de cv, sab de cv, sociedad anonima bursatil, sac, sociedad anonima cerrada, saa, sas,
    societe par actions simplifiee, sociedad por acciones simplificada, spa, societa per azioni, sapa, scpa, saoc, saog, sal,
    societatea pe actiuni, societate pe actiuni, nv, naamloze vennootschap, ab, aktiebolag, publ ab, asa, allmennaksjeselskap,
    as, aksjeselskap, a s, aktieselskab, akciova spolecnost, akciova spolocnost, oyj, julkinen osakeyhtio, hf, ohf,
    ao, ао, oao, оао, zao, зао, pao, пао, nao, нао, акционерное общество, aktsionernoe obshchestvo, aktsionernoye obshchestvo,
    открытое акционерное общество, otkrytoe aktsionernoe obshchestvo, otkrytoye aktsionernoye obshchestvo,
    закрытое акционерное общество, zakrytoe aktsionernoe obshchestvo, zakrytoye aktsionernoye obshchestvo,
    публичное акционерное общество, publichnoe aktsionernoe obshchestvo, publichnoye aktsionernoye obshchestvo,
    непубличное акционерное общество, акціонерне товариство, публічне акціонерне товариство, приватне акціонерне товариство,
    пат, прат, pat, prat, vat, zat, ват, зат, адкрытае акцыянернае таварыства, закрытае акцыянернае таварыства,
    oaj, ochiq aksiyadorlik jamiyati, asc, qsc, aciq sehmdar cemiyyeti,
    ad, ад, ead, еад, акционерно дружество, akcionarsko drustvo, dd, d d, dionicko drustvo, delniska druzba, sha, sh a,
    shoqeri aksionare, zrt, nyrt, zartkoruen mukodo reszvenytarsasag, nyilvanosan mukodo reszvenytarsasag, rt,
    spolka akcyjna, akcine bendrove, akciju sabiedriba, aktsiaselts, ae, anonymi etairia, ανωνυμη εταιρεια, αε,
    anonim sirketi, anonim sirket, as tas, tas, turk anonim sirketi,
    kk, k k, kabushiki kaisha, kabushiki gaisha, 株式会社, jusik hoesa, chusik hoesa, 주식회사, 股份有限公司, gufen youxian gongsi,
    cong ty co phan, ctcp, bsc, bscc, kscc, ksc, ksc closed, psc, qsc, qpsc, kpsc, saudi joint stock company,
    شركة مساهمة, شركة مساهمة عامة, ش م ع, شركة مساهمة مقفلة, سهامی عام, سهامی خاص, شرکت سهامی`,
  /** The anglophone words that stand for either. */
  company: `
    company, companies, co, cie, cia, compagnie, compania, companhia, compagnia, and co, and company, et cie, y cia, und co,
    corporation, corp, corporacion, corporacao, corporate, inc, incorporated, incorporation, and co inc, co inc,
    gesellschaft, societe, sociedad, sociedade, societa, maatschappij, vennootschap, selskab, selskap, bolag, yhtio,
    компания, kompaniya, kompania, kompanija, kompanii, корпорация, korporatsiya, korporatsia, общество, obshchestvo,
    товариство, tovarystvo, товарищество, tovarishchestvo, drustvo, sirket, sirketi, shirket, hoesa, kaisha, gongsi, 公司,
    会社, 회사, شركة, شرکت, sherkat, sherkate, sharikat, sharika, pt, perusahaan, syarikat, cong ty`,
  /** Partners who answer with what they own. */
  partnership: `
    lp, llp, lllp, pllp, limited partnership, limited liability partnership, general partnership, gp, pllc, pc, kg, kgs,
    kommanditgesellschaft, co kg, and co kg, ohg, offene handelsgesellschaft, gbr, partg, partgmbb, eg, snc, scs, sca, sci,
    societe en nom collectif, societe en commandite simple, sccl, s en c, s en cs, sociedad en comandita, vof, cv, ans, da,
    ks, kb, kommanditbolag, ky, kommandiittiyhtio, oe, ee, kd, komanditno drustvo, vos, verejna obchodni spolecnost, sp j,
    spolka jawna, sp k, spk, spolka komandytowa, bt, beteti tarsasag, полное товарищество, товарищество на вере,
    kollektif sirketi, komandit sirketi, gomei kaisha, goshi kaisha`,
  /** No owners: associations, foundations, institutions. */
  nonprofit: `
    ev, e v, eingetragener verein, asbl, vzw, association sans but lucratif, stichting, cic, community interest company,
    ano, ано, автономная некоммерческая организация, avtonomnaya nekommercheskaya organizatsiya,
    autonomous non profit organization, autonomous nonprofit organization, anco, nko, нко, некоммерческая организация,
    nekommercheskaya organizatsiya, non profit organization, nonprofit organization, non governmental organization, ngo,
    mtu, nonprofit kft, ggmbh, aisbl, ivzw, onlus, scop, npc, 501c3, oz, zs, z s, zapsany spolek, dernegi, vakfi`,
  /** Owned by a state or a city. */
  state: `
    gup, гуп, государственное унитарное предприятие, gosudarstvennoe unitarnoe predpriyatie,
    gosudarstvennoye unitarnoye predpriyatiye, fgup, фгуп, федеральное государственное унитарное предприятие,
    federal state unitary enterprise, fsue, state unitary enterprise, mup, муп, municipal unitary enterprise,
    муниципальное унитарное предприятие, фгбу, fgbu, federal state budgetary institution,
    федеральное государственное бюджетное учреждение, gbu, гбу, фгку, fgku, фку, fku, фкп, fkp,
    federal state enterprise, federal treasury enterprise, state enterprise, gosudarstvennoe predpriyatie, dp,
    державне підприємство, унитарное предприятие, unitary enterprise, rup, руп, republican unitary enterprise, perum,
    perusahaan umum, persero, state owned enterprise, eop, epe state`,
};

export type LegalGroup = 'limited' | 'shares' | 'company' | 'partnership' | 'nonprofit' | 'state';

/** Also words, names or syllables: a legal form only where they open or close a name. */
export const ONLY_AT_THE_ENDS = `
  as ab ad ae ag ao ans asa asc bam bt cia cie co cv da dd dp ead ee eg ep epe est ev gk gp hb hf ike kb kd kg kk ks ky lc lp
  mtu nao nv oao oe ou oy oz pac pao pat pc pcl pt qsc rt rup sa sac sal sas sca sci scs se sha sia sl snc spa spc spk srl
  sti tas too tov ug vat vos yk zat zs cyf dwc est establishment pte public company limited private persero sdn joint stock
  sociedade societa societe sociedad gesellschaft obshchestvo drustvo bolag selskab tas cooperative unlimited bhd
  companies corporate vakfi dernegi pvt kgs tbk
`;
