import type { FoundValue } from '@agp/pii';
import { isBase64, isMediaMember } from '../text/strings.ts';
import { isSealed, isThought } from './blocks.ts';
import type { Literal } from './holder.ts';
import { isNaming } from './names.ts';

/** What a search that looks for labels calls them; glued if a letter or digit stands beside, named in the name of a member. */
export const labelKind = '/label';
export const gluedLabelKind = '/label glued';
export const namedLabelKind = '/label named';

/** Whether a name of a member is one as programs write them, which is not searched. */
export const isWordy = (name: string): boolean => /^[A-Za-z_$-]{0,64}$/.test(name);

const isLabel = ({ kind }: FoundValue): boolean => kind.startsWith(labelKind);

/** @param beside what stands beside labels in it */
function keepsLabels(literal: Literal, beside: () => string): boolean {
  if (literal.holder.isFree) return false;
  if (isNaming(literal) || isSealed(literal) || isThought(literal.holder)) return true;
  return isMediaMember(literal.key) && isBase64(beside());
}

/**
 * Without the labels that stay, since the next request brings their values back where no search looks for them.
 * @param places as offsets of `value`, which the literal says
 */
export function dropKept<One extends FoundValue>(
  places: readonly One[],
  literal: Literal,
  value: string,
): readonly One[] {
  if (!places.some(isLabel)) return places;
  const beside = () => places.reduceRight((rest, { start, end }) => `${rest.slice(0, start)}${rest.slice(end)}`, value);
  if (keepsLabels(literal, beside)) return places.filter((each) => !isLabel(each));
  return literal.kind === 'name'
    ? places.map((each) => (isLabel(each) ? { ...each, kind: namedLabelKind } : each))
    : places;
}
