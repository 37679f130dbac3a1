import { longest, type OperationRows, open } from './row.ts';

/** Operations in OpenAI's format that read or make something else than text. */
export const mediaRows: OperationRows[] = [
  {
    path: '/v1/embeddings',
    rows: [
      [{ model: 'm', input: 'x' }, open, 0],
      [{ model: 'm', input: ['x', 'y'], dimensions: 9 }, open, 0],
      [{ model: 'm', input: 'x', n: 100 }, 100 * open, /n is not known/],
    ],
  },
  {
    path: '/v1/rerank',
    rows: [[{ model: 'm', query: 'x', documents: ['y', { text: 'z' }], top_n: 1 }, open, /a call that has no bound/]],
  },
  {
    path: '/v1/images/generations',
    rows: [
      [{ model: 'drawn', prompt: 'x' }, 1, 1],
      [{ model: 'drawn', prompt: 'x', n: 10, size: 'auto', quality: 'high' }, 10, 10],
      [{ model: 'drawn', prompt: 'x', n: 1, num_images: 10 }, 10, /num_images is not known/],
      ['{"model":"drawn","prompt":"x","n":"10"}', 10, /n must be a whole number/],
      [{ model: 'm', prompt: 'x', n: 2, size: '1024x1536' }, 2 * open, 2 * 16_384],
      [{ model: 'm', prompt: 'x', n: 2, size: '3840x2160' }, 2 * open, /size may cost more/],
      [{ model: 'drawn', prompt: 'x', output_format: 'svg' }, 1, /output_format may cost more/],
    ],
  },
  { path: '/v1/images/edits', rows: [[{ model: 'drawn', prompt: 'x', image: 'file-1', n: 3 }, 3, 3]] },
  { path: '/v1/images/variations', rows: [[{ model: 'drawn', image: 'file-1', n: 3 }, 3, 3]] },
  { path: '/v1/audio/transcriptions', rows: [[{ model: 'm', file: 'x' }, open, /has no bound/]] },
  { path: '/v1/audio/translations', rows: [[{ model: 'm', file: 'x' }, open, /has no bound/]] },
  {
    path: '/v1/audio/speech',
    rows: [
      // The characters alone, and in strict mode the whole body.
      [{ model: 'spoken', input: 'x'.repeat(100), voice: 'v', speed: 4 }, 100, 151],
      [{ model: 'm', input: 'x', voice: 'v' }, open, longest],
    ],
  },
];
