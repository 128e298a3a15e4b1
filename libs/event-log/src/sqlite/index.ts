// What a thread needs of the product's SQLite files, without the rest of the log.
export { SqliteFile } from './sqlite-file.js';
