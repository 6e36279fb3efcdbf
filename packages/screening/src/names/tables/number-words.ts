// Numbers in names: words of several languages, ordinals, Roman numerals.

const ENGLISH = `
  one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen
`;

/** Words for 1 and up, each line from its first number on, in folded letters. */
export const COUNTING_WORDS: readonly (readonly [from: number, words: string])[] = [
  [1, ENGLISH],
  [
    1,
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth',
  ],
  [16, 'sixteenth seventeenth eighteenth nineteenth twentieth'],
  [1, 'erste zweite dritte vierte funfte sechste siebte achte neunte zehnte'],
  [1, 'erster zweiter dritter vierter funfter sechster siebter achter neunter zehnter'],
  [2, 'zwei drei vier funf sechs sieben acht neun zehn elf zwolf'],
  [1, 'premiere deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme'],
  [2, 'deux trois quatre cinq'],
  [1, 'primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo'],
  [1, 'primera segunda tercera cuarta quinta sexta septima octava novena decima'],
  [2, 'dos tres cuatro cinco seis siete ocho nueve diez'],
  [2, 'due tre quattro cinque sei sette otto nove dieci'],
  [1, 'primo secondo terzo quarto'],
  [1, 'primeiro segundo terceiro quarto quinto'],
  [1, 'pervyy vtoroy tretiy chetvertyy pyatyy shestoy sedmoy vosmoy devyatyy desyatyy'],
  [1, 'pervaya vtoraya tretya chetvertaya pyataya shestaya sedmaya vosmaya devyataya desyataya'],
  [1, 'pervoe vtoroe trete chetvertoe pyatoe shestoe sedmoe vosmoe devyatoe desyatoe'],
  [2, 'dva tri chetyre pyat shest sem vosem devyat desyat'],
  [1, 'birinci ikinci ucuncu dorduncu besinci altinci yedinci sekizinci dokuzuncu onuncu'],
  [1, 'pertama kedua ketiga keempat kelima'],
  [1, 'eerste tweede derde vierde vijfde'],
];

/** Tens that a unit may follow, as in forty four, with misspellings. */
export const TENS: readonly (readonly [value: number, words: string])[] = [
  [20, 'twenty dvadtsat dvadtsatyy dvadtsataya veinte vingt zwanzig yirmi'],
  [30, 'thirty thirtieth tridtsat tridtsatyy tridtsataya treinta trente dreissig otuz'],
  [40, 'forty fourty fortieth sorok sorokovoy cuarenta quarante vierzig'],
  [50, 'fifty fiftieth pyatdesyat cincuenta cinquante funfzig'],
  [60, 'sixty sixtieth shestdesyat sesenta soixante sechzig altmis'],
  [70, 'seventy seventieth semdesyat setenta siebzig yetmis'],
  [80, 'eighty eightieth vosemdesyat ochenta achtzig seksen'],
  [90, 'ninety ninty ninetieth devyanosto noventa neunzig doksan'],
];
