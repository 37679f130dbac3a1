export type { CorpusAnswer, CorpusRequest, Exchange, Expected, Json } from './exchange.ts';
export { corpusPrices, loadCorpus } from './load-corpus.ts';
export { inPath, type OperationRow, operations, wrapCall } from './operations.ts';
export { type Written, writeAnswer, writeForm, writePieces, writeRequest } from './write-exchange.ts';
