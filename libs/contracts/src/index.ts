export * from './codec.js';
export * from './error.js';
export * from './event.js';
export { type DeepReadonly, type FactDefinition } from './fact.js';
export * from './facts/index.js';
export * from './frozen.js';
export { HeadersJson } from './headers-json.js';
export * from './topics.js';
export { whyInvalid } from './validate.js';
