const listed = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that have a capital only because they begin a sentence, a letter or a label. No name begins with one or goes on over one. */
export const leadingWords = listed(
  'a an the this that these those my your his her its our their i you he she it we they who what when where why how which whose if in on at for from to with by of as and but or nor so yet not no yes is are was were be do does did has have had can could will would shall should may might must let please thanks thank dear hi hello hey ok okay here there then now all any each every some both few many most other such only own same than too very just also about after before between under over again once during while because until since new old big first last next mr mrs ms miss mx dr prof professor sir madam sorry glad happy happily afraid sure aunt uncle herr frau mme monsieur madame answer user assistant system customer patient name contact address author im youre hes shes were theyre ive weve dont isnt lets monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december der die das ein eine le la les un une el los las una il lo gli',
);

export const organisationWords = listed(
  'inc llc ltd gmbh corp co company group orchestra investments systems solutions software technologies university college school street st avenue ave road rd drive lane boulevard bridge river lake park award prize act test method algorithm foundation institute hospital bank museum church square airport station industries partners associates brothers sons network networks media labs house hotel cup stadium job block else line valid top post command copyright supports bar royal princess claude gemini gpt',
);

/** First names of many languages that English has as words. */
export const ambiguousWords = listed('art bill mark page rich rob');

export const particles = listed('van von de der den da di del la el al bin ibn ten dos du le zu');
