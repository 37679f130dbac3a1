import { largestOutput, readCount, type Usage } from '@agp/catalogue';
import type { Frame } from '../../json/frame.ts';
import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { findTrailingMembers } from '../../json/scan.ts';
import { readWriting } from '../../text/stream-text.ts';
import { collectText } from '../../text/strings.ts';
import { type FigureNotes, readFigures, tableKeyed } from '../figures.ts';
import { FrameReader } from '../frame-reader.ts';
import { describeLater, type Operation, toCancelPath, usual } from '../operation.ts';
import { storesUnsaid } from '../stored.ts';
import * as bounds from './bounds.ts';
import * as members from './members.ts';
import { readInteraction, readInteractionDelta } from './text.ts';
import { answerNames, listModels, readTypedTools } from './tools.ts';
import { billSearches, tableContent, toContentUsage } from './usage.ts';

/** Reading pages and files of the request costs their tokens. */
const tools = tableKeyed(
  'type',
  'count',
  {
    ...{ google_search: 'webSearches', google_maps: 'mapsSearches', retrieval: 'fileSearches' },
    ...{ url_context: 'nothing', file_search: 'nothing', code_execution: 'nothing' },
  },
  true,
);

const interactionTable = tableContent(
  {
    prompt: 'total_input_tokens',
    toolUse: 'total_tool_use_tokens',
    candidates: 'total_output_tokens',
    thoughts: 'total_thought_tokens',
    total: 'total_tokens',
    cacheReadTokens: 'total_cached_tokens',
    inputs: 'input_tokens_by_modality',
    toolInputs: 'tool_use_tokens_by_modality',
    cached: 'cached_tokens_by_modality',
    outputs: 'output_tokens_by_modality',
  },
  { grounding_tool_count: tools },
);

function readInteractionFigures(value: unknown, model: string | null): { usage: Usage | null } & FigureNotes {
  const { counts, notes } = readFigures(value, interactionTable);
  const usage = toContentUsage(counts);
  const bill = (name: 'webSearches' | 'mapsSearches' | 'fileSearches') => billSearches(counts[name] || 0, model);
  const searches = {
    webSearches: bill('webSearches'),
    mapsSearches: bill('mapsSearches'),
    fileSearches: bill('fileSearches'),
  };
  return { usage: usage && { ...usage, ...searches }, ...notes };
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
    const { usage, ...notes } = readInteractionFigures(told, this.model);
    this.usage = usage ?? this.usage;
    this.note(notes);
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

/** Hosted tools that keep what they search with. */
export const groundings = 'google_search google_maps google_search_retrieval';

/** Gemini's newer API (ai.google.dev/gemini-api/docs/interactions). */
const interactions: Operation = {
  api: 'gemini',
  name: 'interactions',
  stores: { unsaid: storesUnsaid, members: 'background previous_interaction_id cached_content', tools: groundings },
  bounds: bounds.interactions,
  known: members.interactions,
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
      ...readInteractionFigures(usage, modelOf(body)),
      serviceTier: asText(tier),
      outputText: () => readWriting(body, readInteraction),
    };
  },
};

const target = /\/v1(?:alpha|beta)?\d*\/(?:projects\/.+\/)?interactions(?:\/([^/:]+)(\/cancel)?)?\/?$/;

const interactionLater = describeLater(interactions, target, () => false);

export function matchInteraction(path: string, method: 'GET' | 'POST'): Operation | null {
  const [found, id, cancel] = target.exec(path) ?? [];
  if (found === undefined || (id === undefined && method === 'GET')) return null;
  if (id === undefined) return interactions;
  return (method === 'POST') === (cancel !== undefined) ? interactionLater : null;
}
