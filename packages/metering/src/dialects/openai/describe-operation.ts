import type { Usage } from '@agp/catalogue';
import type { OperationName } from '@agp/core/operations';
import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import type { Writing } from '../../text/writing.ts';
import { type AnswerReading, decodeName, type Operation, type StreamReader, usual } from '../operation.ts';
import { answerNames, listModels } from './tools.ts';

export type Figures = Pick<
  AnswerReading,
  'usage' | 'calls' | 'bills' | 'charge' | 'unread' | 'containers' | 'isUnbilled' | 'isUntold'
> & {
  serviceTier?: string;
};

type Made = 'api' | 'readRequest' | 'readAnswer' | 'createStreamReader';

/** An operation but for what is made of the rest. */
export interface OperationDescription extends Partial<Omit<Operation, Made>> {
  name: OperationName;
  input: readonly string[];
  isStream?(body: JsonObject): boolean;
  readToldUsage?(body: JsonObject, size: number): Partial<Usage>;
  isInBackground?(body: JsonObject): boolean;
  searchesByPreview?(body: JsonObject): boolean;
  readPriceTier?(body: JsonObject): string | null;
  readFigures(answer: unknown): Figures;
  readText(answer: unknown): Writing;
  createStreamReader(): StreamReader;
}

/** Azure names the model in the path, as a deployment. */
const deployment = /\/deployments\/([^/]+)\//i;

function findDeployment(path: string): string | null {
  const [, name = null] = deployment.exec(path) ?? [];
  return name && decodeName(name);
}

export function describeOperation(description: OperationDescription): Operation {
  const {
    input,
    isStream,
    readToldUsage,
    isInBackground,
    searchesByPreview,
    readPriceTier,
    readFigures,
    readText,
    ...rest
  } = description;
  return {
    api: 'openai',
    ...usual,
    answerNames,
    listModels,
    ...rest,
    readRequest(value, path, size = 0) {
      const body = asObject(value);
      return {
        requestedModel: asText(body.model) ?? findDeployment(path),
        stream: isStream?.(body) ?? body.stream === true,
        toldUsage: readToldUsage?.(body, size) ?? {},
        inBackground: isInBackground?.(body) ?? false,
        searchesByPreview: searchesByPreview?.(body) ?? false,
        priceTier: readPriceTier?.(body) ?? null,
        inputText: () => collectText(...input.map((key) => body[key])),
      };
    },
    readAnswer(value) {
      const answer = asObject(value);
      return {
        model: asText(answer.model),
        id: asText(answer.id) ?? asText(answer.request_id),
        serviceTier: asText(answer.service_tier),
        ...readFigures(value),
        outputText: () => readText(value),
      };
    },
  };
}
