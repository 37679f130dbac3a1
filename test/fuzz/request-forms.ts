/** Ways to write a request body; what a lenient server still reads is billed like the plain one. */
export const bodyForms = [
  ...([
    'plain',
    'usage refused',
    'usage half asked',
    'repeated members',
    'filler before',
    'filler behind',
    'odd bounds',
    'objects for names',
  ] as const),
  ...([
    'byte order mark',
    'UTF-16',
    'NUL behind',
    'space before',
    'gzip',
    'cut',
    'deep',
    'deep and broken',
    'not JSON',
  ] as const),
  ...([
    'empty',
    'many members',
    'escaped names',
    'invalid UTF-8',
    'huge numbers',
    '__proto__',
    'no bound',
    'array',
  ] as const),
] as const;
export type BodyForm = (typeof bodyForms)[number];

/** Ways to write a request target. A lenient server takes most of them for the plain one. */
export const targetForms = [
  ...([
    'plain',
    'one letter encoded',
    'encoded twice',
    'slash encoded',
    'other case',
    'parameters',
    'closing slash',
  ] as const),
  ...([
    'doubled slash',
    'dots',
    'encoded dots',
    'backslash',
    'NUL',
    'unknown path',
    'agent in path',
    'absolute',
    'query',
  ] as const),
  ...(['fragment', 'raw bytes', 'long', 'other provider', 'nothing'] as const),
] as const;
export type TargetForm = (typeof targetForms)[number];
