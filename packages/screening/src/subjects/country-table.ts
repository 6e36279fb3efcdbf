// Countries and territories of ISO 3166-1, and Kosovo: both codes and English names in use.

/**
 * One per line: two letters, three letters, and names separated by `|`. Ignored unless ambiguous:
 * case, accents, word order, `the`, `of`, `and`, and words such as `Republic of …` and `Kingdom of
 * …`.
 */
export const COUNTRY_TABLE = `
ad and Andorra
ae are United Arab Emirates|UAE|Emirates
af afg Afghanistan
ag atg Antigua and Barbuda
ai aia Anguilla
al alb Albania
am arm Armenia
ao ago Angola
aq ata Antarctica
ar arg Argentina|Argentine Republic
as asm American Samoa
at aut Austria
au aus Australia
aw abw Aruba
ax ala Åland Islands|Åland
az aze Azerbaijan
ba bih Bosnia and Herzegovina|Bosnia|Bosnia-Hercegovina
bb brb Barbados
bd bgd Bangladesh
be bel Belgium
bf bfa Burkina Faso|Burkina|Upper Volta
bg bgr Bulgaria
bh bhr Bahrain
bi bdi Burundi
bj ben Benin|Dahomey
bl blm Saint Barthélemy
bm bmu Bermuda
bn brn Brunei|Brunei Darussalam
bo bol Bolivia
bq bes Bonaire, Sint Eustatius and Saba|Caribbean Netherlands|Bonaire
br bra Brazil
bs bhs Bahamas
bt btn Bhutan
bv bvt Bouvet Island
bw bwa Botswana
by blr Belarus|Byelorussia
bz blz Belize
ca can Canada
cc cck Cocos (Keeling) Islands|Cocos Islands|Keeling Islands
cd cod Democratic Republic of the Congo|DR Congo|DRC|Congo-Kinshasa|Congo (Kinshasa)|Zaire
cf caf Central African Republic|CAR
cg cog Congo|Republic of the Congo|Congo-Brazzaville|Congo (Brazzaville)
ch che Switzerland|Swiss Confederation
ci civ Côte d'Ivoire|Cote d Ivoire|Ivory Coast
ck cok Cook Islands
cl chl Chile
cm cmr Cameroon
cn chn China|PRC|PR China|Mainland China
co col Colombia
cr cri Costa Rica
cu cub Cuba
cv cpv Cabo Verde|Cape Verde
cw cuw Curaçao
cx cxr Christmas Island
cy cyp Cyprus
cz cze Czechia|Czech Republic
de deu Germany|German Democratic Republic|East Germany|West Germany
dj dji Djibouti
dk dnk Denmark
dm dma Dominica
do dom Dominican Republic
dz dza Algeria
ec ecu Ecuador
ee est Estonia
eg egy Egypt
eh esh Western Sahara
er eri Eritrea
es esp Spain
et eth Ethiopia
fi fin Finland
fj fji Fiji
fk flk Falkland Islands|Falkland Islands (Malvinas)
fm fsm Micronesia
fo fro Faroe Islands|Faeroe Islands
fr fra France|French Republic
ga gab Gabon|Gabonese Republic
gb gbr United Kingdom|United Kingdom of Great Britain and Northern Ireland|Great Britain|Britain|UK|England|Scotland|Wales|Northern Ireland
gd grd Grenada
ge geo Georgia
gf guf French Guiana
gg ggy Guernsey
gh gha Ghana
gi gib Gibraltar
gl grl Greenland
gm gmb Gambia
gn gin Guinea|Guinea-Conakry
gp glp Guadeloupe
gq gnq Equatorial Guinea
gr grc Greece|Hellenic Republic
gs sgs South Georgia and the South Sandwich Islands
gt gtm Guatemala
gu gum Guam
gw gnb Guinea-Bissau
gy guy Guyana
hk hkg Hong Kong|Hong Kong SAR|China, Hong Kong|China, Hong Kong SAR|Hong Kong Special Administrative Region|Hong Kong Special Administrative Region of China
hm hmd Heard Island and McDonald Islands|Heard and McDonald Islands
hn hnd Honduras
hr hrv Croatia
ht hti Haiti
hu hun Hungary
id idn Indonesia
ie irl Ireland|Eire
il isr Israel
im imn Isle of Man
in ind India
io iot British Indian Ocean Territory
iq irq Iraq
ir irn Iran|Persia
is isl Iceland
it ita Italy|Italian Republic
je jey Jersey
jm jam Jamaica
jo jor Jordan
jp jpn Japan
ke ken Kenya
kg kgz Kyrgyzstan|Kyrgyz Republic
kh khm Cambodia|Kampuchea
ki kir Kiribati
km com Comoros
kn kna Saint Kitts and Nevis
kp prk North Korea|Democratic People's Republic of Korea|DPRK
kr kor South Korea|Republic of Korea|ROK
kw kwt Kuwait
ky cym Cayman Islands
kz kaz Kazakhstan
la lao Laos|Lao PDR|Lao People's Democratic Republic
lb lbn Lebanon|Lebanese Republic
lc lca Saint Lucia
li lie Liechtenstein
lk lka Sri Lanka|Ceylon
lr lbr Liberia
ls lso Lesotho
lt ltu Lithuania
lu lux Luxembourg
lv lva Latvia
ly lby Libya|Libyan Arab Jamahiriya
ma mar Morocco
mc mco Monaco
md mda Moldova|Moldavia
me mne Montenegro
mf maf Saint Martin|Saint Martin (French part)
mg mdg Madagascar
mh mhl Marshall Islands
mk mkd North Macedonia|Macedonia|Former Yugoslav Republic of Macedonia|FYROM
ml mli Mali
mm mmr Myanmar|Burma|Myanmar (Burma)|Burma (Myanmar)
mn mng Mongolia
mo mac Macao|Macau|Macao SAR|Macau SAR|China, Macao|China, Macau|China, Macao SAR|Macao Special Administrative Region of China|China, Macao Special Administrative Region
mp mnp Northern Mariana Islands
mq mtq Martinique
mr mrt Mauritania
ms msr Montserrat
mt mlt Malta
mu mus Mauritius
mv mdv Maldives
mw mwi Malawi
mx mex Mexico|United Mexican States
my mys Malaysia
mz moz Mozambique
na nam Namibia
nc ncl New Caledonia
ne ner Niger
nf nfk Norfolk Island
ng nga Nigeria
ni nic Nicaragua
nl nld Netherlands|Holland
no nor Norway
np npl Nepal
nr nru Nauru
nu niu Niue
nz nzl New Zealand
om omn Oman
pa pan Panama
pe per Peru
pf pyf French Polynesia
pg png Papua New Guinea
ph phl Philippines
pk pak Pakistan
pl pol Poland
pm spm Saint Pierre and Miquelon
pn pcn Pitcairn|Pitcairn Islands
pr pri Puerto Rico
ps pse Palestine|Palestinian|Palestinian Territory|Palestinian Territories|Occupied Palestinian Territory|Occupied Palestinian Territories|Palestinian Authority|Palestinian National Authority|West Bank|Gaza|Gaza Strip|West Bank and Gaza|West Bank and Gaza Strip
pt prt Portugal|Portuguese Republic
pw plw Palau
py pry Paraguay
qa qat Qatar
re reu Réunion
ro rou Romania
rs srb Serbia
ru rus Russia|Russian Federation
rw rwa Rwanda|Rwandese Republic
sa sau Saudi Arabia
sb slb Solomon Islands
sc syc Seychelles
sd sdn Sudan
se swe Sweden
sg sgp Singapore
sh shn Saint Helena, Ascension and Tristan da Cunha|Saint Helena
si svn Slovenia
sj sjm Svalbard and Jan Mayen
sk svk Slovakia|Slovak Republic
sl sle Sierra Leone
sm smr San Marino
sn sen Senegal
so som Somalia
sr sur Suriname|Surinam
ss ssd South Sudan
st stp São Tomé and Príncipe
sv slv El Salvador
sx sxm Sint Maarten|Sint Maarten (Dutch part)
sy syr Syria|Syrian Arab Republic
sz swz Eswatini|Swaziland
tc tca Turks and Caicos Islands|Turks and Caicos
td tcd Chad
tf atf French Southern Territories
tg tgo Togo|Togolese Republic
th tha Thailand
tj tjk Tajikistan
tk tkl Tokelau
tl tls Timor-Leste|East Timor
tm tkm Turkmenistan
tn tun Tunisia
to ton Tonga
tr tur Türkiye|Turkey
tt tto Trinidad and Tobago|Trinidad
tv tuv Tuvalu
tw twn Taiwan|Republic of China|Taiwan, Province of China|Chinese Taipei
tz tza Tanzania
ua ukr Ukraine
ug uga Uganda
um umi United States Minor Outlying Islands
us usa United States|United States of America|America
uy ury Uruguay
uz uzb Uzbekistan
va vat Vatican City|Vatican|Holy See|Holy See (Vatican City State)
vc vct Saint Vincent and the Grenadines|Saint Vincent
ve ven Venezuela
vg vgb British Virgin Islands|BVI
vi vir U.S. Virgin Islands|United States Virgin Islands|Virgin Islands of the United States
vn vnm Vietnam|Viet Nam
vu vut Vanuatu
wf wlf Wallis and Futuna
ws wsm Samoa|Western Samoa
xk xkx Kosovo
ye yem Yemen|South Yemen
yt myt Mayotte
za zaf South Africa
zm zmb Zambia
zw zwe Zimbabwe|Rhodesia`;

/**
 * Withdrawn and unofficial codes that denote exactly one present country. Codes of dissolved
 * countries, such as the Soviet Union, denote none.
 */
export const OTHER_CODES: Readonly<Record<string, string>> = {
  ...{ bu: 'mm', dd: 'de', dy: 'bj', fx: 'fr', hv: 'bf', nh: 'vu', rh: 'zw', tp: 'tl', uk: 'gb', vd: 'vn', yd: 'ye' },
  ...{ zr: 'cd', bur: 'mm', ddr: 'de', rho: 'zw', rks: 'xk', rom: 'ro', tmp: 'tl', ymd: 'ye', zar: 'cd' },
};
