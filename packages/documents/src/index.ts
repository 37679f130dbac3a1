export { isModelListed } from './model-names.ts';
export { findFrom, fold, isListed, isSpelled, prepareLists } from './names.ts';
export { describeMatch, mayHold, type Selector, selects } from './selector.ts';
