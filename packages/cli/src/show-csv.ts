import { toLinesText } from '@agp/core/text';
import { CliError } from './cli-error.ts';
import { type Api, readNext } from './connect-api.ts';
import type { Terminal } from './open-terminal.ts';

/**
 * Prints a list as the CSV received, as it comes. On a terminal its control characters are shown by number.
 *
 * @param all follows the list's pages; the header row is printed once
 */
export async function showCsv(api: Api, terminal: Terminal, path: string, all: boolean): Promise<void> {
  let isFirst = true;
  for (let next: string | null = path; next !== null; isFirst = false) {
    const response: Response = await api.open(next, 'text/csv');
    if (!response.headers.get('content-type')?.startsWith('text/csv'))
      throw new CliError(`${next} has no CSV: is the management API older than this command?`);
    let inHead = !isFirst;
    const decoded = response.body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
    try {
      for await (const chunk of decoded ?? []) {
        // No column's name holds a line break.
        const end = inHead ? chunk.indexOf('\n') + 1 : 0;
        if (inHead && end === 0) continue;
        inHead = false;
        const rest = chunk.slice(end);
        await terminal.write(
          terminal.isInteractive ? toLinesText(rest.replaceAll('\r', ''), Number.POSITIVE_INFINITY) : rest,
        );
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      throw new CliError('The answer broke off: what was printed is not complete.');
    }
    next = all ? readNext(response) : null;
  }
}
