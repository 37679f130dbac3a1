import { type OperationName, operationRows } from '@agp/core/operations';
import type { Operation } from './operation.ts';

/** The expression of an operation's paths by its row. @param before what stands before them @param model what `{model}` stands for */
export const pathOf = (name: OperationName, before = '/', model = ''): string =>
  `${before}(?:${operationRows.get(name)?.path?.replaceAll('{model}', model)})`;

/** What finds the first of these operations whose path is asked for; see {@link pathOf}. */
export function makeMatcher(
  operations: readonly Operation[],
  before?: string,
  model?: string,
): (path: string) => Operation | null {
  const targets = operations.map((each) => [new RegExp(`${pathOf(each.name, before, model)}$`), each] as const);
  return (path) => targets.find(([target]) => target.test(path))?.[1] ?? null;
}
