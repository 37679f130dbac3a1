/** Names of countries in English addresses, in lower case. */
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
suriname|sweden|switzerland|syria|taiwan|tajikistan|tanzania|thailand|the netherlands|togo|trinidad and tobago|tunisia|turkey|
turkmenistan|uganda|ukraine|united arab emirates|united kingdom|united states|united states of america|uruguay|usa|uk|uzbekistan|
vatican city|venezuela|vietnam|wales|yemen|zambia|zimbabwe`
    .replaceAll('\n', '')
    .split('|'),
);

/** Two-letter codes of the states and territories of the USA, and of its military mail. */
export const usStates: ReadonlySet<string> = new Set(
  `AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT
VA WA WV WI WY DC AS GU MP PR VI AA AE AP`.split(/\s+/),
);
