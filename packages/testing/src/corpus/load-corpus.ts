import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@agp/core/json';
import { type CorpusRequest, corpusFileSchema, type Exchange } from './exchange.ts';

const folder = join(import.meta.dirname, '../../corpus');

/** Prices of servers that no list knows, as in `PRICES_FILE`. */
export const corpusPrices = readFileSync(join(folder, 'prices.json'), 'utf8');

/** All exchanges of the corpus, in the order of their files' names. @throws if a file is no {@link corpusFileSchema} */
export function loadCorpus(): Exchange[] {
  return globSync('*/*/*.json', { cwd: folder })
    .sort()
    .flatMap((file) => {
      const [dialect = '', operation = ''] = file.split('/');
      const { data, error } = corpusFileSchema.safeParse(parseJson(readFileSync(join(folder, file), 'utf8')));
      if (!data) throw new Error(`${file}: ${error.message}`);
      return data.exchanges.map(({ asks, request: own, ...exchange }): Exchange => {
        const request = { method: 'POST', ...data.request, ...own } as CorpusRequest;
        if (asks) request.body = { ...(request.body as object), ...asks };
        return { ...exchange, name: `${file}: ${exchange.why}`, dialect, operation, file, request };
      });
    });
}
