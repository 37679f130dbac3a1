import { largestOutput, readCount, type Usage } from '@agp/pricing';
import { asArray, asName, asObject, asText, findTrailingMembers, type JsonObject } from '../../json/members.ts';
import { readWriting } from '../../text/stream-text.ts';
import { collectText } from '../../text/strings.ts';
import { type FigureNotes, joinUnread, listFigures, noteFigures } from '../figures.ts';
import type { Frame } from '../frame.ts';
import { FrameReader } from '../frame-reader.ts';
import { describeLater } from '../later.ts';
import { type Operation, toCancelPath, usual } from '../operation.ts';
import * as bounds from './bounds.ts';
import { answerNames } from './called-tools.ts';
import { readInteraction, readInteractionDelta } from './text.ts';
import { listModels, readTypedTools } from './tools.ts';
import { billSearches, modality, readContentUsage } from './usage.ts';

function readInteractionUsage(value: unknown, model: string | null): Usage | null {
  const figures = asObject(value);
  const usage = readContentUsage({
    promptTokenCount: figures.total_input_tokens,
    toolUsePromptTokenCount: figures.total_tool_use_tokens,
    candidatesTokenCount: figures.total_output_tokens,
    thoughtsTokenCount: figures.total_thought_tokens,
    totalTokenCount: figures.total_tokens,
    cachedContentTokenCount: figures.total_cached_tokens,
    promptTokensDetails: figures.input_tokens_by_modality,
    toolUsePromptTokensDetails: figures.tool_use_tokens_by_modality,
    cacheTokensDetails: figures.cached_tokens_by_modality,
    candidatesTokensDetails: figures.output_tokens_by_modality,
  });
  return usage && { ...usage, ...countTools(figures.grounding_tool_count, model) };
}

/** Reading pages and files of the request costs their tokens. */
const tools: ReadonlyMap<string, keyof Usage | null> = new Map([
  ...([
    ['google_search', 'webSearches'],
    ['google_maps', 'mapsSearches'],
    ['retrieval', 'fileSearches'],
  ] as const),
  ...(['url_context', 'file_search', 'code_execution'] as const).map((name) => [name, null] as const),
]);

function countTools(counts: unknown, model: string | null): Partial<Usage> {
  const ran: Partial<Usage> = {};
  for (const item of asArray(counts)) {
    const name = tools.get(asName(asObject(item).type));
    if (name) ran[name] = billSearches(readCount(asObject(item).count) ?? 0, model);
  }
  return ran;
}

const interactionFigures = listFigures(
  `total_input_tokens total_tool_use_tokens total_output_tokens total_thought_tokens total_tokens total_cached_tokens`,
  {
    grounding_tool_count: listFigures('count'),
    'input_tokens_by_modality tool_use_tokens_by_modality': modality,
    'cached_tokens_by_modality output_tokens_by_modality': modality,
  },
);

function noteInteraction(usage: unknown): FigureNotes {
  const notes = noteFigures(usage, interactionFigures);
  const ran = asArray(asObject(usage).grounding_tool_count).map((item) => asName(asObject(item).type));
  const others = ran.filter((name) => !tools.has(name)).map((name) => `grounding_tool_count.${name}`);
  return { ...notes, unread: joinUnread(notes.unread, others) };
}

const modelOf = (value: unknown) => asText(asObject(value).model) ?? asText(asObject(value).agent);

const telling = /"event_type"\s*:\s*"(?:interaction\.|error|step\.stop)/;

class InteractionStreamReader extends FrameReader {
  constructor() {
    super(readInteractionDelta);
  }

  push(sent: Frame): void {
    if (!telling.test(sent.data)) {
      this.text.add(sent);
      return;
    }
    const frame = sent.object();
    this.text.addBeside(frame);
    const interaction = asObject(frame.interaction);
    this.id ??= asText(interaction.id);
    this.model = modelOf(interaction) ?? this.model;
    this.serviceTier = asText(interaction.service_tier) ?? this.serviceTier;
    const told = interaction.usage ?? frame.usage;
    this.usage = readInteractionUsage(told, this.model) ?? this.usage;
    this.note(noteInteraction(told));
    this.failed ||= frame.event_type === 'error' || interaction.status === 'failed';
    this.sawEnd ||= frame.event_type === 'interaction.completed' || frame.event_type === 'interaction.complete';
  }

  protected override readEnd(tail: Buffer): JsonObject {
    return { interaction: findTrailingMembers(tail, 1) };
  }

  protected override isUsageFinal(): boolean {
    return this.sawEnd;
  }
}

/** Gemini's newer API (ai.google.dev/gemini-api/docs/interactions). */
const interactions: Operation = {
  api: 'gemini',
  name: 'interactions',
  traceName: 'chat',
  bounds: bounds.interactions,
  ...usual,
  readTools: readTypedTools,
  listModels,
  answerNames,
  cancelPath: toCancelPath,
  createStreamReader: () => new InteractionStreamReader(),
  readRequest(value) {
    const body = asObject(value);
    const maxOutputTokens = readCount(asObject(body.generation_config).max_output_tokens);
    return {
      requestedModel: modelOf(body),
      stream: body.stream === true,
      // Its usage comes with a later answer, which the agent may never fetch.
      toldUsage: body.background ? { completionTokens: maxOutputTokens ?? largestOutput } : {},
      inBackground: Boolean(body.background),
      inputText: () => collectText(body.system_instruction, body.input, body.tools),
    };
  },
  readAnswer(body) {
    const { id, usage, service_tier: tier } = asObject(body);
    return {
      id: asText(id),
      model: modelOf(body),
      usage: readInteractionUsage(usage, modelOf(body)),
      ...noteInteraction(usage),
      serviceTier: asText(tier),
      outputText: () => readWriting(body, readInteraction),
    };
  },
};

const target = /\/v1(?:alpha|beta)?\d*\/(?:projects\/.+\/)?interactions(?:\/([^/:]+)(\/cancel)?)?\/?$/;

const interactionLater = describeLater(interactions, target, () => false);

export const interactionOperations: readonly Operation[] = [interactions, interactionLater];

export function matchInteraction(path: string, method: 'GET' | 'POST'): Operation | null {
  const [found, id, cancel] = target.exec(path) ?? [];
  if (found === undefined || (id === undefined && method === 'GET')) return null;
  if (id === undefined) return interactions;
  return (method === 'POST') === (cancel !== undefined) ? interactionLater : null;
}
