export { openApiDocument, type Route } from './document.js';
export { fields, queryOf, type Operation, type Operations, type Schema } from './operation.js';
