// Countries and regions in organizations' names. They state the location and only partly the
// identity.
import { words } from './words.ts';

export const PLACE_WORDS = words(`
  afghanistan albania algeria algerie andorra angola argentina armenia australia austria azerbaijan bahamas bahrain
  bangladesh barbados belarus belgium belgique belgie belize benin bhutan bolivia bosnia herzegovina botswana brazil brasil
  brunei bulgaria burma burundi cambodia cameroon canada chile china colombia comoros congo croatia hrvatska cuba cyprus
  czech czechia denmark danmark djibouti dominica dominican dprk ecuador egypt egypte eritrea estonia eesti ethiopia fiji
  finland suomi france gabon gambia georgia germany deutschland ghana greece hellas guatemala guinea guyana haiti honduras
  hungary iceland india indonesia iran iraq irak ireland israel italy italia jamaica japan nippon jordan kazakhstan kenya
  korea kosovo kuwait kyrgyzstan laos latvia latvija lebanon liban lesotho liberia libya liechtenstein lithuania lietuva
  luxembourg luxemburg macedonia madagascar malawi malaysia maldives mali malta mauritania mauritius mexico moldova monaco
  mongolia montenegro morocco maroc mozambique myanmar namibia nepal netherlands nederland holland nicaragua niger nigeria
  norway norge oman pakistan palestine panama papua paraguay peru philippines poland polska portugal qatar romania russia
  rossiya rossii rwanda samoa senegal serbia srbija seychelles singapore slovakia slovenia somalia spain espana sudan
  suriname swaziland sweden sverige switzerland schweiz suisse svizzera syria tajikistan tanzania thailand togo tonga
  tunisia tunisie turkey turkiye turkmenistan uganda ukraine uk uae usa uruguay uzbekistan vanuatu vatican venezuela vietnam
  yemen zambia zimbabwe
  russian iranian chinese syrian turkish ukrainian german french british american korean japanese indian saudi egyptian
  lebanese libyan sudanese yemeni iraqi pakistani afghan belarusian kazakh
  albanian algerian argentine armenian australian austrian azerbaijani bahraini bangladeshi belgian bolivian bosnian bulgarian
  burmese canadian chilean colombian congolese croatian cuban cypriot danish dutch estonian ethiopian finnish georgian greek
  hellenic guinean hungarian indonesian irish israeli italian jordanian kenyan kuwaiti kyrgyz latvian lithuanian malaysian
  malian maltese mexican moldovan mongolian montenegrin moroccan nepalese nicaraguan nigerien nigerian norwegian omani
  palestinian panamanian peruvian philippine polish portuguese qatari romanian serbian slovak slovenian somali spanish swedish
  swiss tajik tanzanian thai tunisian turkmen ugandan uzbek venezuelan vietnamese zimbabwean
  europe europa asia africa america americas arabia emirates scandinavia balkans caucasus siberia crimea
  london paris moscow moskva berlin tehran beijing shanghai hongkong dubai istanbul geneva zurich tokyo delhi mumbai
`);
