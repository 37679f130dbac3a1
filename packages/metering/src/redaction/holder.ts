/** An object or array that is open, and what tells it from its likes. */
export interface Holder {
  parent: Holder | null;
  /** Its member in the object around it, or its place in a list. */
  name: string;
  isArray: boolean;
  /** JSON of a tool: its names are not the API's. */
  isFree: boolean;
  /** Its numbers of choices, blocks and items, each with a comma. */
  index: string;
  type: string;
  role: string;
  /** It has a signature of the provider. */
  isSigned: boolean;
  /** What a model thinks, beside what it answers. */
  isThought: boolean;
}

export const openHolder = (parent: Holder | null, name: string, isArray: boolean, isFree: boolean): Holder => {
  return { parent, name, isArray, isFree, index: '', type: '', role: '', isSigned: false, isThought: false };
};

/** A string, number or name of a member in JSON, from `start` to before `end`, with its quotes. */
export interface Literal {
  start: number;
  end: number;
  kind: 'string' | 'number' | 'name';
  /** The member that holds it, directly or in a list. */
  key: string;
  holder: Holder;
}
