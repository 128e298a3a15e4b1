export { bringUp, prepare, type SchemaPart } from './schema-part.js';
