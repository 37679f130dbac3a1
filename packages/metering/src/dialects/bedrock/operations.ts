import { nameProfile } from '@agp/core/bedrock';
import type { EventTool } from '@agp/core/events';
import type { Frame } from '../../json/frame.ts';
import { asArray, asObject, type JsonObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import { anthropic } from '../anthropic/operations.ts';
import { openai } from '../openai/operations.ts';
import {
  type Dialect,
  decodeName,
  nothingTold,
  type Operation,
  type StreamReader,
  type StreamReading,
  usual,
} from '../operation.ts';
import * as bounds from './bounds.ts';
import { addInvoked, ofAws, readGuardrailConfig } from './guardrail.ts';
import { inBody, inHeader } from './metadata.ts';
import { describeRefusal, formatRefusal } from './refusals.ts';
import { ConverseStreamReader, isFault } from './stream.ts';
import { readConverseText } from './text.ts';
import { answerNames, readTools, refuseTools } from './tools.ts';
import { metricsMember, readConverseFigures, readMetrics } from './usage.ts';

/** The model stands in the path alone, by its id or ARN, whose slash is escaped. */
const target =
  /\/model\/([^/]+(?:\/[^/]+)?)\/(converse|converse-stream|invoke|invoke-with-response-stream|count-tokens)$/;

const findModel = (path: string): string | null => {
  const [, model] = target.exec(path.replace(/\/$/, '')) ?? [];
  return model === undefined ? null : decodeName(model);
};

/** A path in which the ARN of an application's profile tells its model. @param profiles each ARN with its model */
export function tellProfile(path: string, profiles: ReadonlyMap<string, string>): string {
  const [, written = ''] = target.exec(path.replace(/\/$/, '')) ?? [];
  const arn = decodeName(written);
  const model = profiles.get(arn);
  return model === undefined ? path : path.replace(written, encodeURIComponent(nameProfile(arn, model)));
}

const textMembers = ({ system, messages, toolConfig }: JsonObject) => [system, messages, toolConfig];

const converse: Operation = {
  api: 'bedrock',
  name: 'converse',
  ...usual,
  bounds: bounds.converse,
  known: bounds.known,
  guardrail: readGuardrailConfig,
  toolsWithin: 'toolConfig',
  readTools,
  answerNames,
  metadata: inBody,
  createStreamReader: () => new ConverseStreamReader(),
  readRequest: (body, path) => ({
    requestedModel: findModel(path),
    stream: path.endsWith('-stream'),
    toldUsage: {},
    inputText: () => collectText(...textMembers(asObject(body))),
  }),
  readAnswer: (body) => ({ ...readConverseFigures(body), outputText: () => readConverseText(body) }),
};

const converseStream: Operation = { ...converse, name: 'converse-stream' };

/** With a prompt that is stored at AWS: what it says and offers is not known here. */
const describeStored = ({ bounds: _, ...of }: Operation): Operation => ({ ...of, readTools: refuseTools });

const streamVerb = 'invoke-with-response-stream';

/** Says which texts are guarded, and whether a stream waits for it. */
const guardrailMember = `${ofAws}guardrailConfig`;

/** Reads a stream of the vendor's own, whose model lacks the region. */
class RegionlessReader implements StreamReader {
  readonly #of: StreamReader;
  #failed = false;
  /** What frames have of AWS' own, and the figures of the last that has any. */
  readonly #beside: Record<string, unknown> = {};

  constructor(of: StreamReader) {
    this.#of = of;
  }

  get sawEnd(): boolean {
    return this.#of.sawEnd === true;
  }

  push(frame: Frame): void {
    if (isFault(frame.event)) this.#failed = true;
    else this.#of.push(frame);
    if (!frame.data.includes(`"${ofAws}`)) return;
    for (const [name, value] of Object.entries(frame.object())) if (name.startsWith(ofAws)) this.#beside[name] = value;
  }

  pushEnds(event: string, head: string, tail: Buffer): void {
    this.#of.pushEnds?.(event, head, tail);
  }

  end(): StreamReading {
    const own = this.#of.end();
    const usage = own.usage ?? readMetrics(this.#beside);
    const reading = addInvoked({ ...own, usage }, this.#beside, this.#beside[metricsMember]);
    return {
      ...reading,
      usageIsFinal: own.usageIsFinal || (own.usage === null && reading.usage !== null),
      model: null,
      failed: reading.failed || this.#failed,
    };
  }
}

/** The vendor's own body, without the model: by the verb of its path. */
function describeInvoke({ geoMember: _, ...of }: Operation): ByVerb {
  const invoke: Operation = {
    ...of,
    api: 'bedrock',
    name: 'invoke',
    usageNeedsAsking: false,
    metadata: inHeader,
    guardrail: 'headers',
    bounds: of.bounds && { ...of.bounds, members: { ...of.bounds.members, [guardrailMember]: 'free' } },
    known: { ...of.known, [guardrailMember]: 'texts' },
    readRequest: (body, path, size) => ({
      ...of.readRequest(body, path, size),
      requestedModel: findModel(path),
      stream: path.endsWith('-stream'),
    }),
    // Its name lacks the region, by which the price differs.
    readAnswer: (body) => {
      const answer = asObject(body);
      return { ...addInvoked(of.readAnswer(body), answer, answer.usage), model: null };
    },
    createStreamReader: (onCall) => new RegionlessReader(of.createStreamReader(onCall)),
  };
  return { invoke, [streamVerb]: { ...invoke, name: streamVerb } };
}

const match = (dialect: Dialect, path: string) => dialect.match(path, 'POST') as Operation;

const ofClaude = match(anthropic, '/v1/messages');

/** Of a model that may be another's than Anthropic's. @throws UnreadTool for what another vendor would take for tools */
function readHiddenTools(body: JsonObject): EventTool[] {
  const messages = asArray(body.messages).map(asObject);
  const blocks = messages.flatMap(({ content }) => asArray(content)).map(asObject);
  const tools = asArray(body.tools).map(asObject);
  const isAnothers =
    tools.some((tool) => tool.type === 'function' || tool.function !== undefined) ||
    messages.some((message) => message.tools !== undefined) ||
    blocks.some((block) => block.toolAddition !== undefined);
  return isAnothers ? refuseTools() : (ofClaude.readTools?.(body) ?? []);
}

/** Whose bodies are read, by the model's maker. An ARN may hide the model: what differs from Claude's is unread then. */
const invoked = [
  [/(?:^|[./#])amazon\.nova-(?:\d-)?(?:micro|lite|pro|premier)/, describeInvoke(converse)],
  [/(?:^|[./#])openai\./, describeInvoke(match(openai, '/v1/chat/completions'))],
  [/(?:^|[./#])anthropic\.(?!claude-(?:v\d|instant))/, describeInvoke(ofClaude)],
  [/^arn:[^#]*$/, describeInvoke({ ...ofClaude, readTools: readHiddenTools })],
] as const;

/** The body that is counted is a call's, or Base64 of one. */
const { metadata: _, ...untagged } = converse;
const countTokens: Operation = {
  ...untagged,
  name: 'count-tokens',
  isFree: true,
  listCalls: ({ input }) => [asObject(asObject(input).converse)],
  known: { input: true },
  knownOfCalls: bounds.known,
  readRequest: (body, path) => ({
    requestedModel: findModel(path),
    stream: false,
    toldUsage: {},
    inputText: () => collectText(...textMembers(asObject(asObject(asObject(body).input).converse))),
  }),
  readAnswer: () => nothingTold,
};

type ByVerb = Readonly<Record<string, Operation>>;

const ofAll: ByVerb = { converse, 'converse-stream': converseStream, 'count-tokens': countTokens };

const ofStored: ByVerb = {
  ...ofAll,
  converse: describeStored(converse),
  'converse-stream': describeStored(converseStream),
};

function findOperation(model: string, verb: string): Operation | null {
  const operations = /:prompt\//.test(model) ? ofStored : ofAll;
  return operations[verb] ?? invoked.find(([maker]) => maker.test(model))?.[1][verb] ?? null;
}

export const bedrock: Dialect = {
  match(path, method) {
    const [, model, verb] = method === 'POST' ? (target.exec(path) ?? []) : [];
    return model === undefined || verb === undefined ? null : findOperation(decodeName(model), verb);
  },
  isClosed: true,
  links: [],
  credentialPaths: /(?!)/,
  hostedAgentPaths: /(?!)/,
  keepingPaths: /(?!)/,
  conversation: ['messages'],
  keyHeader: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  formatRefusal,
  describeRefusal,
  formatStreamError: formatRefusal,
};
