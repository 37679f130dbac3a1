// Everything about chains that runs in a browser too: nothing here hashes.
export * from './anchor-leaf.ts';
export * from './find-cut.ts';
export * from './find-misshown.ts';
export * from './find-refusal.ts';
export * from './head.ts';
export * from './judge-link.ts';
