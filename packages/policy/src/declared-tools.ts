import type { EventTool } from '@agp/core/events';
import { findFrom } from '@agp/documents';

/** A called tool, and as itself, or as each declared one that it may be, by the names of both. */
export interface CalledTool {
  tool: EventTool;
  maybe: readonly EventTool[];
}

/** Declared tools by what a call of them may be named. */
interface Declared {
  byName: ReadonlyMap<string, readonly EventTool[]>;
  /** Names of hosted tools, in order. */
  hosted: readonly string[];
}

const indexed = new WeakMap<readonly EventTool[], Declared>();

/** A request's tools stay the same while its answer comes. */
function indexDeclared(tools: readonly EventTool[]): Declared {
  const known = indexed.get(tools);
  if (known !== undefined) return known;
  const byName = new Map<string, EventTool[]>();
  const hosted = new Set<string>();
  for (const tool of tools)
    for (const name of new Set(tool.names.map((each) => each.toLowerCase()))) {
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [tool]);
      else same.push(tool);
      if (tool.kind === 'hosted') hosted.add(name);
    }
  const declared = { byName, hosted: [...hosted].sort() };
  indexed.set(tools, declared);
  return declared;
}

/** Tools that an answer called, each once. */
export function nameCalled(called: readonly EventTool[], declared: readonly EventTool[] | null): CalledTool[] {
  if (called.length === 0) return [];
  const index = indexDeclared(declared ?? []);
  const distinct = new Map(called.map((tool) => [JSON.stringify(tool), tool]));
  return [...distinct.values()].map((tool) => {
    const named = new Set(tool.names.flatMap((name) => listSame(name.toLowerCase(), index)));
    // A function of a hosted tool's name is none.
    const same = [...named].filter(({ kind }) => kind === tool.kind || tool.kind !== 'client');
    if (same.length === 0) return { tool, maybe: [tool] };
    const maybe = same.map(({ kind, names }) => ({ kind, names: [...new Set([...tool.names, ...names])] }));
    return { tool, maybe };
  });
}

/** A hosted tool is called by a name that is part of its type (`web_search`), or the other way round. */
function listSame(called: string, { byName, hosted }: Declared): EventTool[] {
  const same = byName.get(called) ?? [];
  if (hosted.length === 0) return [...same];
  const names: string[] = [];
  for (let at = called.indexOf('_'); at >= 0; at = called.indexOf('_', at + 1))
    names.push(called.slice(0, at), called.slice(at + 1));
  const longer = `${called}_`;
  for (let at = findFrom(hosted, longer); hosted[at]?.startsWith(longer); at += 1) names.push(hosted[at] as string);
  return [...same, ...names.flatMap((name) => byName.get(name) ?? []).filter(({ kind }) => kind === 'hosted')];
}
