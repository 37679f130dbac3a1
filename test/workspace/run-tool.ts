import { execFile } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

/** The folder that holds the whole checkout. */
export const workspaceFolder = join(import.meta.dirname, '..', '..');

export interface ToolRun {
  /** The exit code; a tool that cannot be started rejects instead. */
  code: number;
  stdout: string;
  /** Standard output and standard error, for a message that helps whoever has to mend something. */
  output: string;
}

/**
 * Runs one of the workspace's pinned tools with the Node that runs this.
 *
 * @throws when the tool is missing, cannot be started, or is ended by a signal
 */
export function runTool(name: string, args: string[], folder = workspaceFolder): Promise<ToolRun> {
  const file = join(workspaceFolder, 'node_modules', '.bin', name);
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const options = { cwd: folder, env: { ...process.env, PATH: path, NO_COLOR: '1' }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, output: `${stdout}${stderr}` });
      else reject(error);
    });
  });
}
