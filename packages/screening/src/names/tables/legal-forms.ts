// Legal forms of the world, by what they stand for: `AG` and `Aktiengesellschaft`, `ООО`, `OOO` and `LLC`.
//
// To add a form, add it to its group in LEGAL_FORM_GROUPS. The other tables are for special cases:
//   ONLY_AT_THE_ENDS   if it is also a word, a name or a syllable
//   GLUED_FORMS        if registers write it onto the name without a space
//   LEGAL_FORM_WORDS   if a single word of it shows that a row of people names a company
import { words } from './words.ts';

/**
 * One line per set of interchangeable spellings, comma-separated, in any script. Dots are ignored
 * except in forms that require them (`e.u.`), and brackets except around a single character. Long
 * words in other scripts cover all their romanizations (plain-romanisation.ts). A company may be
 * named with any form of a group, or with none.
 */
export const LEGAL_FORM_GROUPS: Readonly<Record<LegalGroup, string>> = {
  /** Liability limited by members' shares: Ltd, LLC, GmbH. */
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
    ooo, ооо, общество с ограниченной ответственностью, ooo llc, тов, tov, tzov,
    товариство з обмеженою відповідальністю, товарищество с ограниченной ответственностью, тоо, too, одо, odo,
    общество с дополнительной ответственностью, осоо, osoo, mchj, ммс, mmc, mehdud mesuliyyetli cemiyyeti,
    sp zoo, sp z oo, sp z o o, spolka z o o, spolka z oo, spolka z ograniczona odpowiedzialnoscia, sp z ogr odp,
    sro, s r o, spol sro, spol s ro, spolecnost s rucenim omezenym, spolocnost s rucenim obmedzenym,
    kft, korlatolt felelossegu tarsasag, doo, d o o, jdoo, drustvo s ogranicenom odgovornoscu,
    drustvo sa ogranicenom odgovornoscu, друштво са ограниченом одговорношћу, доо, dooel,
    eood, еоод, ood, оод, дружество с ограничена отговорност, sia, sabiedriba ar ierobezotu atbildibu, uab,
    uzdaroji akcine bendrove, ou, osauhing, mepe, epe, ike, εταιρεια περιορισμενης ευθυνης, shpk, sh p k,
    ltd sti, limited sirketi, sti, ticaret limited sirketi, anonim limited,
    godo kaisha, yk, yugen kaisha, 有限会社, 合同会社, yuhan hoesa, 유한회사, 有限公司, 有限责任公司, 有限責任公司,
    youxian gongsi, youxian zeren gongsi, cong ty tnhh, cong ty trach nhiem huu han, tnhh, mtv tnhh,
    בעמ, בע מ, bam, ذ م م, ذات مسؤولية محدودة, شركة ذات مسؤولية محدودة, با مسئولیت محدود, شرکت با مسئولیت محدود,
    sarl s, sarls, sarl unipersonnelle, sarl au, sarlau, suarl, surl, sagl, societa a garanzia limitata, sociedad unipersonal de responsabilidad limitada,
    societe unipersonnelle a responsabilite limitee, srl d, sociedade unipessoal, unipessoal, ltda me, ltda epp,
    eireli me, y cia ltda, cia limitada, sll, slp, spr de rl, spr de rl de cv, sociedad limitada unipersonal,
    limited co, ltd co, ltd company, ltd liability co, ltd liability company, company of limited liability, llc fz, fz, fz co,
    fzco llc, llc soc, llc opc, llc spc, opc, one person company, single person company, sole proprietorship, ltee, limitee,
    proprietary, proprietary ltd, proprietary limited company, pty limited company, private ltd, private ltd company,
    private limited co, pvt ltd co, pvt limited company, smc private limited, smc pvt ltd, opc private limited, opc pvt ltd,
    soc ltd, soc limited, close corporation, cc, no liability, nl, pte limited company, company private limited,
    dac, designated activity company, clg, company limited by guarantee, limited by guarantee, unltd, unlimited,
    unlimited liability company, ulc, uc, teoranta, anstalt, trust reg, trust registered, treuunternehmen, etablissement, ets,
    private company limited, private company ltd, additional liability company, alc, p l, rf pty ltd, ivs, soc a rl,
    sanayi ve ticaret limited sirketi, sanayi ve ticaret ltd sti, san ve tic ltd sti, san tic ltd sti,
    ticaret ve sanayi limited sirketi, tic ve san ltd sti, μονοπροσωπη ικε, μονοπροσωπη επε, monoprosopi ike,
    flexco, flexible kapitalgesellschaft, mb, mazoji bendrija, dooel, д о о, доо, дооел, λτδ, λιμιτεδ, επε, ικε, μεπε,
    ιδιωτικη κεφαλαιουχικη εταιρεια, чуп, chup, чтуп, chtup, pue, частное унитарное предприятие, private unitary enterprise,
    частное торговое унитарное предприятие, private trade unitary enterprise, private trading unitary enterprise,
    пп, pp, чп, chp, pe, private enterprise, частное предприятие,
    приватне підприємство, прыватнае прадпрыемства, таа, taa, таварыства з абмежаванай адказнасцю,
    тзов, тдв, tdv, товариство з додатковою відповідальністю,
    жшс, zhshs, жауапкершілігі шектеулі серіктестігі, мчж, жчк, ҷдмм, ххк, hhk, ՍՊԸ, შპს, shps,
    (有), (同), 有限會社, yugen gaisha, yugengaisha, godo gaisha, godogaisha, goudou kaisha, goudou gaisha, (유), 유한책임회사,
    yuhanhoesa, 责任有限公司, youxiangongsi, tnhh mtv, tnhh mot thanh vien, cong ty tnhh mtv, cong ty tnhh mot thanh vien,
    cty tnhh, cong ty trach nhiem huu han mot thanh vien, one member limited liability company, one member company limited,
    จำกัด, บริษัท จำกัด, บจก, लिमिटेड, प्राइवेट लिमिटेड, লিমিটেড, لمیٹڈ, پرائیویٹ لمیٹڈ,
    ش م م, ش ذ م م, م م ح, محدودة, المحدودة, ذات المسؤولية المحدودة, محدودة المسؤولية, المحدودة المسؤولية, مسئولیت محدود,
    masouliyat mahdood, ba masouliyat mahdood, sherkat ba masouliyat mahdood, masuliyat mahdud, ba masuliyat mahdud`,
  /** Share capital: AG, S.A., JSC, plc. */
  shares: `
    joint stock company, joint stock co, joint stock, jointstock company, jsc, open joint stock company, ojsc, ojsc, closed joint stock company,
    cjsc, public joint stock company, pjsc, private joint stock company, prjsc, ljsc, non public joint stock company,
    public limited company, public limited, plc, public company limited, pcl, public company, berhad, bhd, tbk, persero tbk, perseroan terbatas,
    ag, aktiengesellschaft, kgaa, kommanditgesellschaft auf aktien, se, societas europaea,
    sa, societe anonyme, sociedad anonima, sociedade anonima, societa anonima, sociedad anonima de capital variable,
    sa de cv, sapi de cv, sab de cv, sociedad anonima bursatil, sac, sociedad anonima cerrada, saa, sas,
    societe par actions simplifiee, sociedad por acciones simplificada, spa, societa per azioni, sapa, scpa, saoc, saog, sal,
    societatea pe actiuni, societate pe actiuni, nv, naamloze vennootschap, ab, aktiebolag, aktiebolaget, publ ab, asa, allmennaksjeselskap,
    as, aksjeselskap, a s, aktieselskab, akciova spolecnost, akciova spolocnost, oyj, julkinen osakeyhtio, hf, ohf,
    ao, ао, oao, оао, zao, зао, pao, пао, nao, нао, акционерное общество, открытое акционерное общество,
    закрытое акционерное общество, публичное акционерное общество, акционерное общество открытого типа,
    акционерное общество закрытого типа, аоот, aoot,
    непубличное акционерное общество, акціонерне товариство, публічне акціонерне товариство, приватне акціонерне товариство,
    пат, прат, pat, prat, vat, zat, ват, зат, адкрытае акцыянернае таварыства, закрытае акцыянернае таварыства,
    oaj, ochiq aksiyadorlik jamiyati, asc, qsc, aciq sehmdar cemiyyeti,
    ad, ад, ead, еад, акционерно дружество, dd, d d, dionicko drustvo, delniska druzba, sha, sh a,
    shoqeri aksionare, zrt, nyrt, zartkoruen mukodo reszvenytarsasag, nyilvanosan mukodo reszvenytarsasag, rt,
    spolka akcyjna, akcine bendrove, akciju sabiedriba, aktsiaselts, ae, anonymi etairia, ανωνυμη εταιρεια, αε,
    anonim sirketi, anonim sirket, as tas, tas, turk anonim sirketi,
    kk, k k, kabushiki kaisha, kabushiki gaisha, 株式会社, jusik hoesa, chusik hoesa, 주식회사, 股份有限公司, gufen youxian gongsi,
    cong ty co phan, ctcp, bsc, bscc, kscc, ksc, ksc closed, psc, qsc, qpsc, kpsc, saudi joint stock company,
    شركة مساهمة, شركة مساهمة عامة, ش م ع, شركة مساهمة مقفلة, سهامی عام, سهامی خاص, شرکت سهامی,
    sanayi ve ticaret anonim sirketi, sanayi ve ticaret as, san ve tic as, san tic as, ticaret ve sanayi anonim sirketi,
    tic ve san as, ticaret anonim sirketi, cia anonima, μονοπροσωπη αε, public company ltd, publicly traded company, publicly held company, public stock company, stock company, company limited by shares,
    limited by shares, co ltd by shares, private joint stock, public joint stock, closed joint stock, open joint stock, pjs,
    pjs co, pjs company, pvt js, js co, jsco, private js co, shareholding company, public shareholding company,
    private shareholding company, closed shareholding company, joint shareholding company, sjsc, qjsc, qpjsc, qscc, kscp, ksch,
    bsc c, bsc closed, sae, sal offshore, offshore sal, sarl offshore, offshore sarl, offshore sa rl, sal off shore, off shore sal,
    s a, ca, c a, compania anonima, c por a, sau, sa esp, sas de cv, sas esp, sapi, sab, sociedad anonima unipersonal, soc an,
    soc anonima, sgps, sca sicav, sicav, sicaf, psa, prosta spolka akcyjna, sc, societate comerciala, ab publ, asa publ, persero,
    perusahaan perseroan, perusahaan perseroan persero, n.a., national association, akcionarsko drustvo, акционарско друштво,
    ак, ak, нк, nk, нгк, ngk, акционерная компания, аозт, aozt, ат, at, відкрите акціонерне товариство,
    закрите акціонерне товариство, аат, адкрытае акцыянернае таварыства, прыватнае акцыянернае таварыства,
    ақ, акционерлік қоғамы, aj, аж, aksiyadorlik jamiyati, ҷск, аак, жак, ՓԲԸ, ԲԲԸ, სს,
    aciq sehmdar cemiyyeti, qapali sehmdar cemiyyeti, ανωνυμος εταιρεια, α ε,
    (株), 株式會社, kabushikigaisha, kabushikikaisha, (주), jusikhoesa, chusikhoesa, 股份公司, 股份有限责任公司,
    cong ty cp, cty cp, จำกัด มหาชน, มหาชน, บมจ, ش م ل, ش م ك, ش م ق, ش م ب, ش م س, ش م خ, ش م ع ع, مساهمة, المساهمة,
    مساهمة عامة, مساهمة خاصة, المساهمة العامة, مساهمة مصرية, مساهمة لبنانية, مساهمة كويتية, شرکت سهامی عام, شرکت سهامی خاص,
    sahami khas, sahami khass, sahami am, sahami aam, sahami ye khass, sahami ye am, sherkat sahami khas,
    sherkat sahami khass, sherkat sahami am`,
  /** English words for either of them. */
  company: `
    company, companies, co, cie, cia, compagnie, compania, companhia, compagnia, and co, and company, et cie, y cia, und co,
    corporation, corp, corporacion, corporacao, corporate, inc, incorporated, incorporation, and co inc, co inc,
    gesellschaft, societe, sociedad, sociedade, societa, maatschappij, vennootschap, selskab, selskap, bolag, yhtio,
    компания, компании, корпорация, общество, товариство, товарищество, drustvo, drushtvo, druzhestvo, sirket, sirketi, shirket, hoesa, kaisha, gongsi, 公司,
    会社, 회사, شركة, شرکت, sherkat, sherkate, sharikat, sharika, pt, perusahaan, syarikat, cong ty,
    soc, gk, ek, e kfm, eingetragener kaufmann, eingetragene kauffrau, e.u., eingetragenes unternehmen, einzelunternehmen,
    empresa unipersonal, и п, ип, ip, индивидуальный предприниматель, individual entrepreneur,
    individual proprietor, sole proprietor, sole trader, фоп, fop, фізична особа підприємець, et, ет, едноличен търговец,
    ik, individualais komersants, individuali imone, ud, usaha dagang, pd, perusahaan dagang, cty, الشركة, الشرکة, مؤسسة,
    บริษัท, 总公司, 總公司, 會社, компанія, компани, kampani, कंपनी, kampaniya, kaisya, gaisha`,
  /** Partnerships with personal liability. */
  partnership: `
    lp, llp, lllp, pllp, limited partnership, limited liability partnership, general partnership, gp, pllc, pc, kg, kgs,
    kommanditgesellschaft, co kg, and co kg, ohg, offene handelsgesellschaft, gbr, partg, partgmbb, eg, snc, scs, sca, sci,
    societe en nom collectif, societe en commandite simple, sccl, s en c, s en cs, sociedad en comandita, vof, cv, ans, da,
    ks, kb, kommanditbolag, ky, kommandiittiyhtio, oe, ee, kd, komanditno drustvo, vos, verejna obchodni spolecnost, sp j,
    spolka jawna, sp k, spk, spolka komandytowa, bt, beteti tarsasag, полное товарищество, товарищество на вере,
    kollektif sirketi, komandit sirketi, gomei kaisha, goshi kaisha,
    soc coop, soc coop arl, s coop, societa cooperativa, sociedad cooperativa, cooperatie ua, partg mbb,
    scsp, societe en commandite speciale, special limited partnership, senc, sencrl, sec, societe en commandite, scomm, commv,
    gcv, plt, og, offene gesellschaft, interessentskab, p s, kommanditselskab, k s, ltd partnership, registered partnership,
    ps, pilnsabiedriba, tu, taisuhing, usaldusuhing, gie, groupement d interet economique, eeig, selarl, scp, ska,
    spolka komandytowo akcyjna, sp p, spolka partnerska, kkt, kozkereseti tarsasag, dno, d n o, adi ortaklik, adi ortakligi,
    y cia s en c, y cia sca, cia s en c, сд, събирателно дружество, командитно дружество, ห้างหุ้นส่วน, ห้างหุ้นส่วน จำกัด, หจก,
    合资公司, 합자회사, 합명회사, hapja hoesa, hapmyong hoesa, gomei gaisha, goshi gaisha, kollektiv şirkəti`,
  /** No owners: associations, foundations, institutions. */
  nonprofit: `
    ev, e v, eingetragener verein, asbl, vzw, association sans but lucratif, stichting, cic, community interest company,
    ano, ано, автономная некоммерческая организация,
    autonomous non profit organization, autonomous nonprofit organization, anco, nko, нко, некоммерческая организация,
    non profit organization, nonprofit organization, non governmental organization, ngo,
    mtu, nonprofit kft, ggmbh, aisbl, ivzw, onlus, scop, npc, 501c3, oz, zs, z s, zapsany spolek, dernegi, vakfi,
    ac, asociacion civil, vsi, viesoji istaiga, sihtasutus, ops, obecne prospesna spolecnost, alapitvany, egyesulet, udruga,
    udruzenje, cio, charitable incorporated organisation`,
  /** Owned by a state or a city. */
  state: `
    gup, гуп, государственное унитарное предприятие, fgup, фгуп, федеральное государственное унитарное предприятие,
    federal state unitary enterprise, fsue, state unitary enterprise, mup, муп, municipal unitary enterprise,
    муниципальное унитарное предприятие, фгбу, fgbu, federal state budgetary institution,
    федеральное государственное бюджетное учреждение, gbu, гбу, фгку, fgku, фку, fku, фкп, fkp,
    federal state enterprise, federal treasury enterprise, state enterprise, dp,
    державне підприємство, унитарное предприятие, unitary enterprise, rup, руп, republican unitary enterprise, perum,
    perusahaan umum, state owned enterprise, eop, epe state,
    уп, up, state corporation, государственная корпорация, госкорпорация, goskorporatsiya,
    государственное предприятие, federal state treasury enterprise, federal state owned enterprise, state treasury enterprise,
    казенное предприятие, федеральное казенное предприятие, кп, kp, республиканское унитарное предприятие,
    federal state autonomous institution, фгау, fgau, federal state institution,
    federal state budgetary educational institution, federal state budgetary scientific institution, фгбоу, fgbou, фгбун, fgbun,
    statni podnik, valstybes imone, javno preduzece, јавно предузеће, empresa estatal`,
};

export type LegalGroup = 'limited' | 'shares' | 'company' | 'partnership' | 'nonprofit' | 'state';

/** Also words, names or syllables. A legal form only next to other legal forms or at either end. */
export const ONLY_AT_THE_ENDS = `
  as ab ad ae ag ao ans asa asc at bam bt ca cia cie co cv da dd dp ead ee eg ep epe est ev gk gp hb hf ike kd kg kk ks ky lc lp
  mtu nao nv oao oe ou oy oz pac pao pat pc pcl pt qsc rt rup sa sac sal sas sca sci scs se sha sia sl snc spa spc spk srl
  sti tas too tov ug vat vos yk zat zs cyf dwc est establishment pte persero sdn sociedade societa societe sociedad gesellschaft
  obshchestvo drustvo drushtvo druzhestvo bolag selskab cooperative unlimited bhd companies corporate vakfi dernegi pvt kgs tbk
  ac ak aj anstalt cc clg dac ek ets etablissement fz gie ip kp mb nl og opc pd pe pjs plt pp proprietary ps psa pue sab sae
  sapi sau sc scp sec sgps sicaf sicav ska sll slp taa teoranta tu uc ud ulc unipessoal unltd soc et ik hhk up alc pl
  shps ss nk ngk مؤسسة مساهمة محدودة
`;

/** Legal forms only at the end of a name, such as KB, elsewhere a design bureau. */
export const ONLY_AT_THE_END = 'kb cc ek et mb nl og pe pp ps tu uc ac fz ik';

/** Multi-word forms attached to a name without spaces: `ORVELIATRADINGCOMPANYLIMITED`. */
export const GLUED_FORMS = `
  limited liability company, company limited, co limited, co ltd, private limited company, private limited, pvt ltd, pte ltd, pty ltd,
  sdn bhd, joint stock company, open joint stock company, public joint stock company, closed joint stock company,
  private joint stock company, aktsionernoe obshchestvo, otkrytoe aktsionernoe obshchestvo, zakrytoe aktsionernoe obshchestvo,
  publichnoe aktsionernoe obshchestvo, obshchestvo s ogranichennoi otvetstvennostyu, obshchestvo s ogranichennoy otvetstvennostyu,
  sa de cv, s de rl de cv, s en c, sociedad anonima, aktiengesellschaft, anonim sirketi, limited sirketi, ticaret limited sirketi, public limited company, public company limited, limited company, llc, ltd, limited,
  corporation, corp, incorporated, inc, company, co, gmbh, sarl, sal, sas, sa, ag, jsc, ojsc, cjsc, pjsc, ooo, oao, zao, pao, ao, fze,
  fzco, fzc, est, establishment, plc, srl, spa, bv, nv, ltda, sl, kg, ab, as, oy, doo, ead, eood, lp, llp, dmcc
`;

/**
 * Words that reveal a company in a row of people. None is a common name. Legal forms without full
 * stops and spaces ('sp. z o.o.' is 'spzoo' joined, 'sp' and 'zoo' split). Some are also words or
 * names ('as', 'ad', 'co', 'sa') and have little weight anywhere.
 */
export const LEGAL_FORM_WORDS = words(`
  llc ltd limited inc incorporated corp corporation co company plc lp llp lllp pllc unlimited ultd cic gp
  pte pty sdn bhd berhad pvt private tbk pt cv perum persero
  gmbh mbh ggmbh ag kg kgaa ohg ug gbr ev eg se sce scs sca gesmbh
  sa sas sasu sarl eurl snc sci scop saoc saog sal spa srl srls sapa scarl scrl sprl
  sl slu slne sac saa eirl ltda limitada eireli epp cia sapi
  bv nv vof cvba bvba asbl vzw stichting
  oy oyj ab hb kb as asa aps ans ehf hf ohf
  ooo oao zao pao ao nao gup mup fgup fgbu ano nko tov tzov pat prat vat zat fop tdv too
  jsc ojsc cjsc pjsc ljsc odo uab mchj oaj mmc asc tsc xk
  doo dd ad jdoo kd eood ead ood sp zoo spzoo spk sro spol vos ks kft zrt nyrt bt sia ou mtu
  ae epe ee ike oe mepe
  fze fzco fzc fzllc dmcc wll bsc bscc kscc ksc psc est establishment spc
  kk gk yk kabushiki kaisha yugen godo chusik hoesa jusik
  anonim sirketi sti sanayi ticaret tic
  trust aktiengesellschaft gesellschaft aktiebolag aktieselskab naamloze vennootschap
  societe sociedad societa anonyme anonima
`);
