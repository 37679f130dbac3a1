import { matchWords } from '../words/words.ts';
import type { Holder, Literal } from './holder.ts';

const naming = matchWords('named');

/** A name as providers give them: without a space, and no address of mail. */
const named = /^(?!.*\w@[\w-]+\.[a-z])[\w.:/@+-]{1,256}$/i;
/** A place in a schema. */
const reference = /^#?[\w.:/$%~-]{0,256}$/;

const toolHolders = matchWords('toolHolders');
const toolTypes = matchWords('toolTypes');
const toolRoles = matchWords('toolRoles');
const nameLists = matchWords('nameLists');
const nameTables = matchWords('nameTables');

const toolName = /^[\w.:/-]{1,128}$/;

function isOfTool(holder: Holder): boolean {
  const { name, type, role, parent } = holder;
  return toolHolders.test(name) || toolTypes.test(type) || toolRoles.test(role) || toolHolders.test(parent?.name ?? '');
}

/** By the name of a list, or of the object around one of several. */
const isNameList = ({ name, isArray, parent }: Holder): boolean =>
  isArray && (nameLists.test(name) || parent?.name === 'dependentRequired');

/** Whether it stands where a protocol names something, whatever it says. */
export function isNaming({ key, holder, kind }: Literal): boolean {
  if (holder.isFree) return false;
  if (kind === 'name') return nameTables.test(holder.name);
  return key === 'name' ? isOfTool(holder) : naming.test(key) || isNameList(holder);
}

/** Whether a literal names something of the protocol: that is no text, and stays as it is. */
export function isProtocolName(literal: Literal, value: string): boolean {
  if (value.length > 256 || !isNaming(literal)) return false;
  const { key, kind, holder } = literal;
  if (kind === 'name' || key === 'name' || isNameList(holder)) return toolName.test(value);
  return (key.startsWith('$') ? reference : named).test(value);
}
