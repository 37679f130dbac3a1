import { longest, type OperationRows, open, type Row } from './row.ts';

const spec = { toolSpec: { name: 't', inputSchema: { json: {} } } };

/** Operations of Bedrock's. */
export const bedrockRows: OperationRows[] = [
  ...['converse', 'converse-stream'].map((name) => ({
    path: `/model/m/${name}`,
    api: 'bedrock' as const,
    rows: [
      [{ messages: [] }, open, longest],
      [{ messages: [{ role: 'user', content: [{ text: 'x' }] }], inferenceConfig: { maxTokens: 7 } }, 7, 7],
      ['{"inferenceConfig":{"maxTokens":100000,"maxTokens":1}}', 100_000, /a member is given twice/],
      ['{"inferenceConfig":{"maxTokens":"100000"}}', 100_000, /inferenceConfig.maxTokens must be/],
      [{ maxTokens: 1 }, open, /maxTokens is not known/],
      [{ inferenceConfig: { maxTokens: 7, maxOutputTokens: 100_000 } }, 100_000, /maxOutputTokens is not known/],
      [{ inferenceConfig: { maxTokens: 7 }, toolConfig: { tools: [spec, { cachePoint: { type: 'default' } }] } }, 7, 7],
      [{ toolConfig: { tools: [{ systemTool: { name: 's' } }] } }, open, /tools\.0 is a tool that the provider runs/],
      [
        {
          inferenceConfig: { maxTokens: 7 },
          additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_000 } },
        },
        1_000,
        2_000,
      ],
      [{ inferenceConfig: { max_tokens: 1 } }, open, /max_tokens is not known/],
      [{ inference_config: { maxTokens: 1 } }, open, /inference_config is not known/],
      [{ toolConfig: { maxTokens: 1 } }, open, /toolConfig.maxTokens is not known/],
      [{ additionalModelRequestFields: { tools: [] } }, open, /tools is not known/],
      [{ additionalModelRequestFields: { max_tokens: 1 } }, open, /max_tokens is not known/],
      [{ additionalModelRequestFields: { max_tokens: 100_000 } }, 100_000, /max_tokens is not known/],
      [{ additionalModelRequestFields: { anything: 1 } }, open, /anything is not known/],
      ['{"guardrailConfig":{},"guardrailConfig":null}', open, /guardrailConfig is given twice/],
      [{ GuardrailConfig: {} }, open, /GuardrailConfig is not known/],
      [{ promptVariables: {} }, open, /promptVariables is not known/],
    ] as Row[],
  })),
  { path: '/model/m/count-tokens', api: 'bedrock', rows: [[{ input: { converse: { messages: [] } } }, 0, 0]] },
];
