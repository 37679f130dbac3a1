export { JsonError, type JsonErrorCode } from './json-error.ts';
export { nestsDeeperThan } from './nests-deeper-than.ts';
export { type JsonBounds, maxJsonDepth, parseJson } from './parse-json.ts';
