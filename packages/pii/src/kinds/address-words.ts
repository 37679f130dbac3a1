import { isDigit } from '../text/characters.ts';

/** `end` is before the commas and full stops at its end. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** Without commas. */
  readonly text: string;
  /** In lower case, without full stops at its end. */
  readonly plain: string;
}

export const longestWord = 24;

/** Whether a sign ends a word; comma and full stop do not. */
export function endsWord(unit: number): boolean {
  if (Number.isNaN(unit) || unit <= 34 || unit === 0xa0 || unit === 0x202f || unit === 0x201c || unit === 0x201d)
    return true;
  return unit < 128 && stops.includes(unit);
}

const stops = [...'()[]{}<>|=;:!?*"`$%&+~@\\_'].map((character) => character.charCodeAt(0));

const isSpace = (unit: number): boolean => unit === 32 || unit === 0xa0;

function makeWord(text: string, start: number, end: number): Word {
  let last = end;
  while (text[last - 1] === ',') last--;
  const whole = text.slice(start, last);
  let plainEnd = whole.length;
  while (whole[plainEnd - 1] === '.') plainEnd--;
  return { start, end: start + plainEnd, text: whole, plain: whole.slice(0, plainEnd).toLowerCase() };
}

/** The nearest first, of at most 24 units each. */
export function wordsBefore(text: string, at: number, count: number): Word[] {
  const words: Word[] = [];
  while (words.length < count) {
    let end = at;
    while (isSpace(text.charCodeAt(end - 1)) && at - end < 3) end--;
    if (end === at && (text[end - 1] !== '.' || isDigit(text.charCodeAt(end - 2)))) break;
    let start = end;
    while (end - start < longestWord && !endsWord(text.charCodeAt(start - 1))) start--;
    if (start === end || end - start === longestWord) break;
    words.push(makeWord(text, start, end));
    at = start;
  }
  return words;
}

/** At most 24 units each; a word that a comma ends is the last. */
export function wordsAfter(text: string, at: number, count: number): Word[] {
  const words: Word[] = [];
  while (words.length < count) {
    let start = at;
    while (isSpace(text.charCodeAt(start)) && start - at < 3) start++;
    if (start === at) break;
    let end = start;
    while (end - start < longestWord && !endsWord(text.charCodeAt(end))) end++;
    if (start === end || end - start === longestWord) break;
    words.push(makeWord(text, start, end));
    if (text[end - 1] === ',') break;
    at = end;
  }
  return words;
}

export function isCapital({ text }: Word): boolean {
  const unit = text.charCodeAt(0);
  return unit < 128 ? unit >= 65 && unit <= 90 : /^\p{Lu}/u.test(text);
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

/** Kinds of streets behind the name in English: `12 Oak Lane`. */
export const englishTypes = setOf(`
  street st road rd avenue ave av boulevard blvd lane ln drive dr court ct place pl square sq terrace ter way close
  crescent cres parkway pkwy highway hwy circle cir trail trl row mews grove gardens walk hill quay plaza parade
  esplanade alley loop turnpike pike green rise view wharf vale bypass causeway broadway expressway`);

/** Words of the next two that mean a street even if nothing has a capital letter. */
export const plainTypes = setOf('rue calle rua rúa avenida avda utca útja út ulica ulitsa straße strasse');

/** Kinds of streets before the name: `rue de Rivoli 5`, `5 rue de Rivoli`. */
export const leadingTypes = setOf(`
  rue avenue av avda avd avenida boulevard bd blvd bulevar chemin allée impasse quai calle c/ cl carrer carrera rúa rua
  travessa estrada alameda praça viale vicolo piazza piazzetta piazzale lungomare contrada strada calea bulevardul
  paseo pº camino ronda ul ulica ulice al aleja aleje os nám náměstí trg cesta str οδός λεωφόρος πλατεία улица ул
  проспект пр-т бульвар jalan jl rruga ulitsa wharf`);

/** Further kinds before the name, which mean something else in English without a capital letter. */
export const capitalLeadingTypes = setOf('Via Corso Largo Plaza Place Cours Passage Piața R. Quinta');

/** Kinds of streets that are a word of their own between the name and the number: `Rákóczi út 13`. */
export const trailingTypes = setOf(`
  straße strasse str platz allee weg gata gatan gate gt vei veg väg vägen vej allé plads tee mnt pst tn tänav katu tie
  straat laan weg plein st ave rd u út útja utca tér tere krt körút köz ulica ulice cesta street road avenue boulevard
  terrasse terrassen plass plassen torg torget torv have stræde bulevard bulevardi sokak caddesi sk cd iela gatve g`);

/** Ends of words that are a street's name and kind in one: `Koskikatu 25`. None is how English words end. */
export const joinedTypes =
  /(?:stra(?:ß|ss)e|gasse|gässli|[a-zäöü]{2}weg|platz|allee|[^g]gata|gatan|[a-zøæå]gaten|[a-zåäö]väg(?:en)?|[a-zøæå]ve[ij](?:en)?|ve[ig]en|[rsnld]gade|plads|stræde|stræti|vegur|götu|katu|[aäi]ntie|kuja|polku|raitti|straat|[a-z]{2}laan|plein|dreef|singel|gracht|steeg|kade|grand|gränd|stigen|backen|bakken|bergsvej|utca)$/iu;

export const sureUnits = setOf('apt apartment suite ste flat appt appartement');
export const units = setOf('unit room rm floor fl bldg building block box psc');

/** Boxes at a post office, in a word. `PO Box` is two. */
export const boxWords = setOf('postbox postboks postfach postbus pobox casilla apartado postilokero skrytka');

/** Small words inside of names of streets and towns. */
export const connectives = setOf(`
  de del della delle dei degli di da do dos das du des la las le les lo los el al et e i y und u am an der den dem zu
  zum zur im in auf bei the of and upon nad na na van von op aan ten ter ibn ben bin d' l' à of-the sur sous saint`);

/** Words that often have a capital letter and a number behind them, and name no street. */
export const notStreets = setOf(`
  january february march april may june july august september october november december jan feb mar apr jun jul aug sep
  sept oct nov dec monday tuesday wednesday thursday friday saturday sunday spring summer autumn fall winter
  chapter section figure fig table page part step version volume vol item issue level line phase stage article art act
  title lesson unit question answer note rule example exercise episode season round game week day month year quarter
  number no nr group class grade type model series option case room page row column test task point task ticket order
  invoice version release build port error code status http https python node java windows ubuntu debian ios android
  php ruby go rust swift postgres mysql redis gpt claude gemini llama pentium core intel ryzen route highway interstate
  flight gate track bus train psalm genesis matthew luke john formula boeing airbus apollo covid since until about over
  under around only just exactly nearly almost approximately total sum score top best the this that these those from
  with and for was were are has have had between than in on at by to of or is it its if then else return when where
  why how what who which max min roughly section appendix annex schedule clause paragraph footnote slide sheet
  rfc iso din utf cve pep ecma port ipv byte bit`);

export const countries: ReadonlySet<string> = new Set(
  `afghanistan|albania|algeria|andorra|angola|argentina|armenia|australia|austria|azerbaijan|bahamas|bahrain|bangladesh|barbados|
belarus|belgium|belize|benin|bhutan|bolivia|bosnia and herzegovina|botswana|brazil|brunei|bulgaria|burkina faso|burundi|cambodia|
cameroon|canada|cape verde|chad|chile|china|colombia|comoros|congo|costa rica|croatia|cuba|cyprus|czechia|czech republic|denmark|
djibouti|dominica|dominican republic|ecuador|egypt|el salvador|england|eritrea|estonia|eswatini|ethiopia|fiji|finland|france|gabon|
gambia|georgia|germany|ghana|great britain|greece|greenland|grenada|guatemala|guinea|guyana|haiti|honduras|hong kong|hungary|
iceland|india|indonesia|iran|iraq|ireland|israel|italy|ivory coast|jamaica|japan|jordan|kazakhstan|kenya|kosovo|kuwait|kyrgyzstan|
laos|latvia|lebanon|lesotho|liberia|libya|liechtenstein|lithuania|luxembourg|macedonia|madagascar|malawi|malaysia|maldives|mali|
malta|mauritania|mauritius|mexico|moldova|monaco|mongolia|montenegro|morocco|mozambique|myanmar|namibia|nepal|netherlands|
new zealand|nicaragua|niger|nigeria|north korea|north macedonia|northern ireland|norway|oman|pakistan|panama|papua new guinea|
paraguay|peru|philippines|poland|portugal|puerto rico|qatar|romania|russia|rwanda|samoa|san marino|saudi arabia|scotland|senegal|
serbia|seychelles|sierra leone|singapore|slovakia|slovenia|somalia|south africa|south korea|south sudan|spain|sri lanka|sudan|
suriname|sweden|switzerland|syria|taiwan|tajikistan|tanzania|thailand|togo|trinidad and tobago|tunisia|turkey|
turkmenistan|uganda|ukraine|united arab emirates|united kingdom|united states|united states of america|uruguay|usa|uk|uzbekistan|
vatican city|venezuela|vietnam|wales|yemen|zambia|zimbabwe`
    .replaceAll('\n', '')
    .split('|'),
);

export const usStates: ReadonlySet<string> = new Set(
  `AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT
VA WA WV WI WY DC AS GU MP PR VI AA AE AP`.split(/\s+/),
);
