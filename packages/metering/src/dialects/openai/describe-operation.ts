import type { Usage } from '@agp/pricing';
import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import type { Writing } from '../../text/writing.ts';
import type { RequestBounds } from '../bounds.ts';
import { type AnswerReading, decodeName, type Operation, type StreamReader } from '../operation.ts';

export type Figures = Pick<AnswerReading, 'usage' | 'calls'>;

export interface OperationDescription {
  name: string;
  traceName?: Operation['traceName'];
  bounds?: RequestBounds;
  usageNeedsAsking?: boolean;
  isFree?: boolean;
  writesText?: boolean;
  otherAnswers?: Operation['otherAnswers'];
  figuresWithin?: readonly string[];
  input: readonly string[];
  isStream?(body: JsonObject): boolean;
  readToldUsage?(body: JsonObject, size: number): Partial<Usage>;
  isInBackground?(body: JsonObject): boolean;
  readFigures(answer: unknown): Figures;
  readText(answer: unknown): Writing;
  createStreamReader(): StreamReader;
}

/** Azure names the model in the path, as a deployment. */
const deployment = /\/deployments\/([^/]+)\//;

function findDeployment(path: string): string | null {
  const [, name = null] = deployment.exec(path) ?? [];
  return name && decodeName(name);
}

export function describeOperation(description: OperationDescription): Operation {
  const {
    name,
    traceName,
    bounds,
    usageNeedsAsking = false,
    isFree = false,
    writesText = true,
    otherAnswers,
    figuresWithin,
    createStreamReader,
  } = description;
  const { input, isStream = (body) => body.stream === true } = description;
  return {
    api: 'openai',
    name,
    traceName,
    usageNeedsAsking,
    answerFormat: 'object',
    ...(bounds && { bounds }),
    ...(otherAnswers && { otherAnswers }),
    ...(figuresWithin && { figuresWithin }),
    isFree,
    writesText,
    createStreamReader,
    readRequest(value, path, size = 0) {
      const body = asObject(value);
      return {
        requestedModel: asText(body.model) ?? findDeployment(path),
        stream: isStream(body),
        toldUsage: description.readToldUsage?.(body, size) ?? {},
        inBackground: description.isInBackground?.(body) ?? false,
        inputText: () => collectText(...input.map((key) => body[key])),
      };
    },
    readAnswer(value) {
      const answer = asObject(value);
      return {
        model: asText(answer.model),
        ...description.readFigures(value),
        serviceTier: asText(answer.service_tier),
        outputText: () => description.readText(value),
      };
    },
  };
}
