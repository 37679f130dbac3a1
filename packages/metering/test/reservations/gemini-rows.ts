import { longest, type OperationRows, open, type Row, unpriced } from './row.ts';

/** Operations in Gemini's format. */
export const geminiRows: OperationRows[] = [
  ...['generateContent', 'streamGenerateContent'].map((name) => ({
    path: `/v1beta/models/m:${name}`,
    api: 'gemini' as const,
    rows: [
      [{ contents: [] }, open, longest],
      [{ generationConfig: { maxOutputTokens: 7, candidateCount: 3 } }, 21, 21],
      [{ generation_config: { max_output_tokens: 7, candidate_count: 3 } }, 21, 21],
      [{ generationConfig: { maxOutputTokens: 1, max_output_tokens: 100_000 } }, 100_000, 100_000],
      [{ generationConfig: { maxOutputTokens: 1 }, generation_config: { maxOutputTokens: 100_000 } }, 100_000, 100_000],
      ['{"generationConfig":{"maxOutputTokens":100000,"maxOutputTokens":1}}', 100_000, /a member is given twice/],
      ['{"generationConfig":{"maxOutputTokens":"100000"}}', 100_000, /generationConfig.maxOutputTokens must be/],
      [{ generationConfig: { maxOutputTokens: 1, MaxOutputTokens: 100_000 } }, 100_000, /MaxOutputTokens is not known/],
      [{ maxOutputTokens: 1 }, open, /maxOutputTokens is not known/],
      [{ generationConfig: { maxOutputTokens: 7, thinkingConfig: { thinkingBudget: 1_000 } } }, 1_000, 2_000],
      [{ generationConfig: { maxOutputTokens: 7, thinkingConfig: { thinkingBudget: -1 } } }, 7, 7],
      [
        { generationConfig: { maxOutputTokens: 7, responseModalities: ['TEXT', 'IMAGE'] } },
        7,
        /Modalities may cost more/,
      ],
      [{ generationConfig: { maxOutputTokens: 7, responseModalities: ['TEXT'] } }, 7, 7],
      [
        { generationConfig: { maxOutputTokens: 7, routingConfig: {} } },
        7,
        /generationConfig.routingConfig is not known/,
      ],
      [{ tools: [{ functionDeclarations: [] }], cachedContent: 'c' }, open, longest],
      [{ tools: [{ googleSearch: {} }] }, open, /tools\.0 is a tool that the provider runs/],
      [{ tools: [{ functionDeclarations: [], codeExecution: {} }] }, open, /tools\.0 is a tool/],
      [{ serviceTier: 'SERVICE_TIER_PRIORITY' }, open * 1.8, longest * 1.8],
    ] as Row[],
  })),
  {
    path: '/v1beta/models/m:embedContent',
    api: 'gemini',
    rows: [[{ content: { parts: [{ text: 'x' }] }, taskType: 'CLUSTERING' }, open, 0]],
  },
  {
    path: '/v1beta/models/m:batchEmbedContents',
    api: 'gemini',
    rows: [[{ requests: [{ model: 'models/m', content: { parts: [{ text: 'x' }] } }] }, open, 0]],
  },
  { path: '/v1beta/models/m:countTokens', api: 'gemini', rows: [[{ contents: [] }, 0, 0]] },
  {
    path: '/v1beta/models/m:batchGenerateContent',
    api: 'gemini',
    rows: [
      [{ batch: { inputConfig: { requests: { requests: [] } } } }, unpriced, /a batch costs/],
      [{ batch: { input_config: { requests: { requests: [] } } } }, unpriced, /a batch costs/],
      [{ batch: { inputConfig: { fileName: 'files/f' } } }, unpriced, /a batch costs/],
      [{ batch: { input_config: { file_name: 'files/f' } } }, unpriced, /a batch costs/],
      [{ batch: { inputConfig: { requests: {}, fileName: 'files/f' } } }, unpriced, /a batch costs/],
      [{ batch: {} }, unpriced, /a batch costs/],
    ],
  },
  {
    path: '/v1beta/interactions',
    api: 'gemini',
    rows: [
      [{ model: 'm', input: 'x' }, open, longest],
      [{ model: 'm', input: 'x', generation_config: { max_output_tokens: 7 } }, 7, 7],
      [
        { model: 'm', input: 'x', generation_config: { maxOutputTokens: 7 } },
        open,
        /generation_config.maxOutputTokens is not/,
      ],
      [{ model: 'm', input: 'x', background: true, previous_interaction_id: 'i' }, longest, longest],
      [{ agent: 'deep-research', input: 'x' }, unpriced, /agent is not known/],
      [{ model: 'm', input: 'x', tools: [{ type: 'google_search' }] }, open, /tools\.0 is a tool/],
    ],
  },
];
