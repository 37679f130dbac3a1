const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

/** Kinds of streets behind the name in English: `12 Oak Lane`. */
export const englishTypes = setOf(`
  street st road rd avenue ave av boulevard blvd lane ln drive dr court ct place pl square sq terrace ter way close
  crescent cres parkway pkwy highway hwy circle cir trail trl row mews grove gardens walk hill quay plaza parade
  esplanade alley loop turnpike pike green rise view wharf vale bypass causeway broadway expressway`);

/** Those of the next two that mean a street even if nothing has a capital letter. */
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

/** Names for a part of a building. The first ones have hardly another meaning. */
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
