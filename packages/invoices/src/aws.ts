import { createReadStream } from 'node:fs';
import { PassThrough, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readMakersName } from '@agp/core/bedrock';
import { type Info, parse } from 'csv-parse';
import { z } from 'zod';
import { amountField, type BillLine, nameModel } from './billing-api.ts';
import { BillError } from './read-bill.ts';

/** Bytes of an export, without gzip, and of one of its lines. */
const maxBytes = 4 * 1024 ** 3;
const maxLine = 1024 * 1024;
/** Sums of a day, a model and an account. */
const maxSums = 200_000;

/** Columns of CUR 2.0 (https://docs.aws.amazon.com/cur/latest/userguide/table-dictionary-cur2-line-item.html), each without `line_item_`. */
const needed = [
  ...['line_item_type', 'product_code', 'usage_type', 'usage_start_date', 'usage_end_date'],
  ...['unblended_cost', 'currency_code'],
].map((name) => `line_item_${name}`);
/** One of them names what AWS Marketplace sells; the first is a map. */
const naming = ['product', 'product_product_name'];
const others = ['line_item_resource_id', 'line_item_usage_account_id'];
const wanted = new Set([...needed, ...naming, ...others]);

type Row = Readonly<Record<string, string | undefined>>;

/** What AWS Marketplace sells stands under a code of its own, and is told by its name, such as `Claude Haiku 4.5 (Amazon Bedrock Edition)`. */
const edition = / \(Amazon Bedrock Edition\)$/;
const ownCodes = /^AmazonBedrock(?:Service|FoundationModels)?$/;

/** In a map, as JSON or as Athena writes it. */
const productName = /\bproduct_name"?\s*[:=]\s*"?([^"},]*)/;

/** `USE1-Claude4.6Sonnet-cache-read-input-token-count`, `EUC1-openai.gpt-oss-120b-mantle-output-tokens-standard`: region, model, kind. */
const ofTokens =
  /^(?:[A-Z]{2,4}\d?-)?(?:[a-z0-9]+\.(?=[a-z]))?(.+?)-(?:mantle-)?(?:(?:text|speech|audio|image|video)-)?(?:cache-(?:read|write)-)?(?:input|output)-token/;

/** A line of a bill that may name its model in several ways. */
export interface ExportLine extends Pick<BillLine, 'nanoUsd' | 'accounts'> {
  day: string;
  /** The surest first; the last is what it is called if no model is known. */
  names: string[];
}

/** What is charged or given beside usage: taxes, credits, discounts. */
interface Apart extends Pick<BillLine, 'nanoUsd' | 'accounts'> {
  day: string;
  type: string;
}

const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?$/, 'is no time in UTC')
  .transform((text) => Date.parse(`${text.replace(' ', 'T').replace(/Z$/, '')}Z`))
  .refine((at) => !Number.isNaN(at), 'is no time in UTC');

const bedrockLine = z.object({
  line_item_currency_code: z.literal('USD', 'is not USD'),
  line_item_unblended_cost: amountField,
  line_item_usage_start_date: time,
  line_item_usage_end_date: time,
  line_item_line_item_type: z.string().max(64),
  line_item_usage_type: z.string().max(256),
  line_item_resource_id: z.string().max(2_048).default(''),
  line_item_usage_account_id: z.string().max(64).optional(),
});

const dayMs = 86_400_000;

/** Columns by their names; others are not read. @throws BillError that names one that is not there */
function chooseColumns(header: readonly string[]): (string | false)[] {
  const missing = needed.find((name) => !header.includes(name));
  if (missing !== undefined) throw new BillError(`the column ${missing} is not there: is it an export of CUR 2.0?`);
  if (!naming.some((name) => header.includes(name)))
    throw new BillError('the column product is not there, by which models that AWS Marketplace bills are known');
  const twice = header.find((name, index) => wanted.has(name) && header.indexOf(name) !== index);
  if (twice !== undefined) throw new BillError(`the column ${twice} is there twice`);
  return header.map((name) => wanted.has(name) && name);
}

interface Sums {
  lines: Map<string, ExportLine>;
  apart: Map<string, Apart>;
}

function add<Line extends { nanoUsd: number }>(sums: Map<string, Line>, line: Line): void {
  const key = JSON.stringify({ ...line, nanoUsd: 0 });
  const known = sums.get(key);
  if (known) known.nanoUsd += line.nanoUsd;
  else if (sums.size < maxSums) sums.set(key, line);
  else throw new BillError(`has more than ${maxSums} different days, models and accounts`);
}

/** @throws BillError that names the column at fault */
function addRow({ lines, apart }: Sums, row: Row): void {
  const name = row.product_product_name || (productName.exec(row.product ?? '')?.[1] ?? '');
  const isEdition = edition.test(name);
  if (!isEdition && !ownCodes.test(row.line_item_product_code ?? '')) return;
  const { data, error } = bedrockLine.safeParse(row);
  if (error) throw new BillError(`${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
  const { line_item_line_item_type: type, line_item_usage_type: usage, line_item_resource_id: resource } = data;
  const { line_item_usage_start_date: start, line_item_usage_end_date: end } = data;
  const sold = {
    day: new Date(start).toISOString().slice(0, 10),
    accounts: [data.line_item_usage_account_id],
    nanoUsd: Math.round(data.line_item_unblended_cost * 1e9),
  };
  if (!type.endsWith('Usage')) {
    add(apart, { type, ...sold });
    return;
  }
  if (end - start > dayMs)
    throw new BillError('line_item_usage_end_date: is of more than a day: export with the granularity hourly or daily');
  const byResource = /:bedrock:/.test(resource) ? nameOnAws(resource) : undefined;
  const told = [byResource, isEdition ? name.replace(edition, '') : undefined, ofTokens.exec(usage)?.[1], usage];
  add(lines, { names: told.filter((each) => each !== undefined), ...sold });
}

/**
 * What AWS billed of Bedrock, from a file of a CUR 2.0 export as CSV, which may be packed with gzip: unblended costs in nano-dollars, summed by
 * UTC day, by what is said of the model, and by account.
 * @throws BillError that names file, line and column of what cannot be read, or the bound that it passes
 */
export async function readExport(file: string): Promise<{ lines: ExportLine[]; apart: Apart[] }> {
  const sums: Sums = { lines: new Map(), apart: new Map() };
  const parser = parse({ bom: true, columns: chooseColumns, info: true, max_record_size: maxLine });
  const unpack = file.endsWith('.gz') ? createGunzip() : new PassThrough();
  let line = 1;
  try {
    pipeline(createReadStream(file), unpack, parser, () => {});
    for await (const { info, record } of parser as AsyncIterable<{ info: Info; record: Row }>) {
      line = info.lines;
      if (info.bytes > maxBytes) throw new BillError('is behind 4 GiB: export fewer columns, or one month');
      addRow(sums, record);
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (/^Z_/.test(code)) throw new BillError(`${file}: is no gzip, or was cut (${code})`);
    if (error instanceof BillError) throw new BillError(`${file}: line ${line}: ${message}`);
    throw new BillError(`${file}: ${/^CSV_/.test(code) ? message : code || message}`);
  }
  if (sums.lines.size + sums.apart.size === 0)
    throw new BillError(`${file}: no line is of Bedrock, by line_item_product_code or the product's name`);
  return { lines: [...sums.lines.values()], apart: [...sums.apart.values()] };
}

/** A model as it is asked for on Bedrock, without region, maker and revision. */
export const nameOnAws = (model: string): string => nameModel(readMakersName(model) ?? model);

/** The same for all ways to write a model's name: its words in any order, and its numbers in theirs. */
function toKey(name: string): string {
  const parts =
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+|\d+/g) ?? [];
  const words = parts.filter((part) => /[a-z]/.test(part)).sort();
  return [...words, ...parts.filter((part) => /[1-9]/.test(part))].join('-');
}

/** The lines by models as they are recorded, if that is sure: if one of a line's names is another spelling of one recorded model alone. */
export function nameLines(lines: readonly ExportLine[], recorded: Iterable<string>): (BillLine & { day: string })[] {
  const models = Map.groupBy(new Set(recorded), toKey);
  return lines.map(({ names, ...line }) => {
    const found = names.map((name) => models.get(toKey(name)) ?? []).find(({ length }) => length === 1);
    return { ...line, model: found?.[0] ?? names[0] ?? 'other' };
  });
}
