import type { FakeReply, ReceivedRequest } from '@agp/testing/providers';
import type { BilledUsage } from './list-prices.ts';
import { readAtWorst, type WorstBill } from './worst-reading.ts';

const text = 'Yes.';

const cached = ({ inputTokens, outputTokens, searches }: BilledUsage) => ({
  input_tokens: 0,
  output_tokens: outputTokens,
  cache_creation_input_tokens: inputTokens,
  cache_creation: { ephemeral_1h_input_tokens: inputTokens },
  ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
});

const modality = (kind: string, tokens: number) => [{ modality: kind, tokenCount: tokens, tokens }];

/** An answer in the format of the request's, whose figures are those of the bill, all of them of the dearest kind. */
export function answerBill({ target }: Pick<ReceivedRequest, 'target'>, { model, usage }: WorstBill): FakeReply {
  const path = target.split('?')[0] ?? '';
  const { inputTokens, outputTokens, searches } = usage;
  const total = inputTokens + outputTokens;
  if (path.endsWith('/speech')) return { headers: { 'content-type': 'audio/mpeg' }, body: 'sound' };
  if (path.endsWith('/messages')) {
    return {
      body: { type: 'message', role: 'assistant', model, content: [{ type: 'text', text }], usage: cached(usage) },
    };
  }
  if (path.endsWith('/interactions')) {
    const figures = { total_input_tokens: inputTokens, total_output_tokens: outputTokens, total_tokens: total };
    const heard = { input_tokens_by_modality: modality('AUDIO', inputTokens) };
    return { body: { model, status: 'completed', outputs: [{ type: 'text', text }], usage: { ...figures, ...heard } } };
  }
  if (path.includes(':')) {
    const figures = { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens, totalTokenCount: total };
    const heard = { promptTokensDetails: modality('AUDIO', inputTokens) };
    const candidates = [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }];
    return { body: { candidates, modelVersion: model, usageMetadata: { ...figures, ...heard } } };
  }
  const kind = model.includes('audio') ? { audio_tokens: inputTokens } : { image_tokens: inputTokens };
  const spoken = model.includes('audio') ? { audio_tokens: outputTokens } : {};
  if (path.endsWith('/responses') || path.includes('/images/')) {
    const tools = searches > 0 ? { tool_usage: { web_search: { num_requests: searches } } } : {};
    const figures = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: total,
      input_tokens_details: kind,
    };
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }];
    return { body: { object: 'response', status: 'completed', model, output, data: [], usage: figures, ...tools } };
  }
  const figures = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: total,
    prompt_tokens_details: kind,
    completion_tokens_details: spoken,
  };
  const choices = [{ index: 0, text, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
  return { body: { object: 'chat.completion', model, choices, data: [], usage: figures } };
}

/** A provider that reads each request at its worst, and keeps the bill of each agent. */
export class WorstProvider {
  /** In nano-dollars, by the name that the request gives in `User-Agent`. */
  readonly bills = new Map<string, number>();
  calls = 0;

  readonly answer = (request: ReceivedRequest): FakeReply => {
    if (request.method !== 'POST') return { body: { data: [] } };
    const bill = readAtWorst(request);
    const payer = request.headers['user-agent'] ?? '';
    this.bills.set(payer, (this.bills.get(payer) ?? 0) + bill.nanoUsd);
    this.calls += 1;
    return answerBill(request, bill);
  };
}
