import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceFolder } from '../workspace/run-tool.ts';

/** The code blocks of a page that are marked with this language, in order. */
export function readSnippets(page: string, language: string): string[] {
  const text = readFileSync(join(workspaceFolder, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1] ?? '',
  );
}
