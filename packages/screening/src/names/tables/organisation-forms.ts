// Words in the names of organisations that mean the same: abbreviations, plurals, translations and how those are romanised.

/** Each line is one meaning; plain letters, as the words are folded. The first group that has a word counts. */
export const ORGANISATION_FORMS: readonly string[] = `
  international intl internat internationale internacional internazionale internationaler mezhdunarodnyy mezhdunarodnaya mezhdunarodnoe mezhdunarodny uluslararasi beynelxalq beinalmelali dawliya duwaliya dowlia guoji antarabangsa internasional
  national natl nazionale nacional nationale natsionalnyy natsionalnaya natsionalnoe natsionalny ulusal melli milli wataniya watani nasional
  state gosudarstvennyy gosudarstvennaya gosudarstvennoe gosudarstvenny devlet dowlati estatal
  federal federalnyy federalnaya federalnoe federalny
  central tsentralnyy tsentralnaya tsentralnoe merkez merkezi centrale markazi
  general gen amma ammah generalnyy generale generalna generalnoe
  united obedinennyy obedinennaya obyedinennaya unido unida unidos unidas uni obyedinennyy obedinennoe
  technology technologies tech technologic technological tekhnologiya tekhnologii tehnologiya tehnologii texnologiya tekhnologicheskiy technologie tecnologia tecnologias tecnologie teknoloji teknologi teknologiya fanavari fannavari technika keji jishu
  technical technic technique tekhnicheskiy tekhnicheskaya tecnica tecnico tecnicos tekhnika tekhniki teknik technisch technische fanni fani
  science sciences scientific nauchnyy nauchnaya nauchno nauka nauki ciencia ciencias cientifico cientifica scientifique bilim wissenschaft elmi olum ulum kexue
  research issledovatelskiy issledovatelskaya issledovaniya recherche recherches investigacion investigaciones forschung arastirma ricerca ricerche pazhouhesh tahqiqat yanjiu penelitian
  engineering engg engr engrg engineers eng inzhiniring inzhenernyy ingenieria ingenierie ingegneria muhendislik mohandesi handasah handasa gongcheng ingenieur engenharia
  electronics electronic electron elektronik elektronika elektroniki elektronnyy electronica electronico electronique electroniques electrnc elec elektron dianzi
  electric electrical electricity elec elektrik elektricheskiy electrica electrico electrique elektrichestvo elektro barq kahraba dianli
  energy energies energiya energii energetika energeticheskaya energeticheskiy energia energie enerji nengyuan tenaga
  industry industries industrial ind inds indus promyshlennost promyshlennyy promyshlennaya promyshlennoe industria industrias industrie industriel industrielle industriale industriya sanayi sanayii sanat sanaye sanati sinaa sinaat sinaiya gongye industri perindustrian
  manufacturing manufacturer manufacturers manufacture mfg mfr mfrs proizvodstvo proizvodstvennyy proizvodstvennaya proizvodstvennoe fabricacion fabrication imalat herstellung tolid tolidi zhizao manufaktur
  factory factories plant plants works zavod zavoda zavody fabrika fabrik fabriki fabrique fabrica usine karkhaneh karkhana masnaa gongchang planta werk werke kombinat kombinati combine combinat
  production products product prod prods produkt produkte produkty produktsiya produccion producao produits produit urunleri
  enterprise enterprises entreprise entreprises empresa empresas predpriyatie predpriyatiya predpriyatiye impresa imprese isletme isletmesi unternehmen qiye
  trade trading traders trader trdg tdg trad torgovlya torgovyy torgovaya torgovoe torg treyding treiding ticaret ticareti tic comercio comercial commercio commerciale commerce commercial handel handels handelsgesellschaft tejarat tijarat tijara tijariya tejari bazargani maoyi dagang perdagangan kommercheskiy kommercheskaya kommercheskoe
  import imports imp importacion importation ithalat estirad wardat vardat jinkou
  export exports exp exportacion exportation ihracat tasdir saderat chukou eksport
  group grp groups grupo gruppa gruppy gruppe gruppo groupe grubu grup majmouat majmua goruh jituan kumpulan gruppen grupa
  holding holdings hldg hldgs hlds kholding holdinq konzern concern kontsern
  bank bk bnk banka bankas banki banque banco banca bankasi banks bankowy masraf yinhang
  finance financial fin finansy finansovyy finansovaya finans finanz finanzen finanzas financiera financiero financiere finanziaria maliye jinrong
  investment investments invest inv invs investitsii investitsiy investitsionnyy investitsionnaya inversion inversiones investissement investissements investimento investimenti yatirim yatirimlari istithmar sarmayegozari touzi
  insurance ins strakhovaya strakhovoy strakhovanie seguros seguro assurance assurances versicherung versicherungen assicurazioni sigorta bimeh bimehye tamin takaful baoxian
  fund funds fond fonds fondo fundo sandoq sanduq jijin
  foundation fdn found fondation fundacion fundacao fondazione stiftung vakif vakfi bonyad bonyade yayasan
  institute institut inst instituto istituto instituta enstitu enstitusu muassasah moassese yanjiusuo institution institutions
  university univ universitet universiteta universite universiteit universitat universidad universidade universita universitesi daneshgah jamiat jamia daxue universitas universiti
  college coll kolledzh colegio kollegium
  academy acad akademiya akademii academia academie akademie akademi akademisi
  school shkola ecole escuela schule okul okulu madrasa scuola
  laboratory laboratories lab labs laboratoriya laboratorii laboratorio laboratoire labor laboratuvar
  center centre centers centres ctr cntr tsentr tsentra centro zentrum merkezi markaz zhongxin
  ministry min ministerstvo ministerio ministere ministerium ministero bakanligi bakanlik vezarat vezarate wizarat wizara ministerul kementerian
  department dept dep depto departamento departement departament otdel abteilung upravlenie dairesi
  directorate dir direccion direction direktsiya
  committee cttee comm komitet comite comitato komitesi komite lajna lajnat
  commission komissiya comision komisyon kommission komisi
  agency agencies agcy agentstvo agencia agence agentur agenzia ajansi ajans agensi
  organization organisation organizations organisations org orgn organizatsiya organizatsii organizacion organizacao organizzazione orgut orgutu sazeman sazmane munazzamat monazzamat tanzim organisasi
  association assn assoc asociacion associacao associazione assotsiatsiya verein dernek dernegi jamiyat persatuan
  society soc
  union soyuz sindicato syndicat sendikasi unione etehad ittihad ettehad
  federation federatsiya federacion federazione federasyonu
  council sovet consejo conseil konsey konseyi
  government govt gov pravitelstvo gobierno gouvernement regierung hukumat hokumat hukumet
  republic respublika republica republique republik cumhuriyeti jomhuri jumhuriyat
  construction constructions constr const construct stroitelstvo stroitelnyy stroitelnaya stroy construccion construcciones constructora bau insaat inshaat sakhtemani jianzhu jianshe konstruksi binaan
  building builders build
  contracting contractors contractor muqawalat taahhut
  development dev devt devel razvitie razvitiya desarrollo developpement entwicklung kalkinma tosee tanmiya fazhan pembangunan
  design projekt proektirovanie tasarim
  transport transportation transports trans transp transportnyy transportnaya transporte transportes trasporti tasimacilik nakliyat nakliyati haml naql yunshu pengangkutan
  logistics logistic logistika logistica logistique logistik lojistik wuliu
  shipping shpg shippinglines ship ships navigation sudokhodnaya sudokhodstvo naviera navegacion navegacao naviga denizcilik keshtirani milaha haiyun pelayaran schiffahrt schiffahrts reederei parokhodstvo
  shipyard shipyards sudostroitelnyy sudoremontnyy astillero astilleros chantier tersane tersanesi werft zaochuan
  shipbuilding sudostroenie sudostroitelnaya
  marine maritime morskoy morskaya marina maritima maritimo maritimes denizi bahri bahriya darya daryaei haiyang
  air avia aero aviation aviatsiya aviatsionnyy aviatsionnaya aviacion havacilik havayollari tayaran hava havapeymai hangkong penerbangan
  air airlines airline airways
  airlines airline airways avialinii aviakompaniya aerolineas lignes havayolu
  aerospace aerokosmicheskiy kosmicheskiy aeroespacial uzay havafaza kosmicheskaya
  railway railways railroad rly rlwy zheleznye dorogi ferrocarril ferrocarriles demiryollari eisenbahn tielu
  oil petroleum petrol petro neft nefti neftyanaya neftyanoy petrole petroleos petroleo naft nafta petrolleri petrolu shiyou erdol minyak
  gas gaz gaza gazovaya gazovyy gasco
  chemical chemicals chem khimicheskiy khimicheskaya khimiya khim quimica quimico chimique chimica kimya shimi shimiyaei huagong kimia
  petrochemical petrochemicals neftekhim neftekhimicheskiy petroquimica petrokimya petroshimi
  pharmaceutical pharmaceuticals pharma farmatsevticheskiy farma farmaceutica ilac daru darou daroo yaopin
  medical med meditsinskiy meditsinskaya medico medica medicale tibbi teb pezeshki tibbiya yiliao medicine meditsina
  metal metals metall metally metallurgiya metallurgicheskiy metalurgia metallurgical metallurgy metalurji felezat
  steel stal acero acier stahl celik foulad fulad gangtie baja
  mining mine mines gornyy gornaya dobycha mineria minera mineraria madencilik maden madan kuangye pertambangan bergbau
  minerals mineral
  machine machinery machines mashinostroitelnyy mashinostroenie mashin maquinaria machineries makina makine maschinen maschinenbau mashinsazi jixie mesin
  equipment equip eqpt oborudovanie oborudovaniya equipos equipement equipements ekipman tajhizat moaddat shebei peralatan
  instrument instruments instrumentation pribor pribory priborostroitelnyy priborostroenie
  automotive auto automobile automobiles motors motor mtr mtrs avtomobilnyy avtomobil otomotiv khodro qiche avto
  food foods pishchevaya pishchevoy alimentos alimentaria alimentaire gida ghaza ghazaei shipin makanan
  agriculture agricultural agri agro selskokhozyaystvennyy agricola agropecuaria tarim keshavarzi ziraa ziraiya nongye pertanian agrar
  textile textiles tekstil tekstilnyy textil tessile nassaji mansojat fangzhi
  services service svcs svc svs serv servis uslugi servicio servicios servizi dienste dienstleistungen hizmetleri hizmet khadamat khedmat fuwu layanan perkhidmatan
  solutions solution resheniya soluciones
  systems system sys sistema sistemy sistem sistemas systeme systemes sistemi sistemleri xitong
  software programmnoe yazilim ruanjian
  information info informatsionnyy informatsionnye informacion ettelaat malumat bilgi xinxi
  telecommunications telecommunication telecom telecoms telekom telekommunikatsii telecomunicaciones dianxin ettisalat mokhaberat mukhabarat
  communication communications comms svyaz svyazi comunicaciones iletisim ertebatat tongxin
  consulting consultancy consultants konsalting consultoria danismanlik moshavere zixun beratung
  management mgmt mgt upravlyayushchaya menedzhment gestion yonetim modiriat guanli pengurusan
  security secur bezopasnost bezopasnosti okhrana seguridad securite sicherheit guvenlik amniat amn anquan keselamatan
  defense defence oborona oborony oboronnyy oboronnaya defensa verteidigung savunma defa difa guofang pertahanan
  military mil voennyy voennaya voenno militar militaire askeri nezami
  army armiya ejercito armee ordu artesh jaysh jeish
  special spetsialnyy spetsialnaya spets especial
  property properties realty nedvizhimost inmobiliaria immobiliare immobilier immobilien emlak gayrimenkul
  hotel hotels gostinitsa otel oteli fonduk
  travel tourism tours turizm turisticheskaya turismo tourisme seyahat siyaha gardeshgari
  media smi
  publishing izdatelstvo izdatelskiy editorial verlag yayincilik nashr
  brothers bros gebruder gebr freres hermanos hnos fratelli flli kardesler irmaos brat bratya
  sons son fils hijos figli sohne soehne evlatlari ogullari
  partners partner partnership ptnrs partnery socios
  associates assocs
  distribution distributors distributor distr dist
  supply supplies supplier suppliers snabzhenie tedarik
  front jabhat jabha frente cephe cephesi jebhe
  brigade brigada brigades liwa katibat
  hizballah hezbollah hizbullah hezbullah hizbollah hizbulla hizballa hizboullah
  party partiya partido parti partisi hizb hezb partito
  movement dvizhenie movimiento mouvement harakat haraka hareketi
  liberation osvobozhdenie liberacion tahrir kurtulus
  revolutionary revolution revolyutsionnyy revolucionario revolucionaria thawra enghelab devrimci revolutsionnyy enqelab
  direct pryamoy pryamye pryamykh
  aircraft aviastroitelnaya aviastroitelnyy samoletostroitelnyy samolet
  helicopter helicopters vertolet vertolety vertoletnyy
  missile missiles rocket rockets raketnyy raketnaya raketnoe
  weapons weapon arms armament armaments vooruzhenie vooruzheniya oruzhie oruzheynyy selah taslihat
  tactical takticheskiy takticheskoe
  nuclear atomic yadernyy yadernaya atomnyy atomnaya nukleer
  economic economics economy ekonomicheskiy ekonomicheskaya ekonomika eqtesadi iqtisadi iqtisadiya ekonomik economique economico economica
  repair repairs remontnyy remontnaya remont
  design konstruktorskoe konstruktorskiy
  fleet flot
  port ports portovyy bandar
  railway zheleznodorozhnyy zheleznodorozhnaya
  coal ugolnaya ugolnyy ugol
  pipe pipes trubnyy trubnaya trubnoe
  optical optics opticheskiy optiko
  radio radiotekhnicheskiy
  savings sberegatelnyy
  leasing lizing lizingovaya lizingovyy
  pension pensionnyy pensii
  modern sovremennyy
  television televidenie televizion
  resistance muqawama muqawamah moqavemat mukavemet
  reconstruction rekonstruktsiya bazsazi
  regional regionalnyy regionalnaya oblastnoy
  foreign vneshniy vneshney
  mechanical mechanics mekhanicheskiy mekhanicheskaya mecanica mecanico mecanique mekanik mechanisch mechanische
  caspian kaspiy kaspiyskiy kaspiyskaya khazar hazar
  new novyy novaya novoe nuevo nueva nouveau nouvelle neue neuer yeni jadid xin
  great big bolshoy velikiy
  red krasnyy krasnaya
  star zvezda estrella etoile stern stella yildiz setareh najm
  sea more mar mer meer deniz bahr
  north northern severnyy severnaya sever norte nord kuzey shomal shimal bei
  south southern yuzhnyy yuzhnaya yug sud sur guney jonub janub nan
  east eastern vostok vostochnyy vostochnaya oriente ost dogu sharq shargh dong
  west western zapad zapadnyy zapadnaya oeste ouest bati gharb xi
  people peoples peuple pueblo narodnyy narodnaya narodnoe halk mardom shaab renmin rakyat
  islamic islami islamskiy islamica islamique eslami islamiya
  russia russian rossiya rossii rossiyskiy rossiyskaya rossiyskoe rusia russie russland rus
  iran iranian irana iranskiy irani
  china chinese kitay kitayskiy zhongguo chine cin
  ukraine ukrainian ukraina ukrainskiy ukrainskaya
  belarus belarusian belorusskiy belorusskaya byelorussian belaruskali
  germany german deutschland deutsche deutscher germaniya allemagne almanya
  france french frantsiya fransa francaise francais
  spain spanish espana espanola espanol ispaniya
  italy italian italia italiana italiano italiya
  switzerland swiss schweiz suisse svizzera schweizerische shveytsariya isvicre
  turkey turkish turkiye turk turetskiy turkiyes
  syria syrian suriye siriya syrie souria
  iraq iraqi irak
  korea korean koreya koreyskiy choson
  mexico mexican mexicana mexicano meksika
  brazil brazilian brasil brasileira brasileiro
  netherlands dutch nederland niederlande nederlandse
  afghanistan afghan
  albania albanian shqiperia
  algeria algerian algerie algerienne
  argentina argentine
  armenia armenian armeniya
  australia australian australie avstraliya
  austria austrian osterreich osterreichische autriche avstriya
  azerbaijan azerbaijani azerbaycan azerbaydzhan
  bahrain bahraini
  bangladesh bangladeshi
  belgium belgian belgique belgie belgiya
  bolivia bolivian boliviana
  bosnia bosnian bosna
  bulgaria bulgarian balgariya bolgariya
  burma burmese
  canada canadian kanada
  chile chilean chilena
  colombia colombian colombiana kolumbiya
  congo congolese congolaise
  croatia croatian hrvatska
  cuba cuban cubana kuba
  cyprus cypriot kipr
  denmark danish danmark daniya
  egypt egyptian egypte misr
  estonia estonian eesti estoniya
  ethiopia ethiopian
  finland finnish suomi finlyandiya
  georgia georgian gruziya sakartvelo
  greece greek hellas hellenic
  guinea guinean guinee
  hungary hungarian magyar magyarorszag vengriya
  india indian bharat indiya
  indonesia indonesian
  ireland irish
  israel israeli
  japan japanese nippon nihon yaponiya
  jordan jordanian ordon urdun
  kazakhstan kazakh qazaqstan kazakhstani kazakhskiy
  kenya kenyan
  kuwait kuwaiti
  kyrgyzstan kyrgyz kirgiziya
  latvia latvian latvija latviya
  lebanon lebanese liban livan
  libya libyan libye liviya
  lithuania lithuanian lietuva lietuvos litva
  luxembourg luxemburg
  malaysia malaysian
  mali malian malienne
  malta maltese
  moldova moldovan moldaviya
  mongolia mongolian
  montenegro montenegrin
  morocco moroccan maroc marocaine
  nepal nepalese
  nicaragua nicaraguan nicaraguense
  niger nigerien nigerienne
  nigeria nigerian
  norway norwegian norge norsk norske norvegiya
  oman omani
  pakistan pakistani
  palestine palestinian filastin
  panama panamanian
  peru peruvian peruana
  philippines philippine filipino
  poland polish polska polski polsha
  portugal portuguese portuguesa
  qatar qatari
  romania romanian rumyniya
  serbia serbian srbija srpska serbiya
  slovakia slovak slovenska slovensko
  slovenia slovenian slovenija
  somalia somali somalian
  sudan sudanese soudan
  sweden swedish sverige svenska shvetsiya
  tajikistan tajik tadzhikistan
  tanzania tanzanian
  thailand thai
  tunisia tunisian tunisie tunisienne
  turkmenistan turkmen
  uganda ugandan
  uzbekistan uzbek ozbekiston
  venezuela venezuelan venezolana venezolano
  vietnam vietnamese
  yemen yemeni
  zimbabwe zimbabwean
  europe european evropa evropeyskiy europa europeenne avrupa
  asia asian aziya asya aziatskiy
  america american americas amerika americana americaine
  africa african afrika afrique
`
  .trim()
  .split('\n')
  .map((line) => line.trim());

/**
 * Several words that stand for one, in front of everything else; the words after the colon are what they become. Long words stand
 * for all their romanisations.
 */
export const PHRASES: readonly string[] = [
  'united states of america: usa',
  'united states: usa',
  'us: usa',
  'united kingdom: uk',
  'great britain: uk',
  'united arab emirates: uae',
  'european union: eu',
  'instrument making: instrument',
  'machine building: machine',
  'ship building: shipbuilding',
  'ship yard: shipyard',
  'shipping line: shippinglines',
  'shipping lines: shippinglines',
  'tele communications: telecommunications',
  'oil and gas: oil gas',
  'neftegaz: oil gas',
  'research and production: research production',
  'r and d: research development',
  'import export: import export',
  'impex: import export',
  'importexport: import export',
  'research and production association: npo',
  'scientific and production association: npo',
  'science and production association: npo',
  'research production association: npo',
  'scientific production association: npo',
  'scientific research and production association: npo',
  'nauchno proizvodstvennoe obedinenie: npo',
  'research and production enterprise: npp',
  'scientific and production enterprise: npp',
  'science and production enterprise: npp',
  'research production enterprise: npp',
  'scientific production enterprise: npp',
  'scientific research and production enterprise: npp',
  'nauchno proizvodstvennoe predpriyatie: npp',
  'research and production corporation: npk',
  'research and production complex: npk',
  'scientific and production corporation: npk',
  'scientific and production complex: npk',
  'science and production corporation: npk',
  'science and production complex: npk',
  'research production corporation: npk',
  'research production complex: npk',
  'scientific production corporation: npk',
  'scientific production complex: npk',
  'scientific research and production corporation: npk',
  'scientific research and production complex: npk',
  'nauchno proizvodstvennaya korporatsiya: npk',
  'nauchno proizvodstvennyy kompleks: npk',
  'research and production firm: npf',
  'scientific and production firm: npf',
  'science and production firm: npf',
  'research production firm: npf',
  'scientific production firm: npf',
  'scientific research and production firm: npf',
  'nauchno proizvodstvennaya firma: npf',
  'research and production center: npts',
  'research and production centre: npts',
  'scientific and production center: npts',
  'scientific and production centre: npts',
  'science and production center: npts',
  'science and production centre: npts',
  'research production center: npts',
  'research production centre: npts',
  'scientific production center: npts',
  'scientific production centre: npts',
  'scientific research and production center: npts',
  'scientific research and production centre: npts',
  'nauchno proizvodstvennyy tsentr: npts',
  'npc: npts',
  'konstruktorskoe byuro: design bureau',
  'opytno konstruktorskoe byuro: design bureau',
  'opytnoe konstruktorskoe byuro: design bureau',
  'spetsialnoe konstruktorskoe byuro: special design bureau',
  'tsentralnoe konstruktorskoe byuro: central design bureau',
  'konstruktorskoe buro: design bureau',
  'opytno konstruktorskoe buro: design bureau',
  'opytnoe konstruktorskoe buro: design bureau',
  'spetsialnoe konstruktorskoe buro: special design bureau',
  'tsentralnoe konstruktorskoe buro: central design bureau',
  'kb: design bureau',
  'experimental kb: design bureau',
  'special kb: special design bureau',
  'central kb: central design bureau',
  'okb: design bureau',
  'experimental design bureau: design bureau',
  'pilot design bureau: design bureau',
  'skb: special design bureau',
  'tskb: central design bureau',
  'cdb: central design bureau',
  'nauchno issledovatelskiy institut: research institute',
  'nii: research institute',
  'scientific research institute: research institute',
  'tsnii: central research institute',
  'cnii: central research institute',
  'tsentralnyy nauchno issledovatelskiy institut: central research institute',
  'vnii: all russian research institute',
  'all russia research institute: all russian research institute',
  'all russian scientific research institute: all russian research institute',
  'gnts: state research center',
  'chvk: pmc',
  'private military company: pmc',
  'chastnaya voennaya kompaniya: pmc',
  'named after: imeni',
  'named by: imeni',
  'named for: imeni',
  'by name: imeni',
  'in the name of: imeni',
  'im: imeni',
  'islamic republic of iran: iran',
  'republic islamic iran: iran',
  'republic iran al islamic: iran',
  'republic al arab al syria: syria',
  'russian federation: russia',
  'people s republic of china: china',
  'bolivarian republic of venezuela: venezuela',
  'syrian arab republic: syria',
  'republic of belarus: belarus',
  'republic of turkey: turkey',
  'republic of turkiye: turkey',
  'socialist republic of vietnam: vietnam',
  'democratic people s republic of korea: north korea',
  'dprk: north korea',
  'kingdom of saudi arabia: saudi arabia',
  'republic of iraq: iraq',
  'republic of cuba: cuba',
  'republic of kazakhstan: kazakhstan',
  'republic of uzbekistan: uzbekistan',
  'islamic republic of pakistan: pakistan',
  'lebanese republic: lebanon',
  'republic of lebanon: lebanon',
  'republic of the union of myanmar: myanmar',
  'arab republic of egypt: egypt',
  'republic of india: india',
  'republic of nicaragua: nicaragua',
  'state of qatar: qatar',
  'state of kuwait: kuwait',
  'lil: for',
  'lel: for',
  'people s: people',
];

/**
 * Words of trade and state in Arabic and Persian, which a script without vowels would leave to their consonants, and what they
 * mean; without their article, and with any of the letters that stand for one another (unifyArabic).
 */
export const WORDS_IN_ARABIC_SCRIPT: Readonly<Record<string, string>> = {
  trade: 'تجارة تجارية تجاري تجارت بازرگانی',
  general: 'عامة عام عمومی',
  industry: 'صناعة صناعات صناعية صنایع صنعت صنعتی',
  contracting: 'مقاولات پیمانکاری',
  construction: 'انشاءات انشائية ساختمانی ساختمان',
  engineering: 'هندسة هندسية مهندسی',
  import: 'استيراد واردات',
  export: 'تصدير صادرات',
  transport: 'نقل حمل',
  shipping: 'ملاحة کشتیرانی',
  marine: 'بحرية بحري دریایی',
  ports: 'موانئ بنادر',
  railways: 'سكك راه‌آهن',
  bank: 'بنك بانک مصرف',
  exchange: 'صرافة صرافی صيرفة',
  insurance: 'تأمين بیمه',
  investment: 'استثمار استثمارات استثمارية سرمایه‌گذاری',
  finance: 'مالية مالی تمويل',
  economic: 'اقتصادية اقتصادي اقتصادی',
  development: 'تنمية توسعه تطوير',
  reconstruction: 'اعمار بازسازی',
  international: 'دولية دولي عالمية بین‌المللی',
  national: 'وطنية وطني ملی قومية',
  state: 'حكومية دولتی',
  central: 'مركزية مركزي مرکزی',
  united: 'متحدة متحده',
  islamic: 'اسلامية اسلامي اسلامی',
  republic: 'جمهورية جمهوری',
  people: 'شعبية شعبي مردمی',
  arab: 'عربية عربي عربی',
  oil: 'نفط نفت نفطية',
  gas: 'غاز گاز',
  energy: 'طاقة انرژی',
  atomic: 'ذرية اتمی',
  electricity: 'كهرباء برق',
  refining: 'تكرير پالایش',
  refinery: 'مصفاة پالایشگاه',
  petrochemical: 'بتروكيماويات بتروكيماوية پتروشیمی',
  chemical: 'كيماوية كيميائية شیمیایی',
  minerals: 'معادن',
  mining: 'تعدين معدنی',
  cement: 'اسمنت سیمان',
  steel: 'فولاد صلب',
  iron: 'حديد آهن',
  electronics: 'الكترونيات الكترونية الکترونیک',
  communications: 'اتصالات ارتباطات',
  telecommunications: 'مخابرات',
  information: 'معلومات اطلاعات',
  technology: 'تكنولوجيا تقنية فناوری',
  science: 'علوم علمية علمی',
  research: 'بحوث ابحاث تحقیقات پژوهش پژوهشی',
  services: 'خدمات',
  aviation: 'هوانوردی طيران',
  airlines: 'هواپیمایی',
  aerospace: 'هوافضا',
  automotive: 'سيارات خودرو',
  agriculture: 'زراعة زراعية کشاورزی',
  food: 'اغذية غذائية غذایی',
  textile: 'نسيج نساجی',
  pharmaceutical: 'ادوية دوائية دارویی',
  medical: 'طبية پزشکی',
  tourism: 'سياحة سياحية گردشگری',
  media: 'اعلام اعلامية رسانه',
  television: 'تلفزيون تلویزیون',
  group: 'مجموعة گروه',
  holding: 'قابضة هلدینگ',
  factory: 'مصنع معمل کارخانه کارخانجات',
  organization: 'منظمة سازمان هيئة',
  ministry: 'وزارة وزارت',
  council: 'مجلس شورای',
  committee: 'لجنة کمیته',
  center: 'مركز مرکز',
  institute: 'معهد پژوهشگاه موسسه',
  university: 'جامعة دانشگاه',
  foundation: 'بنیاد',
  fund: 'صندوق',
  association: 'جمعية انجمن',
  union: 'اتحاد اتحادیه',
  party: 'حزب',
  movement: 'حركة جنبش نهضت',
  front: 'جبهة',
  army: 'جيش ارتش',
  brigades: 'كتائب الوية',
  resistance: 'مقاومة مقاومت',
  revolution: 'ثورة ثورية انقلاب',
  liberation: 'تحرير آزادی‌بخش',
  defense: 'دفاع دفاعی',
  military: 'عسكرية نظامی',
  security: 'امنية امنیت امنیتی',
  charity: 'خيرية خیریه',
  relief: 'اغاثة امداد',
  humanitarian: 'انسانية',
  new: 'جديدة جدید',
  iran: 'ايران ایرانی ايرانية',
  iraq: 'عراق عراقية',
  syria: 'سوريا سورية سوریه',
  lebanon: 'لبنان لبنانية',
  yemen: 'يمن يمنية',
  libya: 'ليبيا ليبية',
  sudan: 'سودان سودانية',
  egypt: 'مصرية',
  palestine: 'فلسطين فلسطينية',
  qatar: 'قطرية',
  saudi: 'سعودية',
  kuwait: 'كويت كويتية',
  uae: 'امارات اماراتية',
  afghanistan: 'افغانستان',
};
