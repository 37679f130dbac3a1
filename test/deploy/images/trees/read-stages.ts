import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, ModifiableInstruction } from 'dockerfile-ast';
import { workspaceFolder } from '../../../workspace/run-tool.ts';

export interface Line {
  /** In upper case, such as `COPY`. */
  instruction: string;
  /** What stands after the instruction and its flags, with lines that were continued as one. */
  text: string;
  /** The flags before it, such as `--from=sources`. */
  flags: string[];
}

/** One stage of a Dockerfile. */
export interface Stage {
  /** Another stage, or an image. */
  from: string;
  lines: Line[];
}

export const readDockerfile = (): string => readFileSync(join(workspaceFolder, 'Dockerfile'), 'utf8');

/** The stages of a Dockerfile by their names, in its order. */
export function readStages(content: string): Map<string, Stage> {
  const stages = new Map<string, Stage>();
  let current: Stage | undefined;
  for (const each of DockerfileParser.parse(content).getInstructions()) {
    const flags = each instanceof ModifiableInstruction ? each.getFlags().map(String) : [];
    const line = { instruction: each.getKeyword(), text: each.getArgumentsContent() ?? '', flags };
    if (line.instruction === 'FROM') {
      const [from = '', , name = ''] = line.text.split(/\s+/);
      current = { from, lines: [] };
      stages.set(name, current);
    } else current?.lines.push(line);
  }
  return stages;
}

/** The lines of a stage and of those that it is built on, the last one first. */
export function listInherited(stages: ReadonlyMap<string, Stage>, target: string): Line[] {
  const lines: Line[] = [];
  for (let stage = stages.get(target); stage; stage = stages.get(stage.from)) lines.push(...stage.lines.toReversed());
  return lines;
}
