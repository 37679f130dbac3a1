/**
 * What names of members, and values of `type`, mean in a vendor's JSON; words with spaces between them, some of them
 * patterns. A vendor's words count in all dialects, since servers take each other's.
 */
export interface VendorWords {
  /** Members whose string names something, if it looks like a name. */
  labels?: string;
  /** Members that hold files, addresses of files, or what is signed. */
  media?: string;
  /** Input and output of tools: the keys in there are the tool's own, whatever the API means by the same names. */
  free?: string;
  /** JSON of an agent's own in a conversation, in which keys mean nothing to the provider. */
  opaque?: string;
  /** Members of a conversation that bring no picture, sound or file, and no reference to one. */
  plain?: string;
  /** Further members that are files if what they hold, or what is around them, looks like it. */
  files?: string;
  /** Members whose numbers are tokens of a text, or their bytes. */
  tokens?: string;
  /** Types of parts of a conversation that are text, whatever else the API calls them. */
  plainTypes?: string;
  /** Members by which protocols name things: what they say stays as it is. */
  named?: string;
  /** Objects whose `name` the caller chose for the API: by their own name, by their type, and by their role. */
  toolHolders?: string;
  toolTypes?: string;
  toolRoles?: string;
  /** Lists of names of tools and parameters. */
  nameLists?: string;
  /** Objects whose members are named like parameters, tools and schemas. */
  nameTables?: string;
  /** Members of requests and tools by which they name or find models and tools. */
  naming?: string;
  /** Members of a large answer that are read from its end, behind its data. */
  trailing?: string;
  /** A member that signs what stands beside it. */
  signatures?: string;
  /** Members that their provider alone can read, and types of objects whose `data` is such. */
  sealed?: string;
  sealedTypes?: string;
  /** Types of thoughts of a model that are always signed, and of those that may be; members of code that its provider ran. */
  thoughts?: string;
  signable?: string;
  ranCode?: string;
  /** Lists whose texts a vendor joins, and further ones whose elements each frame of a stream gives anew. */
  parts?: string;
  grown?: string;
  /** Members of frames that go on with a text. */
  continued?: string;
  /** Frames that tell of an answer as a whole, by their type: no other goes on with their texts. */
  wholeFrames?: string;
}
