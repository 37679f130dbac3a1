import { readFileSync } from 'node:fs';
import { type PriceFile, PriceFileError, parsePriceFile } from '@agp/pricing';
import { ConfigError } from '@agp/runtime';

/**
 * Reads the file of prices; null if none is named.
 *
 * @param providers the configured providers by id: an entry for any other would never hold
 * @throws ConfigError naming the file, and the entry and field that are at fault
 */
export function loadPrices(file: string | undefined, providers: ReadonlyMap<string, unknown>): PriceFile | null {
  if (file === undefined) return null;
  const prices = parseFile(file);
  const stray = prices.entries.findIndex(({ provider }) => provider !== undefined && !providers.has(provider));
  if (stray < 0) return prices;
  const { provider } = prices.entries[stray] ?? {};
  throw new ConfigError(`PRICES_FILE: ${file}: ${stray}.provider: ${provider} is not a configured provider`);
}

function parseFile(file: string): PriceFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`PRICES_FILE: cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return parsePriceFile(text);
  } catch (error) {
    if (error instanceof PriceFileError) throw new ConfigError(`PRICES_FILE: ${file}: ${error.message}`);
    throw error;
  }
}
